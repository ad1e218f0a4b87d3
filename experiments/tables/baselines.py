"""Melo beside simpler systems: the same tools, requests and backbone, and the same budget a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from experiments.figures import shares
from experiments.labelled_run import LabelledRun, Maker, Resolver, Scored, System, answer_rows, melo, rows_of
from experiments.report import Block, Cell, Column, Line, Table
from experiments.scores import MEASURES
from experiments.tables.base import Setup, about
from experiments.tables.parts import known_times, measures_block
from optimizers.records import AnswerRecord
from program.baselines.base import Baseline
from program.baselines.monolith import Monolith
from program.baselines.popular import PopularList
from program.baselines.react import ReactLoop
from program.baselines.router import Router
from program.index.protocol import CatalogIndex
from program.settings import Settings
from program.trust.store import TraceStore

NAME = "baselines"
MELO = "melo"
SYSTEMS: dict[str, tuple[str, type[Baseline] | None, bool]] = {
    MELO: ("Melo", None, False),
    "router": ("single-step router", Router, False),
    "monolith": ("one-call monolith", Monolith, True),
    "react": ("ReAct loop", ReactLoop, True),
    "popular": ("popular list", PopularList, False),
}
"""Name → words, class, and whether it is nothing without an LM."""
_MEASURES = (
    "success_at_n", "ndcg_at_20", "collapse", "misidentified", "abstention", "ambiguity_right", "plan_valid", "hallucinated",
    "crashed",
)  # fmt: skip
_COMPARED = ("success_at_n", "ndcg_at_20", "collapse", "misidentified")
NOTES = (
    "Every system has the same tools, requests, backbone and budget a request (LM calls, tokens, seconds). The compared ones take"
    " names to the first search hit; facet words are read for them by Melo's own code. A list of popular tracks is the floor:"
    " scenes have wide rules.",
    "Without a language model the monolith and the ReAct loop are nothing and are left out; the router then takes names from"
    " where names stand in a request.",
)


class BaselinesTable:
    """Asks a set of every system."""

    def __init__(self, name: str, split: str, index: CatalogIndex, setup: Setup) -> None:
        self._name, self._split, self._setup = name, split, setup
        self._run = LabelledRun(rows_of(name, split), index, setup)
        self._words = {
            system: words for system, (words, _, needs_lm) in SYSTEMS.items() if setup.backbone != "none" or not needs_lm
        }

    def table(self) -> Table:
        """Ask and reckon."""
        settings = self._setup.settings
        scored = self._run.scored({name: System(settings, _maker(name), name) for name in self._words})
        blocks = (
            measures_block("Scores", scored, _MEASURES, self._words, self._setup.drawn, plotted="ndcg_at_20"),
            self._ahead(scored),
            self._cost(scored),
        )
        return Table(
            name=NAME, title=f"Melo beside simpler systems ({self._name}, {self._split})", blocks=blocks, notes=NOTES,
            answers=answer_rows(scored),
            about=about(
                self._setup, self._run.asking(self._name, self._split, len(scored.rows)), {"all": settings}, scored.run
            ),
        )  # fmt: skip

    def _ahead(self, scored: Scored) -> Block:
        """Melo minus each, paired."""
        columns = []
        for name in _COMPARED:
            columns += [Column(key=name, head=f"{name} (points)", unit="points"), Column(key=f"{name}_p", head="p", unit="p")]
        lines = []
        for other, words in self._words.items():
            if other == MELO:
                continue
            cells: dict[str, Cell] = {}
            for name in _COMPARED:
                found = MEASURES[name].difference(scored.scores[MELO], scored.scores[other], self._setup.drawn)
                cells |= {name: found, f"{name}_p": found.p}
            lines.append(Line(name=f"Melo − {words}", cells=cells))
        return Block(title="Melo against each", first="pair", columns=tuple(columns), lines=tuple(lines))

    def _cost(self, scored: Scored) -> Block:
        columns = [Column(key="calls", head="LM calls", unit="count"), Column(key="tokens", head="tokens", unit="count")]
        if self._setup.backbone != "none":  # without an LM the times are noise, and a table is to repeat
            columns.append(Column(key="p50", head="P50 (ms)", unit="ms"))
        lines = []
        for name, words in self._words.items():
            records = scored.records[name]
            cells: dict[str, Cell] = {"calls": self._mean(records, _calls), "tokens": self._mean(records, _all_tokens)}
            if self._setup.backbone != "none":
                cells["p50"] = self._setup.drawn.quantile(known_times(records, "total"), 0.5)
            lines.append(Line(name=words, cells=cells))
        return Block(title="Spent a request (mean)", first="system", columns=tuple(columns), lines=tuple(lines))

    def _mean(self, records: Sequence[Sequence[AnswerRecord]], value: Callable[[AnswerRecord], float]) -> Any:
        return self._setup.drawn.figure(shares([[value(one) for one in run] for run in records]))


def _calls(record: AnswerRecord) -> float:
    return float(record.usage.calls)


def _all_tokens(record: AnswerRecord) -> float:
    return float(record.usage.prompt_tokens + record.usage.completion_tokens)


def _maker(name: str) -> Maker:
    kind = SYSTEMS[name][1]
    if kind is None:
        return melo

    def made(index: CatalogIndex, settings: Settings, store: TraceStore, resolver: Resolver) -> Baseline:
        return kind(index, settings, store=store, backbones=resolver)

    return made
