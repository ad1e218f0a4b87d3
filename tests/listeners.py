"""Listeners for tests: likes, plays and dislikes by track id, on days before a fixed noon."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from data.users.schema import Event
from program.index.engine import EmbeddedIndex
from program.users.listener import Listener, listener_of

NOON = datetime(2026, 3, 18, 12).timestamp()
"""A Wednesday, in the zone of the machine."""
DAY = 86_400.0


def days_ago(days: float) -> float:
    """Seconds since 1970."""
    return NOON - days * DAY


def listener(
    index: EmbeddedIndex,
    *,
    likes: tuple[str, ...] = (),
    dislikes: tuple[str, ...] = (),
    plays: Mapping[str, tuple[float, ...]] | None = None,
) -> Listener:
    """A listener at `NOON`.

    Args:
        likes, dislikes: the first one a day ago, each further one a day before.
        plays: how many days ago each track was played.
    """
    events = [Event(name, "like", days_ago(place + 1)) for place, name in enumerate(likes)]
    events += [Event(name, "dislike", days_ago(place + 1)) for place, name in enumerate(dislikes)]
    events += [Event(name, "play", days_ago(days)) for name, ago in (plays or {}).items() for days in ago]
    return listener_of("anna", sorted(events, key=lambda event: -(event.at or 0)), index, NOON)
