"""What one request may know of its listener: the own sets with their times, and the taste that they tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from data.contracts import ToolArgs
from data.errors import InputError
from data.users.schema import Event
from program.index.protocol import CatalogIndex
from program.users.periods import window
from program.users.store import UserStore
from program.users.taste import Marked, Taste, taste_of, weight_of


@dataclass(frozen=True)
class Own:
    """A track of an own set. at: when it was liked or last played (seconds since 1970); count: how often it was played."""

    track_id: str
    at: float | None
    count: int = 1


@dataclass(frozen=True)
class Listener:
    """A listener as the graph sees one.

    Attributes:
        likes: newest first, each track once. dislikes: track ids. plays: newest first, one event a moment.
        taste: None where nothing of the catalog was liked, played or disliked.
        now: seconds since 1970, what "last week" is counted from.
    """

    user_id: str
    likes: tuple[Own, ...]
    plays: tuple[Own, ...]
    dislikes: frozenset[str]
    taste: Taste | None
    now: float

    @property
    def known(self) -> frozenset[str]:
        """Every track that the listener liked or disliked."""
        return self.dislikes | {one.track_id for one in self.likes}

    def liked(self, args: ToolArgs) -> list[Own]:
        """The liked tracks of the period that the arguments name, newest first."""
        return _within(self.likes, args.period, self.now)

    def played(self, args: ToolArgs) -> list[Own]:
        """The tracks played in the period, each once: the last played first, or the most played where that is asked for."""
        found: dict[str, Own] = {}
        for one in _within(self.plays, args.period, self.now):
            held = found.get(one.track_id)
            found[one.track_id] = Own(one.track_id, held.at, held.count + one.count) if held else one
        return sorted(found.values(), key=lambda one: -one.count) if args.most_played else list(found.values())


def user_key(user_id: str) -> str:
    """What traces call a listener: 16 hex digits of a hash, from which a short id could be guessed, but not read."""
    return sha256(f"melo listener {user_id}".encode()).hexdigest()[:16]


def listener_of(user_id: str, events: Sequence[Event], index: CatalogIndex, now: float) -> Listener:
    """The listener behind events, the newest first; a track that was liked and disliked is what was said last.

    Tracks that the catalog does not hold (any more) are left out.
    """
    entries = index.by_ids({event.track_id for event in events})
    known = [event for event in events if event.track_id in entries]
    said: dict[str, Event] = {}
    for event in known:
        if event.kind != "play":
            said.setdefault(event.track_id, event)
    plays = [event for event in known if event.kind == "play"]
    times: dict[str, int] = defaultdict(int)
    for event in plays:
        times[event.track_id] += event.count
    liked = [event for event in said.values() if event.kind == "like"]
    dislikes = [name for name, event in said.items() if event.kind == "dislike"]
    heard = dict.fromkeys([*(event.track_id for event in liked), *times])
    marked = [Marked(entries[name], weight_of(name in said, times[name])) for name in heard if name not in set(dislikes)]
    return Listener(
        user_id, tuple(Own(event.track_id, event.at) for event in liked),
        tuple(Own(event.track_id, event.at, event.count) for event in plays), frozenset(dislikes),
        taste_of(marked, [entries[name] for name in dislikes], index), now,
    )  # fmt: skip


def load_listener(user_id: str, store: UserStore, index: CatalogIndex, now: float) -> Listener:
    """A listener from the store.

    Raises:
        InputError: the store knows nothing of this listener.
    """
    events = store.events(user_id)
    if not events:
        raise InputError(f"nothing is known of the listener {user_id}", hint="melo user import FILE --user ID")
    return listener_of(user_id, events, index, now)


def _within(own: Sequence[Own], period: str, now: float) -> list[Own]:
    """Those of the period; one without a time is of none."""
    span = window(period, now)
    return list(own) if span is None else [one for one in own if one.at is not None and span[0] <= one.at < span[1]]
