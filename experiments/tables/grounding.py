"""Table 2: how often the plan's names are not those that were meant, under four configurations, and what each layer avoids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data.labelled import LabelledRow
from experiments.labelled_run import LabelledRun, Scored, System, answer_rows, rows_of
from experiments.report import PAPER, PAPER_NOTE, Block, Cell, Column, Line, Table
from experiments.scores import MEASURES
from experiments.tables import paper
from experiments.tables.base import LAYER_WORDS, LAYERS, Setup, about
from experiments.tables.field import VARIANT_WORDS, VARIANTS
from experiments.tables.parts import known_times, measures_block
from program.index.protocol import CatalogIndex

NAME = "grounding"
_MISTAKES = ("misidentified", "missing", "extra", "wrong", "crashed")
_OTHERS = ("success_at_n", "ndcg_at_20", "constraint_f1", "abstention", "false_abstention", "ambiguity_right", "plan_valid")
_PAIR_COLUMNS = (
    Column(key="avoided", head="mistakes avoided (points)", unit="points"),
    Column(key="only_without", head="wrong only without", unit="count"),
    Column(key="only_with", head="wrong only with", unit="count"),
    Column(key="p", head="McNemar p", unit="p"),
    Column(key=PAPER, head="paper (points)", unit="points"),
)
NOTES = (
    "Misidentified: the set of (entity, type, role) that the plan uses differs from the label. The three kinds add up:"
    " another name in its place, else one left out, else one too many; crashes stand apart.",
    "Requests that name nothing, and ambiguous ones, are left out (the latter are scored on whether they asked). The look-up"
    " is a local index and was available for every request.",
    PAPER_NOTE,
)


def is_bearing(row: LabelledRow) -> bool:
    """Whether a row names something, present or absent."""
    return bool(row.entities or row.absent)


class GroundingTable:
    """Asks the entity-bearing rows of a set under every configuration."""

    def __init__(self, name: str, split: str, index: CatalogIndex, setup: Setup) -> None:
        self._name, self._split, self._setup = name, split, setup
        self._rows = rows_of(name, split)
        self._run = LabelledRun([row for row in self._rows if is_bearing(row) or row.ambiguous], index, setup)

    def table(self) -> Table:
        """Ask and reckon."""
        variants = self._setup.variants(VARIANTS)
        whole = self._run.scored({name: System(settings) for name, settings in variants.items()})
        scored = whole.only(lambda row: not row.ambiguous)
        excluded = {
            "they name nothing": [row.qid for row in self._rows if not is_bearing(row) and not row.ambiguous],
            "ambiguous": [row.qid for row in self._rows if row.ambiguous],
        }
        blocks = [self._mistakes(scored), self._pairs(scored), self._layers(scored), _by_kind(scored, self._setup.runs)]
        blocks.append(
            measures_block("Other scores (ambiguous requests included)", whole, _OTHERS, VARIANT_WORDS, self._setup.drawn)
        )
        if self._setup.backbone != "none":
            blocks.append(self._times(whole))
        asking = self._run.asking(self._name, self._split, len(scored.rows), excluded)
        return Table(
            name=NAME, title=f"Table 2: names misidentified ({self._name}, {self._split})", blocks=tuple(blocks), notes=NOTES,
            details={name: _qids_by_mistake(scored, name) for name in VARIANTS},
            answers=answer_rows(whole),
            about=about(self._setup, asking, variants, whole.run),
        )  # fmt: skip

    def _mistakes(self, scored: Scored) -> Block:
        columns = [Column(key=name, head=f"{name} (%)", unit="share") for name in _MISTAKES]
        columns += [Column(key=PAPER, head="paper (%)", unit="share"), Column(key="sd", head="paper ± (%)", unit="share")]
        lines = []
        for name in VARIANTS:
            cells: dict[str, Cell] = {one: MEASURES[one].figure(scored.scores[name], self._setup.drawn) for one in _MISTAKES}
            cells |= dict(zip((PAPER, "sd"), paper.MISIDENTIFIED[name], strict=True))
            lines.append(Line(name=VARIANT_WORDS[name], cells=cells))
        return Block(
            title="Misidentified", first="configuration", columns=tuple(columns), lines=tuple(lines), plotted="misidentified"
        )

    def _pairs(self, scored: Scored) -> Block:
        told = paper.MISIDENTIFIED
        lines = [
            self._avoided(scored, f"full against {VARIANT_WORDS[name]}", "full", name, told[name][0] - told["full"][0])
            for name in VARIANTS[1:]
        ]
        return Block(title="Full defence against each", first="pair", columns=_PAIR_COLUMNS, lines=tuple(lines))

    def _layers(self, scored: Scored) -> Block:
        lines = [self._avoided(scored, LAYER_WORDS[layer], *pair, paper.LAYER_SHARES[layer]) for layer, pair in LAYERS.items()]
        return Block(title="What each layer avoids", first="layer", columns=_PAIR_COLUMNS, lines=tuple(lines), plotted="avoided")

    def _avoided(self, scored: Scored, name: str, having: str, lacking: str, told: float) -> Line:
        found = MEASURES["misidentified"].difference(scored.scores[lacking], scored.scores[having], self._setup.drawn)
        cells: dict[str, Cell] = {
            "avoided": found, "only_without": found.only_first, "only_with": found.only_second, "p": found.p,
            PAPER: round(told, 6),
        }  # fmt: skip
        return Line(name=name, cells=cells)

    def _times(self, scored: Scored) -> Block:
        columns = [Column(key="p50", head="P50 (ms)", unit="ms"), Column(key=PAPER, head="paper P50 (ms)", unit="ms")]
        lines = []
        for node, told in paper.NODE_P50_MS.items():
            for name in VARIANTS:
                times = known_times(scored.records[name], node)
                cells: dict[str, Cell] = {"p50": self._setup.drawn.quantile(times, 0.5), PAPER: told[name]}
                lines.append(Line(name=f"{node}, {VARIANT_WORDS[name]}", cells=cells))
        return Block(title="Time of a node", first="node, configuration", columns=tuple(columns), lines=tuple(lines))


def _by_kind(scored: Scored, runs: int) -> Block:
    columns = [Column(key="rows", head="rows", unit="count")]
    columns += [Column(key=name, head=VARIANT_WORDS[name], unit="count") for name in VARIANTS]
    lines = []
    for kind in sorted({row.kind for row in scored.rows}):
        part = scored.only(lambda row, kind=kind: row.kind == kind)  # type: ignore[misc]
        counts = {name: _count(part.scores[name]) / runs for name in VARIANTS}
        lines.append(Line(name=kind, cells={"rows": len(part.rows), **counts}))
    return Block(title="Misidentified by kind (mean of the runs)", first="kind", columns=tuple(columns), lines=tuple(lines))


def _count(replays: Sequence[Sequence[Any]]) -> int:
    return sum(bool(scores.misidentified) for run in replays for scores in run)


def _qids_by_mistake(scored: Scored, name: str) -> Mapping[str, list[str]]:
    """Mistake → the requests with it in any run."""
    found: dict[str, dict[str, None]] = {}
    for run in scored.scores[name]:
        for scores in run:
            if scores.misidentified:
                found.setdefault(str(scores.mistake), {})[scores.qid] = None
    return {mistake: sorted(qids) for mistake, qids in sorted(found.items())}
