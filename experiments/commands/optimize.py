"""`melo optimize`: better instructions and demos for the nodes that ask a language model."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import orjson
import typer

from data.errors import InputError
from experiments.commands.places import open_index
from optimizers.limits import Limits
from program.settings import Settings

_NODES = "understand,plan,reflect,synthesize"
EXAMPLE = "Example:  melo optimize bootstrap --lm embedded/smollm2-135m --nodes understand --max-calls 300"


def optimize(
    recipe: Annotated[str, typer.Argument(help="labelled, bootstrap, mipro, gepa, simba or finetune")],
    lm: Annotated[str, typer.Option(help="the backbone to tune for: embedded/NAME or PROVIDER/MODEL")],
    nodes: Annotated[str, typer.Option(help=f"which nodes, with commas: {_NODES}")] = _NODES,
    train: Annotated[str, typer.Option(help="learn from the train rows of: entity, longtail, regular or all")] = "all",
    dev: Annotated[str, typer.Option(help="choose by the dev rows of: entity, longtail, regular or all")] = "all",
    max_calls: Annotated[int | None, typer.Option(help="the most LM calls, of all models together", min=1)] = None,
    max_seconds: Annotated[float | None, typer.Option(help="the most seconds of this call", min=1)] = None,
    max_usd: Annotated[float | None, typer.Option(help="the most money, where prices are known", min=0)] = None,
    seed: Annotated[int, typer.Option(help="of the search, of the order of the rows and of the bootstrap", min=0)] = 0,
    teacher: Annotated[
        str, typer.Option(help="a backbone that answers for demos (default: --lm); finetune: that marks names (default: none)")
    ] = "",
    reflection_lm: Annotated[str, typer.Option(help="a backbone that writes instructions (default: --lm)")] = "",
    patience: Annotated[int, typer.Option(help="proposals in a row that are no better, before a node's search ends", min=1)] = 8,
    names: Annotated[Path | None, typer.Option(help="finetune: your copy of MusicRecoNER, to learn from too")] = None,
    requests: Annotated[
        Path | None, typer.Option(help="finetune: your own requests for the teacher: .txt, or .csv or .jsonl with `request`")
    ] = None,
    epochs: Annotated[int, typer.Option(help="finetune: the most passes over the requests", min=1, max=50)] = 3,
    out: Annotated[Path | None, typer.Option(help="the folder for program.json and scores.json, or the bundle")] = None,
    catalog: Annotated[Path | None, typer.Option(help="an index folder; the labels are of the demo catalog, the default")] = None,
    settings: Annotated[Path | None, typer.Option(help="a settings file (TOML)")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="play nothing back from an earlier call")] = False,
    force: Annotated[bool, typer.Option("--force", help="write over a state that is there")] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Tune on train, choose on dev, within a hard budget (500 calls unless a limit is given), the baseline first.

    A call that was interrupted goes on when it is made again; one with a higher limit goes on from there. Every proposal is
    kept in MLflow. A model that does not answer is a failure, and nothing is written then.

    finetune trains a LoRA adapter of an embedded backbone instead, which drafts the names of a request; it is bounded by
    --epochs and --max-seconds, needs the extra `finetune`, and writes a bundle. With --teacher a model marks the names in
    train rows that have no label and in your own --requests, and they are learned from too; --max-calls, --max-usd and half
    of --max-seconds bound it. What it names that is not in the request is dropped, and so are dev and test rows.
    """
    named, limits = tuple(name.strip() for name in nodes.split(",")), Limits(max_calls, max_seconds, max_usd)
    if recipe == "finetune":
        strange = {"--nodes": named != ("understand",) and nodes != _NODES, "--reflection-lm": bool(reflection_lm)}
        _refuse(strange, "finetune trains drafts for understand, and nothing else")
        given = _Training(lm, names, epochs, train, dev, limits, seed, out, settings, fresh, force, teacher, requests)
        _finetune(given, catalog, json=json)
        return
    _refuse({"--names": names is not None, "--requests": requests is not None}, "only finetune takes it")
    from experiments.optimizing.report import report_lines
    from experiments.optimizing.session import Asked
    from experiments.optimizing.session import optimize as run

    chosen = Settings.load(settings) if settings else Settings()
    asked = Asked(
        recipe=recipe, lm=lm, out=out or Path(f"optimized-{recipe}"), nodes=named, train=train, dev=dev,
        limits=limits if limits != Limits() else Limits(calls=500), seed=seed, teacher=teacher, reflection=reflection_lm,
        settings=chosen, patience=patience, force=force, fresh=fresh,
    )  # fmt: skip
    with closing(open_index(catalog)) as index:
        found = run(asked, index)
    if json:
        typer.echo(orjson.dumps(found.model_dump(mode="json")).decode())
        return
    for line in report_lines(found):
        typer.echo(line)


def _refuse(given: dict[str, bool], why: str) -> None:
    """Refuse options that a recipe does not take, rather than ignore them.

    Raises:
        InputError: one of them was given.
    """
    if strange := [option for option, is_given in given.items() if is_given]:
        raise InputError(f"{' and '.join(strange)}: {why}")


@dataclass(frozen=True)
class _Training:
    """The options of `finetune`."""

    lm: str
    names: Path | None
    epochs: int
    train: str
    dev: str
    limits: Limits
    seed: int
    out: Path | None
    settings: Path | None
    fresh: bool
    force: bool
    teacher: str
    requests: Path | None


def _finetune(given: _Training, catalog: Path | None, *, json: bool) -> None:
    from experiments.commands.bar import bar
    from experiments.commands.experiment import setup_of
    from experiments.optimizing.finetuned import finetuned_lines
    from experiments.optimizing.finetuning import Training, finetune

    chosen = Settings.load(given.settings) if given.settings else Settings()
    asked = Training(
        given.lm, given.out or Path("optimized-finetune"), given.train, given.dev, given.names, given.epochs,
        given.limits, given.seed, chosen, given.force, given.fresh, given.teacher, given.requests,
    )  # fmt: skip
    with closing(open_index(catalog)) as index, bar("dev rows") as progress:
        found = finetune(asked, index, setup_of("none", 1, chosen, given.seed, given.fresh, Limits(), progress))
    if json:
        typer.echo(found.model_dump_json())
        return
    for line in finetuned_lines(found):
        typer.echo(line)
