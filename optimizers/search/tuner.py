"""One optimizer run: cases, the baseline first, a recipe for each node in turn, the choice on dev, all within one purse."""

from __future__ import annotations

import contextlib
import io
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import dspy

from data.contracts import NodeName
from data.errors import InputError, LMUnavailableError
from data.labelled import LabelledRow
from optimizers.judge import Judge
from optimizers.nodes.cases import Case, code_resources, collect
from optimizers.nodes.labels import Label, Labeller
from optimizers.nodes.scoring import Scorer
from optimizers.recipes.base import GOOD, Job, Recipe
from optimizers.search.board import Board, Proposal
from optimizers.search.purse import Outage, Purse, Stop, Unpriced
from optimizers.search.student import Bench, Student
from program.bundle.state import NodeText, ProgramState
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone
from program.lm.embedded import CONTEXT_TOKENS
from program.settings import Settings
from program.state import Resources

_FEWEST_TRAIN, _MOST_TRAIN = 12, 60
"""Train cases of a node; no more than half its calls, for making them takes time."""
_DEV_SHARE = 0.15
_FEWEST_DEV, _MOST_DEV, _USUAL_DEV = 4, 40, 24
_SEARCH_SHARE = 0.65
"""Of what the baseline leaves; the rest judges finalists that the recipe had no time for."""
_FINALISTS = 4
_HOSTED_CONTEXT = 16_000
_BAR = re.compile(r"\d+%\||\d\w*/s\b|\?\w*/s\b|s/\w+\]")
"""What tqdm draws."""


@dataclass(frozen=True)
class Plan:
    """What a run is asked to do.

    Attributes:
        start: where nodes begin; nodes that it does not name begin with their signature.
        patience: proposals in a row without a better one, after which a node's search ends.
    """

    recipe: Recipe
    nodes: tuple[NodeName, ...]
    train: Sequence[LabelledRow]
    dev: Sequence[LabelledRow]
    settings: Settings
    seed: int = 0
    patience: int = 8
    start: ProgramState | None = None


@dataclass(frozen=True)
class Models:
    """The LMs, each already around the purse. teacher: None where the student teaches itself."""

    student: Backbone
    reflection: Backbone
    teacher: Backbone | None = None


@dataclass
class NodeRun:
    """One node's part of a run.

    Attributes:
        ended: why the search ended, in words. labels: right replies that were found, where a recipe asked for them.
    """

    node: NodeName
    board: Board
    train: list[Case]
    dev: list[Case]
    ended: str = ""
    labels: int = 0

    @property
    def start(self) -> Proposal | None:
        """The text that it began with; None before its first score."""
        return next(iter(self.board.proposals.values()), None)

    @property
    def best(self) -> Proposal | None:
        """The best text on dev; the start where nothing is better."""
        return self.board.best()

    @property
    def improved(self) -> bool:
        """Whether there is something better than the start."""
        return self.best is not None and self.best is not self.start


