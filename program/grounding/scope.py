"""Whether a request asks for music at all: questions about other things and commands to a player are none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from program.grounding.draft import Draft

if TYPE_CHECKING:
    from program.grounding.lattice import Lattice

_ASKING = frozenset("what whats which who whos whose when whens where wheres why how hows is are does did will".split())
_ASKING_CJK = ("什么", "谁", "哪", "为什么", "怎么")
_MOMENT = frozenset({"it", "there", "this", "that", "my", "any", "some", "we", "you"})
"""Second words of questions that are about what is heard now."""
_CONTROL = frozenset("stop pause unpause skip next previous mute unmute cancel quit louder quieter".split())
_MUSICAL = frozenset({"command", "head", "similar", "liked", "history", "track_word", "album_word"})


def is_no_request(lattice: Lattice, draft: Draft) -> bool:
    """A question without a word for music, or a command to the player with no name in it ("stop the music")."""
    tokens = lattice.lookup.tokens
    if len(tokens) < 2 or not lattice.settings.rules:
        return False
    opening = tokens[0].key
    asking = opening in _ASKING or lattice.lookup.request.lstrip().startswith(_ASKING_CJK)
    if (
        asking
        and not _asks_for(lattice)
        and not _speaks_of_now(lattice, draft)
        and all(item.span[0] > 0 for item in draft.evidence)
    ):
        return not draft.constraints and not any(_MUSICAL & set(roles) for roles in lattice.roles.values())
    rest = range(1, len(tokens))
    said = {at for (first, last), roles in lattice.roles.items() if roles for at in range(first, last)}
    return opening in _CONTROL and all(at in said for at in rest)


def _asks_for(lattice: Lattice) -> bool:
    """Whether the question opens with a phrase that asks for something ("how about some jazz", "is there any Enya")."""
    return any(first == 0 and last > 1 and "ask" in roles for (first, last), roles in lattice.roles.items())


def _speaks_of_now(lattice: Lattice, draft: Draft) -> bool:
    """Whether a question with a name in it is about the moment, not about who that is ("is it too early for Enya?")."""
    tokens = lattice.lookup.tokens
    return bool(draft.evidence) and (tokens[1].key in _MOMENT or tokens[0].key in ("wheres", "where"))
