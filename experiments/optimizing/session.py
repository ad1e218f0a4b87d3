"""One `melo optimize`: names the study, opens its book and its run, tunes, writes the state and the scores."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from data.contracts import NodeName
from data.errors import InputError, MeloError
from experiments.bench.machine import code, versions
from experiments.commands.bar import Bar, bar
from experiments.commands.progress import say
from experiments.figures import Drawn
from experiments.labelled_run import rows_of
from experiments.optimizing.record import Record
from experiments.optimizing.report import Optimized, node_report, spent_of, verdict_of
from experiments.replays import endpoint_of
from experiments.tracking import Tracker, user_data
from experiments.tuning.settings_file import write_text
from optimizers.limits import Limits
from optimizers.recipes import recipe_of
from optimizers.search.board import Board
from optimizers.search.book import AnswerBook
from optimizers.search.purse import Purse, pursed
from optimizers.search.tuner import Models, NodeRun, Plan, Tuner, with_texts
from optimizers.state import PROGRAM_FILE, write_state
from program.bundle.state import NODES
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone, resolve
from program.settings import Settings

EXPERIMENT = "melo optimize"
SCORES_FILE = "scores.json"
_CODE = ("data", "signatures", "program", "optimizers")


@dataclass(frozen=True)
class Asked:
    """One call.

    Attributes:
        train, dev: name of a labelled set or `all`; the splits of these names are used, never test.
        teacher, reflection: names of other backbones; empty for the same.
        out: the folder to write. force: also into one that holds a state.
    """

    recipe: str
    lm: str
    out: Path
    nodes: tuple[str, ...] = NODES
    train: str = "all"
    dev: str = "all"
    limits: Limits = field(default_factory=lambda: Limits(calls=500))
    seed: int = 0
    teacher: str = ""
    reflection: str = ""
    settings: Settings = field(default_factory=Settings)
    patience: int = 8
    force: bool = False
    fresh: bool = False

    def node_names(self) -> tuple[NodeName, ...]:
        """The nodes in the order of the graph.

        Raises:
            InputError: one of them asks no LM.
        """
        if strange := [name for name in self.nodes if name not in NODES]:
            raise InputError(f"no node that asks a model is called {strange[0]}", hint=f"some of {', '.join(NODES)}")
        return tuple(node for node in NODES if node in self.nodes)


def optimize(asked: Asked, index: CatalogIndex, *, resolver: Callable[[str], Backbone] = resolve) -> Optimized:
    """Tune, choose on dev, write.

    Raises:
        InputError: an unknown recipe, node, set or backbone, no limit, or a state is there already.
        LMUnavailableError: an LM does not answer. Nothing is written; what was answered is kept, the same call goes on.
        InfrastructureError: a file or the store of runs cannot be used.
    """
    recipe, nodes = recipe_of(asked.recipe), asked.node_names()
    if (asked.out / PROGRAM_FILE).exists() and not asked.force:
        raise InputError(f"{asked.out / PROGRAM_FILE} is there already", hint="--force writes over it, --out names another")
    if asked.limits == Limits():
        raise InputError("a run needs a limit", hint="--max-calls, --max-seconds or --max-usd")
    study = _study(asked, nodes, index)
    path = user_data() / "optimize" / f"{study}.jsonl"
    if asked.fresh:
        path.unlink(missing_ok=True)
    book = AnswerBook(path)
    if book.held:
        say(f"{book.held} answers of an earlier run are kept and are played back")
    purse = Purse(asked.limits)
    models = _models(asked, purse, book, resolver)
    plan = Plan(
        recipe, nodes, rows_of(asked.train, "train"), rows_of(asked.dev, "dev"), asked.settings, asked.seed, asked.patience
    )
    return _kept(asked, study, plan, index, models, purse)


def _kept(asked: Asked, study: str, plan: Plan, index: CatalogIndex, models: Models, purse: Purse) -> Optimized:
    """Run with a record in MLflow, which is ended whatever happens."""
    tracker = Tracker.open(EXPERIMENT)
    run = tracker.run(study, f"{asked.recipe}-{asked.lm}-{asked.seed}", _params(asked, index))
    record, finished = Record(run), False
    try:
        with bar(f"melo optimize {asked.recipe}") as progress:
            shown = _Shown(progress, purse)
            done = Tuner(
                plan, index, models, purse, watch=shown.score, finished=record.node, stage=shown.stage
            ).run()  # fmt: skip
        found = _report(asked, study, done, index, purse).model_copy(update={"store": tracker.store, "run": run.run_id})
        write_state(asked.out, with_texts(done))
        write_text(asked.out / SCORES_FILE, found.model_dump_json(indent=1) + "\n")
        run.log({f"spent.{name}": float(value) for name, value in found.spent.items()})
        run.file(asked.out / PROGRAM_FILE)
        run.file(asked.out / SCORES_FILE)
        finished = True
    except MeloError as error:
        run.text("failure.txt", f"{error.code}: {error.one_line()}\n")
        raise
    finally:
        run.end(finished=finished)
    return found


class _Shown:
    """Live progress: the best so far, the calls and the cost; `Bar` adds how long it may take."""

    def __init__(self, progress: Bar, purse: Purse) -> None:
        self._progress, self._purse = progress, purse

    def score(self, node: NodeName, board: Board) -> None:
        """After every score."""
        best = board.best()
        start = next(iter(board.proposals.values())).mean(board.dev)
        told = f"best {best.mean(board.dev):.3f} (start {start or 0:.3f})" if best else "baseline"
        cost = f", {self._purse.usd:.4f} USD" if self._purse.usd else ""
        words = f"{node}: {told}, proposal {len(board.proposals) - 1}{cost}, calls"
        self._progress(words, self._purse.calls, self._purse.limits.calls)

    def stage(self, name: str, done: int, total: int) -> None:
        """While cases and labels are made."""
        self._progress(name, done, total)


def _models(asked: Asked, purse: Purse, book: AnswerBook, resolver: Callable[[str], Backbone]) -> Models:
    def made(name: str) -> Backbone:
        plain = resolver(name)
        return pursed(plain, endpoint_of(plain), purse, book)

    student = made(asked.lm)
    return Models(
        student,
        made(asked.reflection) if asked.reflection not in ("", asked.lm) else student,
        made(asked.teacher) if asked.teacher not in ("", asked.lm) else None,
    )


def _study(asked: Asked, nodes: tuple[NodeName, ...], index: CatalogIndex) -> str:
    """Names everything that a run depends on but its limits: a call with higher ones goes on."""
    parts = {**_params(asked, index), "nodes": nodes}
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _params(asked: Asked, index: CatalogIndex) -> dict[str, object]:
    return {
        "recipe": asked.recipe, "lm": asked.lm, "teacher": asked.teacher, "reflection_lm": asked.reflection,
        "nodes": ",".join(asked.nodes), "train": asked.train, "dev": asked.dev, "seed": asked.seed,
        "patience": asked.patience, "settings_hash": asked.settings.hash(), "catalog_hash": index.info.content_hash[:16],
        "code": code(*_CODE), **{f"version.{name}": value for name, value in versions().items()},
    }  # fmt: skip


def _report(asked: Asked, study: str, done: list[NodeRun], index: CatalogIndex, purse: Purse) -> Optimized:
    nodes = tuple(node_report(run, Drawn(asked.seed)) for run in done)
    limits = asked.limits
    return Optimized(
        recipe=asked.recipe, lm=asked.lm, teacher=asked.teacher or asked.lm, reflection_lm=asked.reflection or asked.lm,
        seed=asked.seed, nodes=nodes, spent=spent_of(purse), by_lm=purse.by_lm,
        limits={"calls": limits.calls, "seconds": limits.seconds, "usd": limits.usd}, resumed=purse.remembered,
        settings_hash=asked.settings.hash(), catalog_hash=index.info.content_hash[:16], code=code(*_CODE),
        versions=versions(), train=asked.train, dev=asked.dev, study=study, out=str(asked.out), verdict=verdict_of(nodes),
    )  # fmt: skip
