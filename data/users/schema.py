"""A listener's events: what was liked, disliked or played, as a file says it and as it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from data.catalog.importers.values import clean
from data.errors import InputError

EventKind = Literal["like", "dislike", "play"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
MAX_USER_ID = 64
_ID_MARKS = frozenset("._-@+")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a listener did with a track of the catalog.

    Attributes:
        at: seconds since 1970, UTC; None when the file does not say.
        count: how often it was played; 1 for a like or dislike.
        request: the words that had led to the track, where the file says so.
        session, turn: the conversation that it belongs to, and its 0-based place there; "" and 0 without one.
    """

    track_id: str
    kind: EventKind
    at: float | None = None
    count: int = 1
    request: str = ""
    session: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class LooseEvent:
    """An event as a row tells it: the track by its id, or by title and artists when the file has no ids.

    Attributes:
        row: 1-based number of the row in its file.
        event: with an empty `track_id` until the catalog has been asked.
    """

    row: int
    event: Event
    track_id: str = ""
    title: str = ""
    artists: tuple[str, ...] = ()


def checked_user_id(text: str) -> str:
    """A listener's id as it is kept: letters and digits of any script, and . _ - @ +; at most `MAX_USER_ID` of them.

    Raises:
        InputError: it is empty, too long, or holds anything else.
    """
    name = clean(text)
    if not name or len(name) > MAX_USER_ID or name != text or not all(c.isalnum() or c in _ID_MARKS for c in name):
        raise InputError(
            "a listener's id is 1 to 64 letters, digits or . _ - @ +", hint="such as --user anna or --user anna@home"
        )
    return name
