"""How many tracks match a set of constraints, asked of the index once a set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from data.contracts import Constraint
from program.index.protocol import CatalogIndex, Filter

Count = Callable[[tuple[Constraint, ...]], int]


def counter(index: CatalogIndex, base: Filter) -> Count:
    """A function that counts the tracks under given constraints; each distinct set is counted once, in whatever order.

    Args:
        base: what always holds: verified ids and exclusions.
    """
    known: dict[frozenset[Constraint], int] = {}

    def count(constraints: tuple[Constraint, ...]) -> int:
        distinct = frozenset(constraints)
        if distinct not in known:
            known[distinct] = index.count(replace(base, constraints=constraints))
        return known[distinct]

    return count
