"""Asks a labelled set under several settings and scores the answers."""

from __future__ import annotations

import datetime
import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast, get_args

import dspy

from data.contracts import Artifact
from data.errors import InputError
from data.labelled import KINDS, LabelledRow, SetName, Split, load_rows
from experiments.lm_cache import Tally
from experiments.replays import replayed
from experiments.runner import Run, Task
from experiments.tables.base import Asking, Setup
from optimizers.judge import Judge
from optimizers.metrics import RowScores
from optimizers.records import AnswerRecord, record_of
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone
from program.settings import Settings
from program.trust.store import TraceStore

ALL = "all"
SETS = (*KINDS, ALL)
Resolver = Callable[[str], Backbone]
Maker = Callable[[CatalogIndex, Settings, TraceStore, Resolver], dspy.Module]


def melo(index: CatalogIndex, settings: Settings, store: TraceStore, resolver: Resolver) -> dspy.Module:
    """The product itself."""
    return Melo(index, settings, store=store, backbones=resolver)


@dataclass(frozen=True)
class System:
    """Something to ask. name: of its program, part of the journal's key."""

    settings: Settings
    make: Maker = melo
    name: str = "melo"


def rows_of(name: str, split: str) -> tuple[LabelledRow, ...]:
    """The rows of a set, or of all of them.

    Raises:
        InputError: there is no such set or split.
    """
    if name not in SETS:
        raise InputError(f"no labelled set is called {name}", hint=f"one of {', '.join(SETS)}")
    if split not in get_args(Split):
        raise InputError(f"no split is called {split}", hint=f"one of {', '.join(get_args(Split))}")
    names = KINDS if name == ALL else (name,)
    return tuple(row for one in names for row in load_rows(cast("SetName", one), cast("Split", split)))


@dataclass
class KeptArtifacts:
    """Takes the place of a trace store for one answer."""

    artifacts: list[Artifact] = field(default_factory=list)

    def add(self, artifacts: Sequence[Artifact]) -> None:
        """Keep one session's artifacts."""
        self.artifacts = list(artifacts)

    def close(self) -> None:
        """Nothing to close."""


@dataclass(frozen=True)
class Scored:
    """A set's answers under each system.

    Attributes:
        rows: those that every system answered in every replay, in order.
        records, scores: by system, then replay, in the order of `rows`.
    """

    rows: tuple[LabelledRow, ...]
    records: Mapping[str, list[list[AnswerRecord]]]
    scores: Mapping[str, list[list[RowScores]]]
    run: Run[AnswerRecord]

    def only(self, keep: Callable[[LabelledRow], bool]) -> Scored:
        """The same over some of the rows."""
        at = [number for number, row in enumerate(self.rows) if keep(row)]

        def pick(replays: list[list[Any]]) -> list[list[Any]]:
            return [[answers[number] for number in at] for answers in replays]

        return Scored(
            tuple(self.rows[number] for number in at),
            {name: pick(replays) for name, replays in self.records.items()},
            {name: pick(replays) for name, replays in self.scores.items()},
            self.run,
        )


def answer_rows(scored: Scored) -> tuple[dict[str, Any], ...]:
    """A line an answer: system, replay and scores, without the request's words."""
    return tuple(
        {"system": name, "replay": replay, **scores.model_dump(mode="json")}
        for name, replays in scored.scores.items()
        for replay, run in enumerate(replays)
        for scores in run
    )


class LabelledRun:
    """One set over one catalog."""

    def __init__(self, rows: Sequence[LabelledRow], index: CatalogIndex, setup: Setup) -> None:
        self._rows = {row.qid: row for row in rows}
        self._index = index
        self._setup = setup

    def scored(self, systems: Mapping[str, System]) -> Scored:
        """Ask every row of every system, and score."""
        setup = self._setup
        settings = {name: system.settings for name, system in systems.items()}
        texts = {qid: hashlib.sha256(row.request.encode()).hexdigest() for qid, row in self._rows.items()}
        programs = {name: system.name for name, system in systems.items()}
        tasks = setup.tasks(settings, texts, dict.fromkeys(texts, self._index.info.content_hash), programs=programs)
        with setup.store() as store:
            patience = setup.patience
            asker = _Asker(
                self._rows, self._index, systems,
                lambda replay, tally: replayed(replay, setup.temperature, store, tally, patience),
            )  # fmt: skip
            run = setup.run("labelled", AnswerRecord, tasks, asker)
        qids = run.whole(tuple(systems), tuple(self._rows), setup.runs)
        rows = tuple(self._rows[qid] for qid in qids)
        judge = Judge(self._index)
        records = {name: run.of(name, qids, setup.runs) for name in systems}
        scores = {
            name: [[judge.score(row, record) for row, record in zip(rows, answers, strict=True)] for answers in replays]
            for name, replays in records.items()
        }
        return Scored(rows, records, scores, run)

    def asking(self, name: str, split: str, requests: int, excluded: Mapping[str, Sequence[str]] | None = None) -> Asking:
        """What was asked, for a table's record."""
        info = self._index.info
        return Asking(name, split, requests, info.content_hash[:16], info.tracks, excluded or {})


@dataclass
class _Desk:
    """What one thread answers with; nothing of it is shared."""

    kept: KeptArtifacts = field(default_factory=KeptArtifacts)
    tally: Tally = field(default_factory=Tally)
    made: dict[tuple[str, int], dspy.Module] = field(default_factory=dict)


class _Asker:
    """Answers one task with its system's program, which is made once a system, replay and thread."""

    def __init__(
        self,
        rows: Mapping[str, LabelledRow],
        index: CatalogIndex,
        systems: Mapping[str, System],
        resolver: Callable[[int, Tally], Resolver],
    ) -> None:
        self._rows, self._index, self._systems, self._resolver = rows, index, systems, resolver
        self._own = threading.local()

    def __call__(self, task: Task) -> AnswerRecord:
        desk = self._desk()
        program = self._program(desk, task.variant, task.replay)
        desk.tally.clear()
        desk.kept.artifacts = []
        prediction = program(request=self._rows[task.qid].request)
        record = record_of(prediction, desk.kept.artifacts, self._index, asked_on=datetime.date.today().isoformat())
        if not record.usage.calls:
            return record
        usage = record.usage.model_copy(update={"cost_usd": desk.tally.cost_usd})
        return record.model_copy(
            update={"usage": usage, "remembered": desk.tally.remembered, "waited_s": desk.tally.waited_s}
        )  # fmt: skip

    def _desk(self) -> _Desk:
        if not hasattr(self._own, "desk"):
            self._own.desk = _Desk()
        desk: _Desk = self._own.desk
        return desk

    def _program(self, desk: _Desk, variant: str, replay: int) -> dspy.Module:
        if (variant, replay) not in desk.made:
            system, resolver = self._systems[variant], self._resolver(replay, desk.tally)
            store = cast(TraceStore, desk.kept)
            desk.made[variant, replay] = system.make(self._index, system.settings, store, resolver)
        return desk.made[variant, replay]
