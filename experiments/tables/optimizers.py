"""Every recipe at the same budget on one backbone, with several seeds: what tuning brings end to end, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import dspy

from data.contracts import NodeName
from experiments.figures import Figure, shares
from experiments.labelled_run import LabelledRun, Maker, Resolver, Scored, System, answer_rows, rows_of
from experiments.optimizing.report import Optimized
from experiments.optimizing.session import Asked, optimize
from experiments.report import Block, Cell, Column, Line, Table
from experiments.scores import MEASURES
from experiments.tables.base import Setup, about
from experiments.tables.parts import measures_block
from experiments.tracking import user_data
from optimizers.limits import Limits
from optimizers.recipes import RECIPES
from optimizers.state import read_state
from program.bundle.state import NODES, NodeText, apply_state
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.lm.backbones import resolve
from program.settings import Settings
from program.trust.store import TraceStore

NAME = "optimizers"
_OF_THIS_MACHINE = {"out", "store"}
"""Paths, which say nothing to a reader elsewhere."""
START = "start"
_MEASURES = (
    "objective", "misidentified", "constraint_f1", "success_at_n", "ndcg_at_20", "plan_valid", "recovery", "preservation",
    "intent_preserving", "abstention", "crashed",
)  # fmt: skip
_COMPARED = ("objective", "misidentified", "constraint_f1", "success_at_n", "ndcg_at_20", "intent_preserving")
_COSTS = ("calls", "prompt_tokens", "completion_tokens", "seconds", "usd")
NOTES = (
    "Each recipe was tuned on train and chosen on dev with the same limits and every seed; what it wrote is asked here from end"
    " to end, as it stands, at temperature 0. Seeds are the runs of a figure.",
    "The start is the program with its own instructions and no demos. Where a node's search found nothing better, the start"
    " stays, so a recipe may equal it.",
    "Calls count those of teacher and reflection model; seconds are wall time of the tuning, answers played back take none.",
)


@dataclass(frozen=True)
class Tuning:
    """How each recipe is tuned. limits: of one recipe with one seed. out: folder of the states."""

    limits: Limits
    recipes: tuple[str, ...] = tuple(RECIPES)
    seeds: int = 3
    nodes: tuple[str, ...] = NODES
    teacher: str = ""
    reflection: str = ""
    out: Path = field(default_factory=lambda: user_data() / "optimize" / "states")


class OptimizersTable:
    """Tunes with every recipe and seed, then asks a set of each result."""

    def __init__(
        self,
        name: str,
        split: str,
        index: CatalogIndex,
        setup: Setup,
        tuning: Tuning,
        *,
        resolver: Resolver = resolve,
    ) -> None:
        self._name, self._split, self._setup, self._tuning, self._index = name, split, setup, tuning, index
        self._resolver = resolver
        self._run = LabelledRun(rows_of(name, split), index, setup)

    def table(self) -> Table:
        """Tune, ask and reckon.

        Raises:
            LMUnavailableError: the backbone does not answer; what was answered is kept.
        """
        tuned = {recipe: [self._tuned(recipe, seed) for seed in range(self._tuning.seeds)] for recipe in self._tuning.recipes}
        settings = self._setup.settings
        systems = {START: System(settings)}
        for recipe, runs in tuned.items():
            for seed, found in enumerate(runs):
                state = read_state(Path(found.out))
                systems[f"{recipe}/{seed}"] = System(settings, _maker(state), f"melo+{_hash(state)}")
        scored = self._run.scored(systems)
        merged = _merged(scored, self._tuning)
        words = {START: "start", **{recipe: recipe for recipe in tuned}}
        blocks = (
            measures_block("From end to end", merged, _MEASURES, words, self._setup.drawn, plotted="objective"),
            self._gains(merged),
            self._costs(tuned),
        )
        return Table(
            name=NAME, title=f"Recipes at equal budgets ({self._name}, {self._split})", blocks=blocks, notes=NOTES,
            details={
                recipe: [one.model_dump(mode="json", exclude=_OF_THIS_MACHINE) for one in runs] for recipe, runs in tuned.items()
            },
            answers=answer_rows(merged),
            about=about(
                self._setup, self._run.asking(self._name, self._split, len(merged.rows)), {"all": settings}, scored.run
            ),
        )  # fmt: skip

    def _tuned(self, recipe: str, seed: int) -> Optimized:
        tuning, backbone = self._tuning, self._setup.backbone
        out = tuning.out / f"{recipe}-{backbone.replace('/', '_')}-{seed}"
        asked = Asked(
            recipe=recipe, lm=backbone, out=out, nodes=tuning.nodes, limits=tuning.limits, seed=seed, teacher=tuning.teacher,
            reflection=tuning.reflection, settings=self._setup.settings, force=True,
        )  # fmt: skip
        return optimize(asked, self._index, resolver=self._resolver)

    def _gains(self, merged: Scored) -> Block:
        """Each recipe minus the start, paired."""
        columns = tuple(Column(key=name, head=f"{name} (points)", unit="points") for name in _COMPARED)
        lines = []
        for recipe in self._tuning.recipes:
            cells: dict[str, Cell] = {
                name: MEASURES[name].difference(merged.scores[recipe], merged.scores[START], self._setup.drawn)
                for name in _COMPARED
            }
            lines.append(Line(name=f"{recipe} − start", cells=cells))
        return Block(title="Against the start", first="pair", columns=columns, lines=tuple(lines))

    def _costs(self, tuned: Mapping[str, Sequence[Optimized]]) -> Block:
        columns = [Column(key=name, head=name.replace("_", " "), unit="count") for name in _COSTS]
        columns += [Column(key="improved", head="nodes improved on dev", unit="count")]
        lines = []
        for recipe, runs in tuned.items():
            cells: dict[str, Cell] = {name: self._mean([float(one.spent[name]) for one in runs]) for name in _COSTS}
            cells["improved"] = self._mean([float(sum(node.improved for node in one.nodes)) for one in runs])
            lines.append(Line(name=recipe, cells=cells))
        return Block(title="Cost of tuning (mean of the seeds)", first="recipe", columns=tuple(columns), lines=tuple(lines))

    def _mean(self, values: Sequence[float]) -> Figure:
        return self._setup.drawn.figure(shares([list(values)]))


def _merged(scored: Scored, tuning: Tuning) -> Scored:
    """Seeds as runs; the start, which has none, once for every seed so that pairs can be made."""
    names = {recipe: [f"{recipe}/{seed}" for seed in range(tuning.seeds)] for recipe in tuning.recipes}
    names[START] = [START] * tuning.seeds
    return replace(
        scored,
        records={name: [run for one in parts for run in scored.records[one]] for name, parts in names.items()},
        scores={name: [run for one in parts for run in scored.scores[one]] for name, parts in names.items()},
    )


def _maker(state: Mapping[NodeName, NodeText]) -> Maker:
    def made(index: CatalogIndex, settings: Settings, store: TraceStore, resolver: Resolver) -> dspy.Module:
        program = Melo(index, settings, store=store, backbones=resolver)
        apply_state(program, state)
        return program

    return made


def _hash(state: Mapping[NodeName, NodeText]) -> str:
    return "-".join(state[node].key for node in NODES if node in state)
