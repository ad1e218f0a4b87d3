"""The store of listeners' likes and plays: SQLite in the user's data folder, readable by its owner only.

What is deleted is overwritten: SQLite's secure_delete zeroes it, no write-ahead log keeps a copy, and VACUUM gives the pages
back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    case,
    create_engine,
    delete,
    event,
    func,
    select,
    text,
)  # fmt: skip
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from data.errors import StoreError
from data.users.schema import Event, EventKind
from program.lm.environment import private_folder

_METADATA = MetaData()
_EVENTS = Table(
    "events",
    _METADATA,
    Column("user_id", String(64), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("track_id", String(200), nullable=False),
    Column("at", Float, nullable=False),
    Column("session", String(200), nullable=False),
    Column("turn", Integer, nullable=False),
    Column("count", Integer, nullable=False),
    Column("request", Text, nullable=False),
    PrimaryKeyConstraint("user_id", "kind", "track_id", "at", "session", "turn"),
    Index("events_by_user", "user_id"),
)
_UNDATED = -1.0
_BATCH = 500


@dataclass(frozen=True)
class UserSummary:
    """One listener: how many events of each kind, and the first and last time that is known (seconds since 1970)."""

    user_id: str
    likes: int
    dislikes: int
    plays: int
    first: float | None = None
    last: float | None = None


class UserStore:
    """Keeps events by listener.

    Args:
        path: the SQLite file; its folder is made, and file and folder are the owner's alone.

    Raises:
        StoreError: it cannot be opened; every method raises it when the store fails later.
    """

    def __init__(self, path: Path) -> None:
        try:
            private_folder(path.parent)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            path.chmod(0o600)
            self._engine = _engine(path)
            _METADATA.create_all(self._engine)
        except (OSError, SQLAlchemyError) as error:
            raise StoreError(f"cannot open the store of listeners: {_first_line(error)}") from error

    def add(self, user_id: str, events: Sequence[Event]) -> int:
        """Write events in one transaction; one that is known is left as it is, so a second import changes nothing.

        Returns:
            How many were new. Of two numbers of plays for one track and time the greater stays.
        """
        added = 0
        with self._begin() as connection:
            before = _count(connection, user_id)
            for first in range(0, len(events), _BATCH):
                rows = [_row(user_id, one) for one in _once(events[first : first + _BATCH])]
                statement = insert(_EVENTS).values(rows)
                given = statement.excluded["count"]
                more = case((given > _EVENTS.c["count"], given), else_=_EVENTS.c["count"])
                connection.execute(statement.on_conflict_do_update(index_elements=_KEY, set_={"count": more}))
            added = _count(connection, user_id) - before
        return added

    def events(self, user_id: str, kind: EventKind | None = None) -> list[Event]:
        """A listener's events, the newest first; undated ones last, in the order of their turns backwards."""
        where = [_EVENTS.c.user_id == user_id, *([_EVENTS.c.kind == kind] if kind else [])]
        order = (_EVENTS.c.at.desc(), _EVENTS.c.turn.desc(), _EVENTS.c.track_id)
        with self._begin() as connection:
            rows = connection.execute(select(_EVENTS).where(*where).order_by(*order)).mappings().all()
        return [_event(row) for row in rows]

    def users(self, user_id: str | None = None) -> list[UserSummary]:
        """Every listener by id, or the one asked for; empty when there is none."""
        columns = _EVENTS.c

        def of(kind: EventKind) -> Any:
            return func.sum(case((columns.kind == kind, columns["count"] if kind == "play" else 1), else_=0))

        dated = case((columns.at >= 0, columns.at), else_=None)
        query = select(
            columns.user_id, of("like"), of("dislike"), of("play"), func.min(dated), func.max(dated)
        ).group_by(columns.user_id).order_by(columns.user_id)  # fmt: skip
        if user_id is not None:
            query = query.where(columns.user_id == user_id)
        with self._begin() as connection:
            return [UserSummary(*row) for row in connection.execute(query).all()]

    def delete(self, user_id: str) -> int:
        """Remove everything of a listener, for good. Returns how many events there were."""
        with self._begin() as connection:
            gone = _count(connection, user_id)
            connection.execute(delete(_EVENTS).where(_EVENTS.c.user_id == user_id))
        try:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("VACUUM"))
        except SQLAlchemyError as error:
            raise StoreError(f"deleted, but the file could not be compacted: {_first_line(error)}") from error
        return gone

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreError(f"the store of listeners failed: {_first_line(error)}") from error


_KEY = ("user_id", "kind", "track_id", "at", "session", "turn")


def _row(user_id: str, one: Event) -> dict[str, Any]:
    return {
        "user_id": user_id, "kind": one.kind, "track_id": one.track_id, "at": _UNDATED if one.at is None else one.at,
        "session": one.session, "turn": one.turn, "count": one.count, "request": one.request,
    }  # fmt: skip


def _once(events: Iterable[Event]) -> list[Event]:
    """One event a key: SQLite takes no key twice in a statement."""
    found: dict[tuple[Any, ...], Event] = {}
    for one in events:
        key = (one.kind, one.track_id, one.at, one.session, one.turn)
        if key not in found or found[key].count < one.count:
            found[key] = one
    return list(found.values())


def _event(row: Any) -> Event:
    at = None if row["at"] < 0 else row["at"]
    return Event(row["track_id"], row["kind"], at, row["count"], row["request"], row["session"], row["turn"])


def _count(connection: Connection, user_id: str) -> int:
    return int(connection.execute(select(func.count()).where(_EVENTS.c.user_id == user_id)).scalar_one())


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _pragmas)
    return engine


def _pragmas(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    for pragma in ("busy_timeout=20000", "journal_mode=DELETE", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _first_line(error: Exception) -> str:
    return (str(getattr(error, "orig", None) or error).splitlines() or [type(error).__name__])[0]
