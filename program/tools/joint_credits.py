"""Tracks credited to a named artist together with others under one name: "NAME feat. X", "X & NAME", "NAME Quartet"."""

from __future__ import annotations

from dataclasses import replace

from data.contracts import ToolArgs
from data.names import name_form
from program.index.documents import text_words
from program.tools.protocol import ToolContext, filter_of

_LINKS = frozenset({"and", "feat", "featuring", "ft", "with", "x", "vs", "y", "et", "und", "e"})
_ARTICLE = "the"


def is_joint_credit(credit: str, name: str) -> bool:
    """Whether a credit holds the artist's whole name beside a linking word or an end.

    A name of one word needs that on both sides ("Bush" is not in "Kate Bush"), a longer one before it only. A credit of
    just the name is another artist of the same name.
    """
    held, wanted = _words(credit), _words(name)
    size = len(wanted)
    for first in range(len(held) - size + 1 if held != wanted else 0):
        if held[first : first + size] == wanted:
            last = first + size
            before = first == 0 or held[first - 1] in _LINKS
            after = last == len(held) or held[last] in _LINKS
            if before and (after or size > 1):
                return True
    return False


def joint_credits(found: list[str], args: ToolArgs, context: ToolContext) -> list[str]:
    """Track ids that `found` lacks and that are credited to a wanted artist jointly, at most as many as are missing."""
    names = {
        credit.artist_id: credit.name
        for track_id in found
        for credit in context.seen[track_id].track.artists
        if credit.artist_id in args.artist_ids
    }
    where = replace(filter_of(args), track_ids=(), artist_ids=(), album_ids=())
    rows: dict[int, None] = {}
    for name in names.values():
        for row in context.index.search(replace(where, text=text_words(name)), args.limit).rows:
            track = context.index.track(row).track
            if track.track_id not in found and any(is_joint_credit(credit.name, name) for credit in track.artists):
                rows[row] = None
    return context.keep(list(rows)[: args.limit - len(found)])


def _words(name: str) -> list[str]:
    words = name_form(name).split()
    return words[1:] if len(words) > 1 and words[0] == _ARTICLE else words
