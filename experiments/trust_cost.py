"""`python -m experiments.trust_cost`: what the guards, the breaker and the trace store add to an answer without a model."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import dspy
import numpy as np
import typer

from data.labelled import KINDS, load_rows
from experiments.bench.parts.opened import open_warm, timed
from experiments.commands.places import demo_index
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.memory import settle
from program.settings import BreakerSettings, SafetySettings, Settings
from program.trust.breaker.breaker import Breaker
from program.trust.breaker.sqlite_log import SqliteLog
from program.trust.store import TraceStore

_BARE, _GUARDED, _JUDGED, _KEPT = "bare", "guarded", "guarded_and_judged", "whole_trust_layer"


def measured(index: EmbeddedIndex, requests: Sequence[str], repeats: int, settings: Settings) -> dict[str, Any]:
    """Milliseconds of each way to answer, and what the others add to the bare one, paired by request.

    Every request is answered in every way in turn, another way first each time; the median of its repeats counts.
    """
    with tempfile.TemporaryDirectory(prefix="melo-trust-") as folder:
        store = TraceStore.at(Path(folder) / "traces.sqlite")
        log = SqliteLog(Path(folder) / "breaker.sqlite", settings.breaker)
        unjudged = settings.model_copy(update={"breaker": BreakerSettings.none()})
        ways = {
            _BARE: Melo(index, unjudged.model_copy(update={"safety": SafetySettings.none()})),
            _GUARDED: Melo(index, unjudged),
            _JUDGED: Melo(index, settings),
            _KEPT: Melo(index, settings, store=store, breaker=Breaker(settings.breaker, log)),
        }
        try:
            times = {name: np.array(column) for name, column in _times(ways, requests, repeats).items()}
        finally:
            ways[_KEPT].close()
    added = {name: times[name] - times[_BARE] for name in (_GUARDED, _JUDGED, _KEPT)}
    return {
        "n": len(requests),
        "repeats": repeats,
        "ms": {name: _quantiles(column) for name, column in times.items()},
        "added_ms": {name: _quantiles(column) for name, column in added.items()},
        "settings": settings.hash(),
        "catalog": index.info.content_hash,
    }


def _times(ways: dict[str, Any], requests: Sequence[str], repeats: int) -> dict[str, list[float]]:
    names = list(ways)
    found: dict[str, list[float]] = {name: [] for name in names}
    for number, request in enumerate(requests):
        took: dict[str, list[float]] = {name: [] for name in names}
        ways[_BARE](request=request)  # what is remembered of a request is remembered for all
        for turn in range(repeats):
            first = (number + turn) % len(names)
            for name in names[first:] + names[:first]:
                took[name].append(timed(partial(ways[name], request=request))[0])
        for name in names:
            found[name].append(median(took[name]))
        settle()
    return found


def _quantiles(values: np.ndarray[Any, Any]) -> dict[str, float]:
    return dict(zip(("p50", "p90", "p99"), np.percentile(values, [50, 90, 99]).round(3).tolist(), strict=True))


def main(
    catalog: Annotated[Path | None, typer.Option(help="index folder (default: the demo catalog)")] = None,
    n: Annotated[int, typer.Option(help="requests, from the train split", min=1)] = 300,
    repeats: Annotated[int, typer.Option(min=1)] = 5,
) -> None:
    """Measure what the trust layer adds to an answer; prints one JSON object."""
    dspy.configure(disable_history=True, max_trace_size=0)
    rows = [row.request for name in KINDS for row in load_rows(name, "train")]
    index = open_warm(str(catalog or demo_index()))
    typer.echo(json.dumps(measured(index, rows[:n], repeats, Settings()), indent=1))
    index.close()


if __name__ == "__main__":
    typer.run(main)
