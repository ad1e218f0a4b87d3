"""Puts a listener's file into the store: rows matched to the catalog in batches, so that an import can be made again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from data.catalog.importers.rejects import Rejects
from data.errors import InputError, RowError
from data.users.reader import Format, detect_format, read_events
from data.users.schema import MAX_USER_ID, Event, EventKind, LooseEvent, checked_user_id
from program.index.protocol import CatalogIndex
from program.users.matching import matched
from program.users.store import UserStore

_BATCH = 1_000


@dataclass
class Imported:
    """What one import did.

    Attributes:
        read: rows (of CPCD: likes and dislikes) that could be read. added: new in the store; known: were there before.
        unknown: tracks that the catalog does not hold; they stand among the rejects too.
        users: the listeners that the file was for.
    """

    read: int = 0
    added: int = 0
    unknown: int = 0
    rejected: int = 0
    users: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """Events that the store held before, or that the file holds twice."""
        return self.read - self.added - self.unknown


def import_events(
    path: Path, user_id: str, store: UserStore, index: CatalogIndex, rejects: Rejects,
    *, kind: EventKind | None = None, on_progress: Callable[[int], None] | None = None,
) -> Imported:  # fmt: skip
    """Import one file.

    Args:
        user_id: the listener; of CPCD every dialogue is one, called `user_id` + "-" + the dialogue's id.
        rejects: takes rows that cannot be read and tracks that the catalog does not hold, with their numbers.
        kind: what a row is that does not say so.

    Raises:
        InputError: the id or the file cannot be used, or not one of its rows.
        StoreError: the store fails; what was written stays, and the next import goes on from there.
    """
    format, done, users = detect_format(path), Imported(), set[str]()
    name = checked_user_id(user_id)
    rows = read_events(path, format, rejects, kind)
    while batch := list(islice(rows, _BATCH)):
        done.read += len(batch)
        by_user: dict[str, list[Event]] = defaultdict(list)
        for loose, track_id in matched(batch, index):
            if track_id is None:
                done.unknown += 1
                rejects.add(_unknown(loose), file=path.name, values=_told(loose))
                continue
            by_user[_listener(name, loose.event, format)].append(replace(loose.event, track_id=track_id))
        for listener, events in by_user.items():
            done.added += store.add(listener, events)
            users.add(listener)
        if on_progress:
            on_progress(done.read)
    rejects.flush()
    if not done.read:
        raise InputError(f"no usable row in {path.name}: {rejects.summary()}")
    done.users, done.rejected = tuple(sorted(users)), rejects.total - done.unknown
    return done


def _listener(name: str, event: Event, format: Format) -> str:
    """The listener of an event; characters of a dialogue's id that an id may not hold become underscores."""
    if format != "cpcd":
        return name
    dialogue = "".join(c if c.isalnum() else "_" for c in event.session)
    return checked_user_id(f"{name}-{dialogue}"[:MAX_USER_ID])


def _unknown(loose: LooseEvent) -> RowError:
    return RowError("no such track in the catalog", row=loose.row, field="track_id" if loose.track_id else "title")


def _told(loose: LooseEvent) -> dict[str, str]:
    cells = {"track_id": loose.track_id, "title": loose.title, "artists": " | ".join(loose.artists)}
    return {name: value for name, value in cells.items() if value}
