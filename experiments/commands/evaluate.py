"""`melo evaluate`: how well requests of an external set are read."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import orjson
import typer

from data.errors import InputError
from experiments.commands.progress import stages
from experiments.external import cpcd
from experiments.external.catalogs import cpcd_tracks, open_catalog
from experiments.external.evaluation import MELO, SpanEvaluation, read_requests
from experiments.external.report import Evaluation, table_lines, write_answers, write_files
from experiments.external.retrieval import RetrievalEvaluation, systems
from experiments.external.sets import SPAN_SETS
from program.settings import Settings

EXAMPLE = "Example:  melo evaluate music_ner --data DIR --split dataset1 --json"
_SETS = (*SPAN_SETS, "cpcd")


@dataclass(frozen=True)
class _Asked:
    """The arguments of one call."""

    name: str
    data: Path
    split: str
    settings: Settings
    limit: int | None
    out: Path | None
    seed: int


def evaluate(
    set_name: Annotated[str, typer.Argument(metavar="SET", help=f"one of {', '.join(_SETS)}")],
    data: Annotated[Path, typer.Option(help="the folder of the set; the track list of CPCD lies in it or beside it")],
    split: Annotated[str, typer.Option(help="a part of the set, or a group of parts (default: what is usual for the set)")] = "",
    lm: Annotated[str, typer.Option(help="none: external sets are read by code alone")] = "none",
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    limit: Annotated[int | None, typer.Option(help="only the first requests (cpcd: dialogues) of each part", min=1)] = None,
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML)")] = None,
    out: Annotated[Path | None, typer.Option(help="a folder for the result and for each request's spans")] = None,
    seed: Annotated[int, typer.Option(help="of the bootstrap", min=0)] = 0,
) -> None:
    """Score Melo's reading of an external set beside a baseline, each figure with its 95 % interval.

    The set is read from your copy of it. Its catalog is built at the first use and kept in your cache folder.
    """
    if set_name not in _SETS:
        raise InputError(f"no external set is called {set_name}", hint=f"one of {', '.join(_SETS)}")
    if lm != "none":
        raise InputError(f"{set_name} is read by code alone, not by {lm}", hint="leave --lm out")
    chosen = Settings.load(settings) if settings else Settings()
    chosen = chosen.model_copy(update={"lm": chosen.lm.model_copy(update={"name": lm})})
    asked = _Asked(set_name, data, split, chosen, limit, out, seed)
    evaluation = _retrieval(asked) if set_name == "cpcd" else _spans(asked)
    if json:
        typer.echo(orjson.dumps(evaluation.model_dump(mode="json")).decode())
        return
    for line in table_lines(evaluation):
        typer.echo(line)


def _spans(asked: _Asked) -> Evaluation:
    span_set = SPAN_SETS[asked.name]
    split = asked.split or span_set.default
    requests = read_requests(span_set, asked.data, split, asked.limit)
    running = SpanEvaluation(span_set, requests)
    with closing(open_catalog(asked.name, asked.data)) as index, stages(f"{asked.name} {split}") as progress:
        running.run(index, asked.settings, progress)
        evaluation = running.evaluation(split, index, asked.settings, limit=asked.limit, seed=asked.seed)
    if asked.out:
        write_answers(asked.out, evaluation, requests, running.answers[MELO])
    return evaluation


def _retrieval(asked: _Asked) -> Evaluation:
    split = asked.split or cpcd.SPLITS[0]
    if split not in cpcd.SPLITS:
        raise InputError(f"cpcd has no split {split}", hint=f"one of {', '.join(cpcd.SPLITS)}")
    running = RetrievalEvaluation(split, cpcd.dialogues(asked.data, split)[: asked.limit])
    with closing(open_catalog(asked.name, asked.data)) as index, stages(f"cpcd {split}") as progress:
        running.run(systems(index, cpcd_tracks(asked.data), asked.settings), progress)
        evaluation = running.evaluation(index, asked.settings, limit=asked.limit, seed=asked.seed)
    if asked.out:
        write_files(asked.out, evaluation, running.rows())
    return evaluation
