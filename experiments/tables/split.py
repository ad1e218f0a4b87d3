"""A fused monolith against the split: one call that picks, decides and words, beside nodes that do one thing each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from data.labelled import LabelledRow, Split
from experiments.claims import unsupported
from experiments.figures import Figure, shares
from experiments.labelled_run import LabelledRun, Maker, Resolver, Scored, System, answer_rows, melo, rows_of
from experiments.report import Block, Cell, Column, Line, Table
from experiments.scores import MEASURES
from experiments.selector import THRESHOLDS, operating_point
from experiments.tables.base import Setup, about
from experiments.tables.parts import known_times, measures_block
from optimizers.records import AnswerRecord
from program.baselines.fused import Fused
from program.index.protocol import CatalogIndex
from program.settings import Settings
from program.trust.store import TraceStore

NAME = "split"
EVERY = "every"
MELO, FUSED = "melo", "fused"
WORDS = {MELO: "Melo, split", FUSED: "fused monolith"}
CURVES = (
    ("Melo: REFLECT's match score", MELO, "reflect"),
    ("Melo: support of UNDERSTAND's evidence", MELO, "understand"),
    ("fused: its own word", FUSED, "synthesize"),
)
"""Words, system, and the node whose own confidence is swept."""
_MEASURES = ("success_at_n", "ndcg_at_20", "collapse", "crashed")
NOTES = (
    "The fused monolith gets up to 20 tracks with their ids, found by exact search and by meaning for the unchecked names and"
    " the facet words of the request, and one worked example; one call picks ids as free text, decides (play, clarify,"
    " not_found), words the playlist and says how sure it is. Nothing of it is checked; a"
    " reply that does not parse gets one repair turn.",
    "Ids that an answer gives twice count once. Not held: by the catalog. Not offered: they did not stand in the prompt; of Melo:"
    " they are no candidate of its searches. Unsupported: numbers, quotes, artists, ids and addresses in title or description"
    " that neither the request nor the catalog's records of the returned tracks hold; one yardstick for both.",
    "Selector: at a threshold an answer counts as given where it has tracks and its confidence is at least that. Precision: of"
    " the given, those with enough good tracks. Recall: of the requests that tracks can answer, those that get enough good ones.",
    "The model is always asked: nothing is taken from a cache, so the times are its own. A repeated command goes on with the"
    " answers that are there.",
)
_Pair = tuple[float, float]


def rows_of_split(name: str, split: str) -> tuple[LabelledRow, ...]:
    """The rows of one split, or with `every` of all three."""
    return tuple(row for one in (get_args(Split) if split == EVERY else (split,)) for row in rows_of(name, one))


class SplitTable:
    """Asks both systems; without a model there is no monolith, and Melo stands alone."""

    def __init__(self, name: str, split: str, index: CatalogIndex, setup: Setup) -> None:
        self._name, self._split, self._setup = name, split, replace(setup, remembered=None)
        self._rows = rows_of_split(name, split)
        self._run = LabelledRun(self._rows, index, self._setup)
        self._index = index
        self._systems = WORDS if setup.backbone != "none" else {MELO: WORDS[MELO]}

    def table(self) -> Table:
        """Ask and reckon."""
        self._index.embed("music")  # the first query would pay for loading the model
        settings = self._setup.settings
        scored = self._run.scored({name: System(settings, _maker(name), name) for name in self._systems})
        drawn = self._setup.drawn
        blocks = [
            self._faults(scored),
            measures_block("Scores", scored, _MEASURES, self._systems, drawn, plotted="success_at_n"),
            *(self._curve(words, system, node, scored) for words, system, node in CURVES if system in self._systems),
            self._spent(scored),
        ]
        if FUSED in self._systems:
            blocks.insert(2, _difference(scored, self._setup))
        return Table(
            name=NAME, title=f"Monolith against split ({self._name}, {self._split})", blocks=tuple(blocks), notes=NOTES,
            details={"decisions": _decisions(scored)}, answers=answer_rows(scored),
            about=about(
                self._setup, self._run.asking(self._name, self._split, len(scored.rows)), {"all": settings}, scored.run
            ),
        )  # fmt: skip

    def _faults(self, scored: Scored) -> Block:
        columns = (
            Column(key="replays", head="replays", unit="count"), Column(key="ids", head="ids given", unit="count"),
            Column(key="bad", head="ids not held", unit="count"),
            Column(key="not_held", head="not held (% of ids)", unit="share"),
            Column(key="not_offered", head="not offered (% of ids)", unit="share"),
            Column(key="with_bad", head="answers with such an id (%)", unit="share"),
            Column(key="unsupported", head="answers with an unsupported claim (%)", unit="share"),
        )  # fmt: skip
        lines = [Line(name=words, cells=self._fault_cells(name, scored)) for name, words in self._systems.items()]
        return Block(title="Invented ids and claims", first="system", columns=columns, lines=tuple(lines), plotted="with_bad")

    def _fault_cells(self, name: str, scored: Scored) -> dict[str, Cell]:
        records = scored.records[name]
        ids = [[self._ids(record) for record in run] for run in records]
        given, bad = (sum(one[at] for run in ids for one in run) for at in (0, 1))

        def share(value: Callable[[tuple[int, int, int]], _Pair]) -> Figure:
            return self._setup.drawn.figure(np.asarray([[value(one) for one in run] for run in ids], dtype=np.float64))

        return {
            "replays": sum(map(len, records)), "ids": given, "bad": bad,
            "not_held": share(lambda one: (one[1], one[0])), "not_offered": share(lambda one: (one[2], one[0])),
            "with_bad": share(lambda one: (float(max(one[1:]) > 0), float(one[0] > 0))),
            "unsupported": self._unsupported(scored.rows, records),
        }  # fmt: skip

    def _ids(self, record: AnswerRecord) -> tuple[int, int, int]:
        """Distinct ids that the answer gives, of these not held by the catalog, and not offered."""
        if record.stated is None:
            unknown = len(record.unknown_ids)
            return len(record.tracks) + unknown, unknown, unknown
        said = tuple(dict.fromkeys(record.stated.track_ids)) if record.stated.decision == "play" else ()
        held, offered = self._index.by_ids(said), frozenset(record.stated.offered)
        return len(said), sum(one not in held for one in said), sum(one not in offered for one in said)

    def _unsupported(self, rows: Sequence[LabelledRow], records: Sequence[Sequence[AnswerRecord]]) -> Figure:
        def told(row: LabelledRow, record: AnswerRecord) -> _Pair:
            if not (record.title or record.description):
                return (0.0, 0.0)
            return (float(bool(unsupported(row.request, record, self._index))), 1.0)

        return self._setup.drawn.figure([[told(*one) for one in zip(rows, run, strict=True)] for run in records])

    def _curve(self, words: str, system: str, node: str, scored: Scored) -> Block:
        heads = {"given": "given (%)", "precision": "precision (%)", "recall": "recall (%)"}
        lines = []
        for threshold in THRESHOLDS:
            point = operating_point(
                threshold, node, scored.rows, scored.records[system], scored.scores[system], self._setup.drawn
            )
            lines.append(Line(name=f"{threshold:.1f}", cells={key: getattr(point, key) for key in heads}))
        columns = tuple(Column(key=key, head=head, unit="share") for key, head in heads.items())
        return Block(title=f"Selector, {words}", first="confidence at least", columns=columns, lines=tuple(lines))

    def _spent(self, scored: Scored) -> Block:
        columns = [Column(key="calls", head="LM calls", unit="count"), Column(key="tokens", head="tokens", unit="count")]
        if self._setup.backbone != "none":  # without an LM the times are noise, and a table is to repeat
            columns += [Column(key="p50", head="P50 (ms)", unit="ms"), Column(key="p99", head="P99 (ms)", unit="ms")]
        lines = []
        for name, words in self._systems.items():
            records, drawn = scored.records[name], self._setup.drawn
            usage = [[one.usage for one in run] for run in records]
            tokens = [[float(one.prompt_tokens + one.completion_tokens) for one in run] for run in usage]
            cells: dict[str, Cell] = {
                "calls": drawn.figure(shares([[float(one.calls) for one in run] for run in usage])),
                "tokens": drawn.figure(shares(tokens)),
            }  # fmt: skip
            if self._setup.backbone != "none":
                times = known_times(records, "total")
                cells |= {"p50": drawn.quantile(times, 0.5), "p99": drawn.quantile(times, 0.99)}
            lines.append(Line(name=words, cells=cells))
        return Block(title="Spent a request", first="system", columns=tuple(columns), lines=tuple(lines))


def _difference(scored: Scored, setup: Setup) -> Block:
    """Melo minus the monolith, paired."""
    columns = (Column(key="difference", head="difference (points)", unit="points"), Column(key="p", head="McNemar p", unit="p"))
    lines = []
    for name in _MEASURES:
        found = MEASURES[name].difference(scored.scores[MELO], scored.scores[FUSED], setup.drawn)
        lines.append(Line(name=name, cells={"difference": found, "p": found.p}))
    return Block(title="Melo minus the fused monolith", first="measure", columns=columns, lines=tuple(lines))


def _decisions(scored: Scored) -> dict[str, dict[str, int]]:
    """System → status → answers, all runs together."""
    return {
        name: {status: sum(one.status == status for run in runs for one in run) for status in _statuses(runs)}
        for name, runs in scored.records.items()
    }


def _statuses(runs: Sequence[Sequence[AnswerRecord]]) -> list[str]:
    return sorted({one.status for run in runs for one in run})


def _maker(name: str) -> Maker:
    if name == MELO:
        return melo

    def made(index: CatalogIndex, settings: Settings, store: TraceStore, resolver: Resolver) -> Fused:
        return Fused(index, settings, store=store, backbones=resolver)

    return made
