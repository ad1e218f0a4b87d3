"""`melo evaluate`: scores on a labelled set of the project, or of the reading of an external one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import orjson
import typer
from pydantic import BaseModel

from data.errors import InputError
from data.labelled import KINDS
from experiments.bundles import warn
from experiments.chosen import Program, program_of
from experiments.commands.bar import bar
from experiments.commands.experiment import Fresh, MaxCalls, MaxSeconds, MaxUsd, setup_of
from experiments.commands.places import open_index
from experiments.commands.progress import stages
from experiments.external import cpcd
from experiments.external.catalogs import cpcd_tracks, open_catalog
from experiments.external.cpcd_likes import LikesEvaluation, judgements
from experiments.external.evaluation import MELO, SpanEvaluation, read_requests
from experiments.external.model_reading import ModelReader
from experiments.external.report import Evaluation, table_lines, write_answers, write_files
from experiments.external.retrieval import RetrievalEvaluation, systems
from experiments.external.sets import SPAN_SETS
from experiments.runner import Progress
from experiments.tables.base import Setup
from experiments.variants import VARIANTS
from optimizers.limits import Limits
from program.bundle.files import Bundle
from program.index.protocol import CatalogIndex
from program.settings import Settings

EXAMPLE = "Examples:  melo evaluate entity --split dev --json   melo evaluate music_ner --data DIR --split dataset1 --json"
_OWN_SPLIT = "dev"
_OWN_SETS = (*KINDS, "all")
_SETS = (*SPAN_SETS, "cpcd")


@dataclass(frozen=True)
class _Asked:
    """The arguments of one call. program: what reads the names; None: code alone."""

    name: str
    data: Path
    split: str
    settings: Settings
    limit: int | None
    out: Path | None
    seed: int
    likes: bool = False
    program: Program | None = None


def evaluate(
    set_name: Annotated[str, typer.Argument(metavar="SET", help=f"one of {', '.join((*_OWN_SETS, *_SETS))}")],
    data: Annotated[
        Path | None, typer.Option(help="the folder of an external set; the track list of CPCD lies in it or beside it")
    ] = None,
    split: Annotated[str, typer.Option(help="a part of the set, or a group of parts (default: what is usual for the set)")] = "",
    lm: Annotated[str, typer.Option(help="none (the default), embedded/NAME, or PROVIDER/MODEL; cpcd is read without")] = "",
    bundle: Annotated[Path | None, typer.Option(help="a compiled program: a folder that melo export wrote")] = None,
    runs: Annotated[int, typer.Option(help="replays of every request; several are asked at temperature 0.3", min=1, max=20)] = 1,
    variant: Annotated[str, typer.Option(help=f"switch defences off, to compare: {', '.join(VARIANTS)}")] = "full",
    catalog: Annotated[Path | None, typer.Option(help="an index folder; the labels are of the demo catalog, the default")] = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    limit: Annotated[int | None, typer.Option(help="only the first requests (cpcd: dialogues) of each part", min=1)] = None,
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML)")] = None,
    out: Annotated[Path | None, typer.Option(help="a folder for the result and for each request's spans")] = None,
    seed: Annotated[int, typer.Option(help="of the bootstrap", min=0)] = 0,
    likes: Annotated[bool, typer.Option("--likes", help="cpcd: what earlier turns liked and disliked is known")] = False,
    max_calls: MaxCalls = None,
    max_seconds: MaxSeconds = None,
    max_usd: MaxUsd = None,
    fresh: Fresh = False,
) -> None:
    """Score Melo on a labelled set, each figure with its 95 % interval.

    The sets of the project are asked from end to end. Of an external set, which is read from your copy of it, the reading
    alone is scored, with --lm or --bundle by a model, beside baselines. Its catalog is built at the first use and kept in your
    cache folder.
    """
    if set_name in _OWN_SETS:
        limits = Limits(max_calls, max_seconds, max_usd)
        own = _Own(set_name, split or _OWN_SPLIT, variant, limit, catalog, out)
        program = program_of(lm or ("" if bundle else "none"), bundle, settings)
        _labelled(
            own, lambda progress: setup_of("", runs, program.settings, seed, fresh, limits, progress), program.bundle, json=json
        )
        return
    if set_name not in _SETS:
        raise InputError(f"no set is called {set_name}", hint=f"one of {', '.join((*_OWN_SETS, *_SETS))}")
    if data is None:
        raise InputError(f"{set_name} is read from your copy of it", hint="say where: --data DIR")
    program = program_of(lm or ("" if bundle else "none"), bundle, settings)
    asks = program.settings.lm.of("understand") != "none"
    if asks and set_name == "cpcd":
        raise InputError(f"cpcd is read by code alone, not by {lm or bundle}", hint="leave --lm and --bundle out")
    if likes and set_name != "cpcd":
        raise InputError(f"{set_name} knows no likes", hint="--likes goes with cpcd")
    asked = _Asked(set_name, data, split, program.settings, limit, out, seed, likes, program if asks else None)
    evaluation = _retrieval(asked) if set_name == "cpcd" else _spans(asked)
    _show(evaluation, table_lines(evaluation), json=json)


@dataclass(frozen=True)
class _Own:
    """The arguments of one call for a set of the project."""

    name: str
    split: str
    variant: str
    limit: int | None
    catalog: Path | None
    out: Path | None


def _labelled(asked: _Own, setup: Callable[[Progress], Setup], bundle: Bundle | None, *, json: bool) -> None:
    from experiments.evaluation import evaluate_set, evaluation_lines
    from experiments.labelled_run import answer_rows

    with closing(open_index(asked.catalog)) as index, bar(asked.name) as progress:
        if bundle is not None:
            warn(bundle, index.info.content_hash)
        evaluation, scored = evaluate_set(
            asked.name, asked.split, index, setup(progress), chosen=asked.variant, limit=asked.limit, bundle=bundle
        )  # fmt: skip
    if asked.out:
        write_files(asked.out, evaluation, answer_rows(scored))
    _show(evaluation, evaluation_lines(evaluation), json=json)


def _show(result: BaseModel, lines: Iterable[str], *, json: bool) -> None:
    """The result as one JSON object, or as lines."""
    if json:
        typer.echo(orjson.dumps(result.model_dump(mode="json")).decode())
        return
    for line in lines:
        typer.echo(line)


def _spans(asked: _Asked) -> Evaluation:
    span_set = SPAN_SETS[asked.name]
    split = asked.split or span_set.default
    requests = read_requests(span_set, asked.data, split, asked.limit)
    running = SpanEvaluation(span_set, requests)
    with closing(open_catalog(asked.name, asked.data)) as index, stages(f"{asked.name} {split}") as progress:
        running.run(index, asked.settings, progress, None if asked.program is None else _reader(asked.program, index))
        evaluation = running.evaluation(split, index, asked.settings, limit=asked.limit, seed=asked.seed)
    if asked.out:
        write_answers(asked.out, evaluation, requests, running.answers[MELO])
    return evaluation


def _reader(program: Program, index: CatalogIndex) -> ModelReader:
    if program.bundle is not None:
        warn(program.bundle, index.info.content_hash)
    return ModelReader(program.settings, program.backbones, program.texts)


def _retrieval(asked: _Asked) -> Evaluation:
    split = asked.split or cpcd.SPLITS[0]
    if split not in cpcd.SPLITS:
        raise InputError(f"cpcd has no split {split}", hint=f"one of {', '.join(cpcd.SPLITS)}")
    if asked.likes:
        return _with_likes(asked, split)
    running = RetrievalEvaluation(split, cpcd.dialogues(asked.data, split)[: asked.limit])
    with closing(open_catalog(asked.name, asked.data)) as index, stages(f"cpcd {split}") as progress:
        running.run(systems(index, cpcd_tracks(asked.data), asked.settings), progress)
        evaluation = running.evaluation(index, asked.settings, limit=asked.limit, seed=asked.seed)
    if asked.out:
        write_files(asked.out, evaluation, running.rows())
    return evaluation


def _with_likes(asked: _Asked, split: str) -> Evaluation:
    running = LikesEvaluation(split, cpcd.dialogues(asked.data, split)[: asked.limit], judgements(asked.data, split))
    with closing(open_catalog(asked.name, asked.data)) as index, stages(f"cpcd {split} with likes") as progress:
        running.ask(index, asked.settings, progress)
        evaluation = running.evaluation(index, asked.settings, limit=asked.limit, seed=asked.seed)
    if asked.out:
        write_files(asked.out, evaluation, running.rows())
    return evaluation
