"""Lists under one word of negation: "no rock, metal or rap" rules out all three, "no rock, jazz please" only the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from program.grounding.items import EntityItem, FacetItem, Item, JointItem, RoleItem

if TYPE_CHECKING:
    from program.grounding.lattice import Lattice

_LAST_BEFORE = frozenset("or nor and oder noch und o ni y ou et e né nem of en noch ve veya 或 或者 和 及 跟".split())
"""Words before the last of a list."""


def is_listed(lattice: Lattice, items: Sequence[Item], position: int) -> bool:
    """Whether an item that opens a clause goes on with the list of the clause before, which a word such as "or" must end."""
    if not position or _kind(items[position - 1]) != _kind(items[position]) or _kind(items[position]) is None:
        return False
    for before, item in zip(items[position:], items[position + 1 :], strict=False):
        if isinstance(item, RoleItem):
            return _surface(lattice, item) in _LAST_BEFORE and _kind(before) is not None
        if _kind(item) != _kind(items[position]):
            return False
    return False


def wishes_anew(lattice: Lattice, items: Sequence[Item], position: int) -> bool:
    """Whether a word of wishing ends a negation in a script without spaces, where no sign need stand between: "不要 A 想听 B"."""
    item, before = items[position], items[position - 1] if position else None
    if not isinstance(item, RoleItem) or item.role not in ("command", "ask") or not lattice.lookup.tokens[item.first].cjk:
        return False
    return not (isinstance(before, RoleItem) and before.role == "negation")


def _kind(item: Item) -> str | None:
    if isinstance(item, FacetItem):
        return item.facet
    return "name" if isinstance(item, EntityItem | JointItem) else None


def _surface(lattice: Lattice, item: Item) -> str:
    tokens = lattice.lookup.tokens
    return lattice.lookup.request[tokens[item.first].start : tokens[item.last - 1].end].casefold()
