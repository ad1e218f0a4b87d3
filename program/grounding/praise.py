"""A negation that wants what it negates: "no party is complete without Enya", "an evening without Enya is no evening"."""

from __future__ import annotations

from program.grounding.frame import RequestFrame
from program.grounding.items import RoleItem

_WITHOUT = frozenset({"without", "ohne", "sin", "sans", "senza", "sem", "zonder"})
_DENIED = frozenset(
    "wont isnt arent wasnt werent cant cannot couldnt wouldnt aint kann können ist kein keine puede podemos peut peux può posso "
    "possiamo pode posso kan".split()
)
"""Keys of verbs that deny what is without: "it won't be complete without …"."""
_UNWHOLE = (("not", "complete"), ("not", "the", "same"), ("never", "complete"), ("incomplete",), ("no", "fun"))
"""Words that say so without such a verb."""
_BEHIND = (
    ("is", "no"), ("isnt",), ("is", "not"), ("is", "nothing"), ("wouldnt",), ("would", "be"), ("ist", "kein"), ("ist", "keine"),
)  # fmt: skip
"""What follows a name that is missed: "… without Enya is no evening"."""


def is_praise(frame: RequestFrame, item: RoleItem) -> bool:
    """Whether the word for "without" stands under another negation in its clause, or one follows it there."""
    tokens = frame.lookup.tokens
    if tokens[item.first].key not in _WITHOUT:
        return False
    clause = [token for token in tokens if token.clause == tokens[item.first].clause]
    before = tuple(token.key for token in clause if token.start < tokens[item.first].start)
    after = tuple(token.key for token in clause if token.start >= tokens[item.last - 1].end)
    denied = not _DENIED.isdisjoint(before) and not frame.commands
    return denied or any(_holds(before, part) for part in _UNWHOLE) or any(_holds(after, part) for part in _BEHIND)


def _holds(words: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))
