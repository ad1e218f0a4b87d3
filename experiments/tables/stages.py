"""The two stages of PLAN on the same requests with the same backbone: one call, against a loop that may look first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from experiments.figures import shares
from experiments.labelled_run import LabelledRun, Scored, System, answer_rows, rows_of
from experiments.report import Block, Cell, Column, Line, Table
from experiments.scores import MEASURES
from experiments.tables.base import Setup, about
from experiments.tables.parts import known_times, measures_block
from experiments.variants import variant
from optimizers.records import AnswerRecord
from program.index.protocol import CatalogIndex
from program.settings import Settings

NAME = "stages"
ONE, LOOP = "one", "plan_loop"
WORDS = {ONE: "one call", LOOP: "a loop of at most three steps"}
PLAN_CODES = ("plan_limit", "plan_invalid", "plan_contradiction")
_MEASURES = ("success_at_n", "ndcg_at_20", "plan_valid", "first_try", "collapse", "crashed")
_COMPARED = ("success_at_n", "ndcg_at_20", "plan_valid", "first_try")
NOTES = (
    "Both stages have the same requests, backbone and budget a request. PLAN asks its model only where there is something to"
    " choose; elsewhere, and without a model, both stages are code's own routes and the answers are the same.",
    "A loop that does not end well (no routes within its steps, a reply that is no choice, the same probe again, only routes that"
    " were seen to find nothing) gives way to code's routes; the fallbacks say how often.",
    "The model is always asked: nothing is taken from a cache, so the times are its own. A repeated command goes on with"
    " the answers that are there.",
)
_Value = Callable[[AnswerRecord], float]


def stage_settings(settings: Settings) -> dict[str, Settings]:
    """Stage → the settings with it, whatever stage was given."""
    one = settings.model_copy(update={"plan": settings.plan.model_copy(update={"stage": "one"})})
    return {ONE: one, LOOP: variant(LOOP, settings)}


class StagesTable:
    """Asks a set under both stages."""

    def __init__(self, name: str, split: str, index: CatalogIndex, setup: Setup) -> None:
        self._name, self._split, self._setup = name, split, replace(setup, remembered=None)
        self._run = LabelledRun(rows_of(name, split), index, self._setup)
        self._index = index

    def table(self) -> Table:
        """Ask and reckon."""
        self._index.embed("music")  # the first query would pay for loading the model
        settings = stage_settings(self._setup.settings)
        scored = self._run.scored({name: System(one) for name, one in settings.items()})
        asked = _asked_of(scored)
        planned = scored.only(lambda row: row.qid in asked)
        blocks = [
            measures_block("Scores", scored, _MEASURES, WORDS, self._setup.drawn, plotted="success_at_n"),
            self._paired("The loop minus one call", scored),
            self._spent("Spent a request", scored),
            self._fallbacks(scored),
        ]
        if planned.rows:
            blocks.insert(2, self._paired("… of the requests for which PLAN asks its model", planned))
            blocks.insert(4, self._spent("… of the requests for which PLAN asks its model", planned))
        return Table(
            name=NAME, title=f"Two stages of PLAN ({self._name}, {self._split})", blocks=tuple(blocks), notes=NOTES,
            details={"planned": [row.qid for row in planned.rows]}, answers=answer_rows(scored),
            about=about(self._setup, self._run.asking(self._name, self._split, len(scored.rows)), settings, scored.run),
        )  # fmt: skip

    def _paired(self, title: str, scored: Scored) -> Block:
        columns = (
            Column(key="difference", head="difference (points)", unit="points"), Column(key="p", head="McNemar p", unit="p"),
            Column(key="n", head="requests", unit="count"),
        )  # fmt: skip
        lines = []
        for name in _COMPARED:
            found = MEASURES[name].difference(scored.scores[LOOP], scored.scores[ONE], self._setup.drawn)
            lines.append(Line(name=name, cells={"difference": found, "p": found.p, "n": found.n}))
        return Block(title=title, first="measure", columns=columns, lines=tuple(lines))

    def _spent(self, title: str, scored: Scored) -> Block:
        columns = tuple(Column(key=key, head=head, unit="count") for key, head in (
            (ONE, WORDS[ONE]), (LOOP, WORDS[LOOP]), ("difference", "loop minus one"),
        ))  # fmt: skip
        lines = [
            self._line("LM calls", scored, _calls),
            self._line("… of PLAN", scored, _plan_calls),
            self._line("tokens", scored, _tokens),
        ]
        if self._setup.backbone != "none":  # without an LM the times are noise, and a table is to repeat
            lines.append(self._times(scored))
        return Block(title=title, first="mean", columns=columns, lines=tuple(lines))

    def _line(self, name: str, scored: Scored, value: _Value) -> Line:
        blocks = {one: shares([[value(record) for record in run] for run in scored.records[one]]) for one in WORDS}
        drawn = self._setup.drawn
        cells: dict[str, Cell] = {one: drawn.figure(block) for one, block in blocks.items()}
        return Line(name=name, cells=cells | {"difference": drawn.difference(blocks[LOOP], blocks[ONE])})

    def _times(self, scored: Scored) -> Line:
        """P50 of each stage, and the median of the paired differences."""
        drawn, records = self._setup.drawn, scored.records
        cells: dict[str, Cell] = {one: drawn.quantile(known_times(records[one], "total"), 0.5) for one in WORDS}
        return Line(name="P50 (ms); median difference", cells=cells | {"difference": drawn.quantile(_gaps(records), 0.5)})

    def _fallbacks(self, scored: Scored) -> Block:
        """Share of answers with each code, of both stages."""
        seen = {fault.code for one in WORDS for run in scored.records[one] for record in run for fault in record.fallbacks}
        columns = (
            *(Column(key=one, head=f"{words} (%)", unit="share") for one, words in WORDS.items()),
            Column(key="difference", head="loop minus one (points)", unit="points"),
        )  # fmt: skip
        lines = [self._fallback(code, scored) for code in (*PLAN_CODES, *sorted(seen - set(PLAN_CODES)))]
        return Block(title="Answers with a fallback, by its code", first="code", columns=columns, lines=tuple(lines))

    def _fallback(self, code: str, scored: Scored) -> Line:
        def has(record: AnswerRecord) -> float:
            return float(any(fault.code == code for fault in record.fallbacks))

        return self._line(code, scored, has)


def _asked_of(scored: Scored) -> frozenset[str]:
    """The qids for which PLAN asked its model in any run of either stage."""
    runs = [run for one in WORDS for run in scored.records[one]]
    return frozenset(row.qid for at, row in enumerate(scored.rows) if any(_plan_calls(run[at]) for run in runs))


def _gaps(records: Mapping[str, Sequence[Sequence[AnswerRecord]]]) -> list[list[float]]:
    """Milliseconds that the loop took more, of requests whose both answers were timed."""
    return [
        [more.timings_ms["total"] - less.timings_ms["total"] for less, more in zip(one, loop, strict=True) if _timed(less, more)]
        for one, loop in zip(records[ONE], records[LOOP], strict=True)
    ]


def _timed(*records: AnswerRecord) -> bool:
    return all("total" in one.timings_ms and not one.remembered and not one.waited_s for one in records)


def _calls(record: AnswerRecord) -> float:
    return float(record.usage.calls)


def _plan_calls(record: AnswerRecord) -> float:
    return float(record.by_node["plan"].calls) if "plan" in record.by_node else 0.0


def _tokens(record: AnswerRecord) -> float:
    return float(record.usage.prompt_tokens + record.usage.completion_tokens)
