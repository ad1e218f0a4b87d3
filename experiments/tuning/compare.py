"""Two settings on the same examples: each figure before and after, and the paired difference with its interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydantic import BaseModel, ConfigDict

from experiments.external.scoring import Metric, metric
from experiments.stats import Numbers, bootstrap, paired_bootstrap
from optimizers.objective import Objective, Part, Table
from program.settings import Settings

OBJECTIVE = "objective"
"""The name of the weighted mean among the figures."""


class Compared(BaseModel):
    """One figure under two settings.

    Attributes:
        difference: after - before, on the same examples. differ: examples that count differently after.
        is_better: the interval of the difference lies above 0. One that touches 0 rests on a handful of examples.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: Metric
    after: Metric
    difference: Metric
    differ: int
    is_better: bool


def compare(objective: Objective, before: Settings, after: Settings, *, seed: int) -> dict[str, Compared]:
    """Every part of an objective, and last the objective itself, under `OBJECTIVE`.

    The objective is drawn from all examples together, each with what it counts for in every part.
    """
    old, new = objective.tables(before), objective.tables(after)
    found = {part.name: _compared(old[part.name], new[part.name], part.statistic, seed) for part in objective.parts}
    return {**found, OBJECTIVE: _compared(_joined(objective, old), _joined(objective, new), _mean_of(objective, old), seed)}


def _compared(before: Table, after: Table, statistic: Callable[[Numbers], Numbers], seed: int) -> Compared:
    difference = paired_bootstrap(after, before, statistic, seed=seed)
    return Compared(
        before=metric(bootstrap(before, statistic, seed=seed)),
        after=metric(bootstrap(after, statistic, seed=seed)),
        difference=metric(difference),
        differ=int((before != after).any(axis=1).sum()),
        is_better=difference.lo > 0,
    )


def _joined(objective: Objective, tables: dict[str, Table]) -> Table:
    """One table with the columns of every part; an example has numbers in those of the parts that it belongs to."""
    groups: dict[str, list[Part]] = {}
    for part in objective.parts:
        groups.setdefault(part.examples, []).append(part)
    rows = sum(len(tables[parts[0].name]) for parts in groups.values())
    blocks = {part.name: np.zeros((rows, tables[part.name].shape[1])) for part in objective.parts}
    first = 0
    for parts in groups.values():
        last = first + len(tables[parts[0].name])
        for part in parts:
            blocks[part.name][first:last] = tables[part.name]
        first = last
    return np.concatenate(list(blocks.values()), axis=1)


def _mean_of(objective: Objective, tables: dict[str, Table]) -> Callable[[Numbers], Numbers]:
    """The weighted mean of the parts' figures, from the sums of a joined table."""
    shares, columns, first = objective.shares, list[tuple[Part, int, int]](), 0
    for part in objective.parts:
        last = first + tables[part.name].shape[1]
        columns.append((part, first, last))
        first = last

    def weighted(sums: Numbers) -> Numbers:
        return np.asarray(sum(shares[part.name] * part.statistic(sums[..., a:b]) for part, a, b in columns))

    return weighted
