"""Tables 3 and 4: sessions in which a retry was triggered, and every request with retry and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import get_args

import numpy as np

from data.labelled import RetryAction
from experiments.figures import Difference, Figure, known_shares, shares
from experiments.labelled_run import LabelledRun, Scored, System, answer_rows, rows_of
from experiments.report import PAPER, PAPER_NOTE, Block, Cell, Column, Line, Table, Unit
from experiments.scores import MEASURES
from experiments.tables import paper
from experiments.tables.base import Setup, about
from experiments.tables.parts import known_times
from optimizers.metrics import RowScores
from optimizers.records import AnswerRecord
from program.index.protocol import CatalogIndex

NAME = "retry"
ON, OFF = "full", "no_retry"
NOTES = (
    "Recovered: the last verdict of a triggered session is to proceed; that speaks of the process, not of what the listener gets."
    " Preserved: of those, every core condition of the label holds for at least 80 % of the returned tracks, where it has any.",
    "Disclosed: every condition that the last plan searched otherwise than it was asked stands in the answer's ledger, read off"
    " the plan. The sets over-sample hard requests: the trigger rate is a property of the set, not of traffic.",
    PAPER_NOTE,
)
_Value = Callable[[RowScores], float | bool | None]


def _when(is_so: Callable[[RowScores], bool], value: _Value) -> _Value:
    return lambda scores: value(scores) if is_so(scores) else None


def _relaxed(scores: RowScores) -> bool:
    return scores.retried == "retry_relaxed"


def _rewrote(scores: RowScores) -> bool:
    return scores.retried == "retry_rewrite"


def _lost(scores: RowScores) -> bool | None:
    return None if scores.preserved is None else not scores.preserved


_TRIGGERED: tuple[tuple[str, str, _Value], ...] = (
    ("a gate failed in the first round", "", lambda s: s.thin),
    ("a retry was triggered", "trigger", lambda s: s.triggered),
    ("… nothing could be loosened, fallback at once", "", _when(lambda s: s.thin, lambda s: s.unrepaired)),
    ("of triggered: relaxed first", "relaxed", _when(lambda s: s.triggered, _relaxed)),
    ("of triggered: rewrote first", "rewrite", _when(lambda s: s.triggered, _rewrote)),
    ("of triggered: recovered", "recovery", lambda s: s.recovered),
    ("of relaxed: recovered", "recovery_relaxed", _when(_relaxed, lambda s: s.recovered)),
    ("of rewritten: recovered", "recovery_rewrite", _when(_rewrote, lambda s: s.recovered)),
    ("of triggered: rounds spent", "exhausted", lambda s: None if s.recovered is None else not s.recovered),
    ("of recovered: core preserved", "preservation", lambda s: s.preserved),
    ("of recovered by relaxing: core lost", "degraded_relaxed", _when(_relaxed, _lost)),
    ("of recovered by rewriting: core lost", "degraded_rewrite", _when(_rewrote, _lost)),
    ("of triggered: recovered with the core", "intent_preserving",
     lambda s: None if s.recovered is None else bool(s.recovered and s.preserved is not False)),
    ("of triggered: enough good tracks", "", _when(lambda s: s.triggered, lambda s: s.success)),
    ("what was done is accepted by the label", "", lambda s: s.action_right),
)  # fmt: skip


class RetryTable:
    """Asks a set with retry and without."""

    def __init__(self, name: str, split: str, index: CatalogIndex, setup: Setup) -> None:
        self._name, self._split, self._setup = name, split, setup
        self._run = LabelledRun(rows_of(name, split), index, setup)

    def table(self) -> Table:
        """Ask and reckon."""
        variants = self._setup.variants((ON, OFF))
        scored = self._run.scored({name: System(settings) for name, settings in variants.items()})
        blocks = [self._triggered(scored), self._disclosure(scored), self._paired(scored), _actions(scored, self._setup.runs)]
        if self._setup.backbone != "none":
            blocks.append(self._times(scored))
        return Table(
            name=NAME, title=f"Tables 3 and 4: reflective retry ({self._name}, {self._split})", blocks=tuple(blocks), notes=NOTES,
            details={"triggered": _triggered_rows(scored)},
            answers=answer_rows(scored),
            about=about(
                self._setup, self._run.asking(self._name, self._split, len(scored.rows)), variants, scored.run
            ),
        )  # fmt: skip

    def _triggered(self, scored: Scored) -> Block:
        columns = (
            Column(key="share", head="share (%)", unit="share"), Column(key="n", head="requests", unit="count"),
            Column(key=PAPER, head="paper (%)", unit="share"),
        )  # fmt: skip
        lines = []
        for words, told, value in _TRIGGERED:
            found = self._setup.drawn.figure(known_shares([[value(one) for one in run] for run in scored.scores[ON]]))
            lines.append(Line(name=words, cells={"share": found, "n": found.n, PAPER: paper.TRIGGERED.get(told)}))
        return Block(title="Table 3: sessions with a retry", first="share", columns=columns, lines=tuple(lines), plotted="share")

    def _disclosure(self, scored: Scored) -> Block:
        everything = [one for run in scored.scores[ON] for one in run]
        changes, told = sum(one.changes for one in everything), sum(one.disclosed for one in everything)
        cells: dict[str, Cell] = {
            "disclosed": MEASURES["disclosure"].figure(scored.scores[ON], self._setup.drawn), "changes": changes,
            "undisclosed": changes - told,
        }  # fmt: skip
        columns = (
            Column(key="disclosed", head="disclosed (%)", unit="share"), Column(key="changes", head="changes", unit="count"),
            Column(key="undisclosed", head="undisclosed", unit="count"),
        )  # fmt: skip
        return Block(title="Disclosure", first="", columns=columns, lines=(Line(name="all runs", cells=cells),))

    def _paired(self, scored: Scored) -> Block:
        units: dict[str, Unit] = {name: "share" for name in ("success_at_n", "ndcg_at_20", "collapse")}
        lines = [
            self._pair("tracks returned", scored, _tracks, paper.RETRY_TRACKS),
            self._pair("candidates in the last round", scored, _candidates, (None, None)),
            self._helped(scored),
        ]
        for name in units:
            on, off = scored.scores[ON], scored.scores[OFF]
            measure, drawn = MEASURES[name], self._setup.drawn
            found = measure.difference(on, off, drawn)
            lines.append(_percent(Line(name=f"{name} (%)", cells={
                "on": measure.figure(on, drawn), "off": measure.figure(off, drawn), "difference": found, "p": found.p,
            })))  # fmt: skip
        columns = (
            Column(key="on", head="with retry", unit="count"), Column(key="off", head="without", unit="count"),
            Column(key="difference", head="difference", unit="count"), Column(key="p", head="McNemar p", unit="p"),
            Column(key="paper_on", head="paper with", unit="count"), Column(key="paper_off", head="paper without", unit="count"),
        )  # fmt: skip
        return Block(title="Table 4: every request with retry and without", first="quantity", columns=columns, lines=tuple(lines))

    def _pair(
        self, name: str, scored: Scored, value: Callable[[AnswerRecord], float], told: tuple[float | None, float | None]
    ) -> Line:
        on, off = (shares([[value(one) for one in run] for run in scored.records[which]]) for which in (ON, OFF))
        drawn = self._setup.drawn
        cells: dict[str, Cell] = {
            "on": drawn.figure(on), "off": drawn.figure(off), "difference": drawn.difference(on, off),
            "paper_on": told[0], "paper_off": told[1],
        }  # fmt: skip
        return Line(name=name, cells=cells)

    def _helped(self, scored: Scored) -> Line:
        """Candidates more, over the requests that have more with retry."""
        gains = np.mean([[_candidates(one) for one in run] for run in scored.records[ON]], axis=0)
        gains = gains - np.mean([[_candidates(one) for one in run] for run in scored.records[OFF]], axis=0)
        helped = [[float(gain) if gain > 0 else None for gain in gains]]
        found: Figure = self._setup.drawn.figure(known_shares(helped))
        return Line(
            name="candidates more, where retry brings more",
            cells={"difference": found, "paper_on": f"+{paper.RETRY_CANDIDATES:g}"},
        )

    def _times(self, scored: Scored) -> Block:
        columns = (
            Column(key="on", head="with retry (ms)", unit="ms"), Column(key="off", head="without (ms)", unit="ms"),
            Column(key="paper_on", head="paper with (ms)", unit="ms"),
            Column(key="paper_off", head="paper without (ms)", unit="ms"),
        )  # fmt: skip
        lines = []
        for name, level, told in (("P50", 0.5, paper.RETRY_P50_MS), ("P99", 0.99, paper.RETRY_P99_MS)):
            on, off = (self._setup.drawn.quantile(known_times(scored.records[which], "total"), level) for which in (ON, OFF))
            lines.append(Line(name=name, cells={"on": on, "off": off, "paper_on": told[0], "paper_off": told[1]}))
        return Block(title="Time of a whole answer", first="quantile", columns=columns, lines=tuple(lines))


def _percent(line: Line) -> Line:
    """Shares in a block of counts, as percent."""
    return Line(name=line.name, cells={key: _times_hundred(cell) if key != "p" else cell for key, cell in line.cells.items()})


def _times_hundred(cell: Cell) -> Cell:
    if not isinstance(cell, Figure):
        return cell
    numbers = {name: getattr(cell, name) for name in ("value", "lo", "hi", "sd")}
    scaled = {name: None if number is None else round(100 * number, 6) for name, number in numbers.items()}
    kind = Difference if isinstance(cell, Difference) else Figure
    return kind.model_validate(cell.model_dump() | scaled)


def _tracks(record: AnswerRecord) -> float:
    return float(len(record.tracks))


def _candidates(record: AnswerRecord) -> float:
    return float(record.rounds[-1].merged) if record.rounds else 0.0


def _actions(scored: Scored, runs: int) -> Block:
    """The best action by the label, against what was done."""
    taken: Counter[tuple[str, str]] = Counter()
    for run in scored.scores[ON]:
        for row, one in zip(scored.rows, run, strict=True):
            taken[row.retry[0], one.action] += 1
    done = [name for name in (*get_args(RetryAction), "crashed") if any(action == name for _, action in taken)]
    lines = [
        Line(name=best, cells={action: taken[best, action] / runs for action in done})
        for best in get_args(RetryAction)
        if any(label == best for label, _ in taken)
    ]
    columns = tuple(Column(key=action, head=action, unit="count") for action in done)
    return Block(
        title="Requests by the label's best action and by what was done", first="best", columns=columns, lines=tuple(lines)
    )


def _triggered_rows(scored: Scored) -> dict[str, list[str | bool | None]]:
    """Qid → first repair, recovered, preserved, of the first run."""
    first: Sequence[RowScores] = scored.scores[ON][0] if scored.scores[ON] else ()
    return {one.qid: [one.retried, one.recovered, one.preserved] for one in first if one.triggered}
