"""`melo evaluate`: how well requests of an external set are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import orjson
import typer

from data.errors import InputError
from experiments.commands.progress import stages
from experiments.external.catalogs import open_catalog
from experiments.external.evaluation import MELO, SpanEvaluation, read_requests
from experiments.external.report import Evaluation, table_lines, write_answers
from experiments.external.sets import SPAN_SETS
from program.settings import Settings

EXAMPLE = "Example:  melo evaluate music_ner --data DIR --split dataset1 --json"
_SETS = ", ".join(SPAN_SETS)


def evaluate(
    set_name: Annotated[str, typer.Argument(metavar="SET", help=f"one of {_SETS}")],
    data: Annotated[Path, typer.Option(help="the folder of the set; the track list of CPCD lies in it or beside it")],
    split: Annotated[str, typer.Option(help="a part of the set, or a group of parts (default: what is usual for the set)")] = "",
    lm: Annotated[str, typer.Option(help="none: external sets are read by code alone")] = "none",
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    limit: Annotated[int | None, typer.Option(help="only the first requests of each part", min=1)] = None,
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML)")] = None,
    out: Annotated[Path | None, typer.Option(help="a folder for the result and for each request's spans")] = None,
    seed: Annotated[int, typer.Option(help="of the bootstrap", min=0)] = 0,
) -> None:
    """Score Melo's reading of an external set beside a baseline, each figure with its 95 % interval.

    The set is read from your copy of it. Its catalog is built at the first use and kept in your cache folder.
    """
    if lm != "none":
        raise InputError(f"{set_name} is read by code alone, not by {lm}", hint="leave --lm out")
    chosen = Settings.load(settings) if settings else Settings()
    chosen = chosen.model_copy(update={"lm": chosen.lm.model_copy(update={"name": lm})})
    evaluation = _spans(set_name, data, split, chosen, limit, out, seed)
    if json:
        typer.echo(orjson.dumps(evaluation.model_dump(mode="json")).decode())
        return
    for line in table_lines(evaluation):
        typer.echo(line)


def _spans(name: str, data: Path, split: str, settings: Settings, limit: int | None, out: Path | None, seed: int) -> Evaluation:
    if name not in SPAN_SETS:
        raise InputError(f"no external set is called {name}", hint=f"one of {_SETS}")
    span_set = SPAN_SETS[name]
    split = split or span_set.default
    requests = read_requests(span_set, data, split, limit)
    index = open_catalog(name, data)
    running = SpanEvaluation(span_set, requests)
    with stages(f"{name} {split}") as progress:
        running.run(index, settings, progress)
        progress("intervals", 0, None)
        evaluation = running.evaluation(split, index, settings, limit=limit, seed=seed)
    if out:
        write_answers(out, evaluation, requests, running.answers[MELO])
    return evaluation
