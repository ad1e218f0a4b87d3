"""The best chains of items that cover a whole request (k-best dynamic programming, exact for the scores given)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from program.grounding.items import FreeItem, Item, RoleItem

_BEAM = 24
_REPEATED_COMMAND = -0.6
_BEFORE_COMMAND = frozenset({"ask", "filler", "negation", "greeting"})


@dataclass(frozen=True, slots=True)
class Chain:
    """Items in order, each starting where the one before ends, and their total score."""

    score: float
    items: tuple[Item, ...]

    @property
    def leftover(self) -> tuple[Item, ...]:
        """The tokens that nothing explains."""
        return tuple(item for item in self.items if isinstance(item, FreeItem))


def best_chains(items: list[Item], length: int, count: int, openings: frozenset[int] = frozenset()) -> list[Chain]:
    """At most `count` chains over tokens [0, length), best first; ties keep the chain with fewer items.

    Args:
        openings: tokens that start a clause, where a command may stand again; `length` too, where commands come last.
    """
    by_start: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        by_start[item.first].append(item)
    beams: list[list[Chain]] = [[] for _ in range(length + 1)]
    beams[0] = [Chain(0.0, ())]
    for position in range(length):
        beams[position] = _top(beams[position])
        for chain in beams[position]:
            for item in by_start[position]:
                score = chain.score + item.score + _transition(chain, item, openings)
                beams[item.last].append(Chain(score, (*chain.items, item)))
    return _top(beams[length])[:count]


def _top(chains: list[Chain]) -> list[Chain]:
    return sorted(chains, key=lambda chain: (-round(chain.score, 6), len(chain.items)))[:_BEAM]


def _transition(chain: Chain, item: Item, openings: frozenset[int]) -> float:
    """A command opens a request or a clause, or ends one (Japanese); in the middle the same word is rarely a command."""
    if not (isinstance(item, RoleItem) and item.role == "command" and chain.items):
        return 0.0
    if item.first in openings or item.last in openings:
        return 0.0
    opened = all(isinstance(before, RoleItem) and before.role in _BEFORE_COMMAND for before in chain.items)
    return 0.0 if opened else _REPEATED_COMMAND
