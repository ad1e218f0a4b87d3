"""Keeps a table in MLflow: what it was made with as parameters, its figures as metrics, its files as artifacts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from experiments.figures import Figure
from experiments.journal import key_of
from experiments.report import Table
from experiments.tracking import Tracker

EXPERIMENT = "tables"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_./ -]+")
_MOST = 900
"""Metrics in one write; MLflow takes a thousand."""


def track(table: Table, files: Sequence[Path]) -> str:
    """Log a table; the same table made again goes into the same run. Returns where it is, for a person.

    Raises:
        InfrastructureError: the store cannot be used.
    """
    tracker = Tracker.open(EXPERIMENT)
    run = tracker.run(key_of(params(table)), table.stem, params(table))
    run.log(dict(list(metrics(table))[:_MOST]))
    for path in files:
        run.file(path)
    if table.answers:
        run.text("answers.jsonl", "".join(orjson.dumps(answer).decode() + "\n" for answer in table.answers))
    run.end(finished=not table.about.incomplete)
    return tracker.store


def params(table: Table) -> dict[str, str | int | float]:
    """What decides the figures: the same for a table made again."""
    about = table.about
    found: dict[str, str | int | float] = {
        "table": table.name, "set": about.set, "split": about.split, "backbone": about.backbone, "runs": about.runs,
        "temperature": about.temperature, "seed": about.seed, "draws": about.draws, "catalog": about.catalog,
        "code": about.code, "requests": about.requests,
    }  # fmt: skip
    found |= {f"settings.{name}": value for name, value in about.settings.items()}
    return found | {f"version.{name}": value for name, value in about.versions.items()}


def metrics(table: Table) -> Iterator[tuple[str, float]]:
    """Every figure as `block/line/column`, its interval and spread beside it."""
    for block in table.blocks:
        for line in block.lines:
            for key, cell in line.cells.items():
                name = _name(f"{block.title}/{line.name}/{key}")
                if isinstance(cell, Figure):
                    numbers = {"": cell.value, ".lo": cell.lo, ".hi": cell.hi, ".sd": cell.sd, ".n": float(cell.n)}
                    yield from ((name + end, number) for end, number in numbers.items() if number is not None)
                elif isinstance(cell, int | float):
                    yield name, float(cell)


def _name(text: str) -> str:
    return re.sub(r" +", " ", _NOT_IN_NAMES.sub(" ", text)).replace(" /", "/").replace("/ ", "/").strip()
