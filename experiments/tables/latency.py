"""Table 5: how long each node takes, sessions with and without retry apart, and what each spends on LMs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from experiments.figures import Figure, shares
from experiments.labelled_run import LabelledRun, Scored, System, answer_rows, rows_of
from experiments.report import PAPER_NOTE, Block, Cell, Column, Line, Table
from experiments.tables import paper
from experiments.tables.base import Setup, about
from experiments.tables.parts import NODES, known_times
from optimizers.behaviour import retries_of
from optimizers.records import AnswerRecord
from program.index.protocol import CatalogIndex

NAME = "latency"
_FULL = "full"
NOTES = (
    "Wall time of each node, summed over its rounds; sessions that never reach a node do not count for it. Answers with a"
    " remembered LM call are left out. P99 is interpolated: with fewer than a hundred answers it is near the largest.",
    "The paper's times are of a hosted model on its own servers.",
    PAPER_NOTE,
)
_TIME_COLUMNS = (
    Column(key="p50", head="P50 (ms)", unit="ms"),
    Column(key="p99", head="P99 (ms)", unit="ms"),
    Column(key="n", head="answers", unit="count"),
    Column(key="paper_p50", head="paper P50 (ms)", unit="ms"),
    Column(key="paper_p99", head="paper P99 (ms)", unit="ms"),
)


class LatencyTable:
    """Asks a set under full defence and reads its clocks."""

    def __init__(self, name: str, split: str, index: CatalogIndex, setup: Setup) -> None:
        self._name, self._split, self._setup = name, split, setup
        self._run = LabelledRun(rows_of(name, split), index, setup)
        self._index = index

    def table(self) -> Table:
        """Ask and reckon."""
        self._index.embed("music")  # the first query would pay for loading the model
        variants = self._setup.variants((_FULL,))
        scored = self._run.scored({name: System(settings) for name, settings in variants.items()})
        records = scored.records[_FULL]
        blocks = [
            self._times("Table 5: sessions without retry", records, lambda record: not retries_of(record), _usual),
            self._times("Sessions with a retry", records, lambda record: bool(retries_of(record)), _triggered),
        ]
        if self._setup.backbone != "none":
            blocks.append(self._spent(records))
        return Table(
            name=NAME, title=f"Table 5: latency by node ({self._name}, {self._split})", blocks=tuple(blocks), notes=NOTES,
            details={"remembered": sum(bool(one.remembered) for run in records for one in run), "paths": _paths(scored)},
            answers=answer_rows(scored),
            about=about(
                self._setup, self._run.asking(self._name, self._split, len(scored.rows)), variants, scored.run
            ),
        )  # fmt: skip

    def _times(
        self,
        title: str,
        records: Sequence[Sequence[AnswerRecord]],
        keep: Callable[[AnswerRecord], bool],
        told: Callable[[str], tuple[float | None, float | None]],
    ) -> Block:
        drawn, lines = self._setup.drawn, []
        for node in NODES:
            times = known_times(records, node, keep)
            p50, p99 = drawn.quantile(times, 0.5), drawn.quantile(times, 0.99)
            cells: dict[str, Cell] = {"p50": p50, "p99": p99, "n": p50.n}
            cells |= dict(zip(("paper_p50", "paper_p99"), told(node), strict=True))
            lines.append(Line(name="end to end" if node == "total" else node.upper(), cells=cells))
        return Block(title=title, first="node", columns=_TIME_COLUMNS, lines=tuple(lines), plotted="p50")

    def _spent(self, records: Sequence[Sequence[AnswerRecord]]) -> Block:
        """LM calls and tokens of each node, a mean over all answers."""
        columns = [Column(key=name, head=words, unit="count") for name, words in _USAGE_WORDS.items()]
        columns.append(Column(key="cached", head="prompt cached (%)", unit="share"))
        lines = []
        for node in NODES[:-1]:
            if not any(node in record.by_node for run in records for record in run):
                continue
            cells: dict[str, Cell] = {name: self._mean(records, node, name) for name in _USAGE_WORDS}
            prompt, cached = (_sum(records, node, name) for name in ("prompt_tokens", "cached_tokens"))
            lines.append(Line(name=node.upper(), cells=cells | {"cached": cached / prompt if prompt else None}))
        return Block(title="Spent on LMs, a mean over all answers", first="node", columns=tuple(columns), lines=tuple(lines))

    def _mean(self, records: Sequence[Sequence[AnswerRecord]], node: str, name: str) -> Figure:
        values = [[_used(record, node, name) for record in run] for run in records]
        return self._setup.drawn.figure(shares(values))


_USAGE_WORDS = {"calls": "LM calls", "prompt_tokens": "prompt tokens", "completion_tokens": "reply tokens"}


def _used(record: AnswerRecord, node: str, name: str) -> float:
    usage = record.by_node.get(node)
    return float(getattr(usage, name)) if usage else 0.0


def _sum(records: Sequence[Sequence[AnswerRecord]], node: str, name: str) -> float:
    return sum(_used(record, node, name) for run in records for record in run)


def _usual(node: str) -> tuple[float | None, float | None]:
    return paper.LATENCY_MS[node]


def _triggered(node: str) -> tuple[float | None, float | None]:
    return (paper.REFLECT_TRIGGERED_P50_MS, None) if node == "reflect" else (None, None)


def _paths(scored: Scored) -> dict[str, int]:
    """How many answers took the shortcut, and how many asked an LM."""
    paths = [record.path for run in scored.records[_FULL] for record in run if not record.crashed]
    return {path: paths.count(path) for path in sorted(set(paths))}