class Tuner:
    """Runs a plan.

    Args:
        models: their calls go through `purse`.
        watch: is told of every score; `finished`: of every node that is done, also of one that was broken off.
    """

    def __init__(
        self,
        plan: Plan,
        index: CatalogIndex,
        models: Models,
        purse: Purse,
        *,
        watch: Callable[[NodeName, Board], None] = lambda node, board: None,
        finished: Callable[[NodeRun], None] = lambda run: None,
        stage: Callable[[str, int, int], None] = lambda name, done, total: None,
    ) -> None:
        self._plan, self._index, self._models, self._purse = plan, index, models, purse
        self._watch, self._finished, self._stage = watch, finished, stage
        code = code_resources(index, plan.settings)
        self._code = code
        self._scorer = Scorer(Judge(index), code)
        self._labeller = Labeller(self._scorer, code)

    def run(self) -> list[NodeRun]:
        """Tune every node that has cases.

        Raises:
            InputError: no node has cases in both splits, or a limit in money cannot be kept.
            LMUnavailableError: an LM does not answer; what was found before is with `finished`.
        """
        train, dev = self._cases()
        nodes = [node for node in self._plan.nodes if train[node] and dev[node]]
        if not nodes:
            raise InputError("no language model is asked about any of these rows", hint="give more rows, or other nodes")
        done = []
        for number, node in enumerate(nodes):
            board = Board(
                node, [case.case_id for case in dev[node]], patience=self._plan.patience,
                watch=lambda board, node=node: self._watch(node, board),  # type: ignore[misc]
            )  # fmt: skip
            run = NodeRun(node, board, train[node], dev[node])
            done.append(run)
            try:
                with self._purse.capped(1 / (len(nodes) - number)):
                    self._tune(run)
            except Outage as outage:
                run.ended = outage.reason
                raise LMUnavailableError(outage.reason, hint="the same command goes on where it stopped") from outage
            except Unpriced as unpriced:
                raise InputError(unpriced.reason, hint="use --max-calls") from unpriced
            finally:
                self._finished(run)
        return done

    def _cases(self) -> tuple[dict[NodeName, list[Case]], dict[NodeName, list[Case]]]:
        """Train and dev cases in the order of the seed; of dev as many as the budget can judge by."""
        plan = self._plan
        found = []
        for name, rows, enough in (("train", plan.train, self._train_size()), ("dev", plan.dev, self._dev_size())):
            drawn = list(rows)
            random.Random(plan.seed).shuffle(drawn)
            found.append(collect(drawn, self._code, plan.nodes, enough=enough, progress=self._rows(name, len(drawn))))
        return found[0], found[1]

    def _rows(self, split: str, total: int) -> Callable[[int], None]:
        return lambda done: self._stage(f"{split} cases, row", done, total)

    def _train_size(self) -> int:
        calls = self._purse.limits.calls
        return _MOST_TRAIN if calls is None else max(_FEWEST_TRAIN, min(_MOST_TRAIN, calls // (2 * len(self._plan.nodes))))

    def _dev_size(self) -> int:
        calls = self._purse.limits.calls
        if calls is None:
            return _USUAL_DEV
        return max(_FEWEST_DEV, min(_MOST_DEV, int(_DEV_SHARE * calls / len(self._plan.nodes))))

    def _tune(self, run: NodeRun) -> None:
        student = self._student(run)
        dev = list(run.board.dev)
        with _quiet(self._models.student.lm):
            try:
                student.mean(dev)
            except Stop as stop:
                self._end(run, stop, "before the baseline was known: ")
                return
            try:
                with self._purse.capped(_SEARCH_SHARE):
                    run.board.searching = True
                    self._search(run, student)
            except Stop as stop:
                self._end(run, stop)
            run.board.searching = False
            self._judge(run, student)

    def _search(self, run: NodeRun, student: Student) -> None:
        for state in self._plan.recipe.propose(self._job(run, student)):
            student.with_state(state).mean(run.board.dev)
        run.ended = "the recipe came to its end"

    def _judge(self, run: NodeRun, student: Student) -> None:
        """Judge what was promising on the cases it was asked, on all dev cases."""
        for proposal in run.board.finalists(_FINALISTS):
            try:
                student.with_state(proposal.state).mean(run.board.dev)
            except Stop as stop:
                if isinstance(stop, Outage | Unpriced):
                    raise
                return

    @staticmethod
    def _end(run: NodeRun, stop: Stop, before: str = "") -> None:
        if isinstance(stop, Outage | Unpriced):
            raise stop
        run.ended = before + stop.reason

    def _student(self, run: NodeRun) -> Student:
        backbone = self._models.student
        made = Student(self._bench(run, backbone, run.board))
        start = (self._plan.start or {}).get(run.node)
        made.predictor().lm = backbone.lm
        return made.with_state(start) if start is not None else made

    def _bench(self, run: NodeRun, backbone: Backbone, board: Board) -> Bench:
        resources = Resources(self._index, self._plan.settings, {run.node: backbone}, self._code.clock)
        return Bench(run.node, {case.case_id: case for case in (*run.train, *run.dev)}, resources, self._scorer, board)

    def _teacher(self, run: NodeRun, student: Student) -> Student:
        """The student's text on the teacher's LM; its scores are its own."""
        backbone = self._models.teacher
        if backbone is None:
            return student
        board = Board(run.node, run.board.dev, patience=self._plan.patience)
        teacher = Student(self._bench(run, backbone, board)).with_state(student.state())
        teacher.predictor().lm = backbone.lm
        return teacher

    def _job(self, run: NodeRun, student: Student) -> Job:
        reflection = self._models.reflection
        assert reflection.lm is not None
        return Job(
            student=student, train=run.train, dev=run.dev, labels=lambda most: self._labels(run, most),
            teacher=self._teacher(run, student), reflection=reflection.lm, seed=self._plan.seed, calls=self._purse.calls_left,
            context_tokens=CONTEXT_TOKENS if reflection.embedded else _HOSTED_CONTEXT,
        )  # fmt: skip

    def _labels(self, run: NodeRun, most: int) -> list[Label]:
        """Right replies to the train cases with the shortest prompts."""
        found: list[Label] = []
        by_length = sorted(run.train, key=lambda case: sum(len(str(value)) for value in case.inputs.values()))
        for number, case in enumerate(by_length):
            if len(found) >= most:
                break
            self._purse.check()
            self._stage(f"{run.node}: labelled replies, case", number, len(by_length))
            label = self._labeller.label(case)
            if label is not None and label.score.score >= GOOD:
                found.append(label)
        run.labels = len(found)
        return found


@contextlib.contextmanager
def _quiet(lm: dspy.BaseLM | None) -> Iterator[None]:
    """DSPy's optimizers print to stdout, which is for results, and draw bars; the run tells its own progress on stderr."""
    told = sys.stderr
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(_Filter(told)),
        warnings.catch_warnings(action="ignore"),
        dspy.context(lm=lm, adapter=dspy.JSONAdapter(), max_errors=10**9, num_threads=1, disable_history=True),
    ):
        yield


class _Filter(io.TextIOBase):
    """Lets through what the command line says, and drops progress bars of others."""

    def __init__(self, told: io.TextIOBase | object) -> None:
        self._told = told

    def write(self, text: str) -> int:
        """Drop what tqdm draws."""
        if not _BAR.search(text):
            self._told.write(text)  # type: ignore[union-attr]
        return len(text)

    def flush(self) -> None:
        """Pass it on."""
        self._told.flush()  # type: ignore[union-attr]

    def isatty(self) -> bool:
        """As the stream behind."""
        return bool(self._told.isatty())  # type: ignore[union-attr]


def with_texts(states: Sequence[NodeRun]) -> dict[NodeName, NodeText]:
    """The best text of every node that has one."""
    return {run.node: run.best.state for run in states if run.best is not None}
