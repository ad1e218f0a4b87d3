"""The review queue: SQLite, shared by processes. What waits is bounded; what was judged stays until it is removed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from sqlalchemy import Column, Float, MetaData, String, Table, Text, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine import Connection

from data.errors import InputError
from data.trust import Judgement, ReviewItem
from program.trust.store.tables import own_file, told

_METADATA = MetaData()
_ITEMS = Table(
    "review_items",
    _METADATA,
    Column("item_id", String(64), primary_key=True),
    Column("trace_id", String(64), nullable=False),
    Column("at", Float, nullable=False, index=True),
    Column("judgement", String(16), nullable=False, index=True),
    Column("user_key", String(64), nullable=False, index=True),
    Column("body", Text, nullable=False),
)
_COUNTS = Table("review_counts", _METADATA, Column("name", String(32), primary_key=True), Column("count", Float, nullable=False))
_DROPPED = "dropped"
_READING, _WRITING = "read the review queue", "write to the review queue"


class ReviewSink(Protocol):
    """Takes answers that a person should look at; all that the graph needs of a queue."""

    def enqueue(self, item: ReviewItem) -> None:
        """Keep an item.

        Raises:
            StoreError: it cannot be kept.
        """

    def close(self) -> None:
        """Release what is held."""


class ReviewQueue:
    """Every method raises StoreError where the file cannot be read or written.

    Args:
        path: an SQLite file; its folder is made, readable by its owner only.
        most_open: items that may wait; the oldest make room and are counted. now: seconds since 1970.
    """

    def __init__(self, path: Path, most_open: int = 1_000, *, now: Callable[[], float] = time.time) -> None:
        self._most_open, self._now = most_open, now
        self._engine = own_file(path, "the review queue", _ITEMS, _COUNTS)

    def enqueue(self, item: ReviewItem) -> None:
        """Keep an item; one of the same id is left as it is."""
        with told(_WRITING), self._engine.begin() as connection:
            connection.execute(insert(_ITEMS).values(_row(item)).on_conflict_do_nothing())
            waiting = connection.execute(select(func.count()).where(_ITEMS.c.judgement == "open")).scalar_one()
            if waiting > self._most_open:
                self._make_room(connection, waiting - self._most_open)

    def items(self, judgement: Judgement | None = "open", limit: int = 50) -> list[ReviewItem]:
        """The newest first; None: whatever was said of them."""
        query = select(_ITEMS.c.body).order_by(_ITEMS.c.at.desc(), _ITEMS.c.item_id).limit(limit)
        query = query if judgement is None else query.where(_ITEMS.c.judgement == judgement)
        with told(_READING), self._engine.connect() as connection:
            return [ReviewItem.model_validate_json(str(row[0])) for row in connection.execute(query)]

    def item(self, name: str) -> ReviewItem:
        """One item by its id, the beginning of it, or its trace's id.

        Raises:
            InputError: none or several are called so.
        """
        with told(_READING), self._engine.connect() as connection:
            found = self._named(connection, name)
        return found

    def judge(
        self, name: str, judgement: Literal["approved", "rejected"], *, author: str, note: str = "", again: bool = False
    ) -> ReviewItem:
        """Note a verdict, once.

        Args:
            again: put it in the place of one that was given before.

        Raises:
            InputError: no such item, or it was judged before.
        """
        with told(_WRITING), self._engine.begin() as connection:
            item = self._named(connection, name)
            judged = item.model_copy(
                update={"judgement": judgement, "author": author, "note": note, "judged_at": self._now()}
            )  # fmt: skip
            here = _ITEMS.c.item_id == item.item_id
            free = here if again else here & (_ITEMS.c.judgement == "open")
            changed = connection.execute(update(_ITEMS).where(free).values(judgement=judgement, body=judged.model_dump_json()))
            if not changed.rowcount:
                raise InputError(f"{item.item_id} was {item.judgement} by {item.author}", hint="--again takes that back")
        return judged

    def forget(self, user_key: str) -> int:
        """Remove the items of one listener for good. Returns how many."""
        with told(_WRITING), self._engine.begin() as connection:
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
            return connection.execute(delete(_ITEMS).where(_ITEMS.c.user_key == user_key)).rowcount

    @property
    def dropped(self) -> int:
        """Items that made room without being looked at."""
        with told(_READING), self._engine.connect() as connection:
            found = connection.execute(select(_COUNTS.c.count).where(_COUNTS.c.name == _DROPPED)).scalar_one_or_none()
        return int(found or 0)

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    @staticmethod
    def _named(connection: Connection, name: str) -> ReviewItem:
        wanted = "".join(char for char in name if char.isalnum() or char == "-")
        if not wanted:
            raise InputError("an id has letters and digits", hint="melo review list")
        named = _ITEMS.c.item_id.startswith(wanted, autoescape=True) | (_ITEMS.c.trace_id == wanted)
        rows = connection.execute(select(_ITEMS.c.body).where(named).limit(2)).all()
        if len(rows) != 1:
            told_of = f"several items begin with {wanted[:20]}" if rows else f"no item is called {wanted[:20]}"
            raise InputError(told_of, hint="melo review list --all")
        return ReviewItem.model_validate_json(str(rows[0][0]))

    @staticmethod
    def _make_room(connection: Connection, many: int) -> None:
        oldest = select(_ITEMS.c.item_id).where(_ITEMS.c.judgement == "open").order_by(_ITEMS.c.at).limit(many)
        names: Sequence[str] = [row[0] for row in connection.execute(oldest)]
        connection.execute(delete(_ITEMS).where(_ITEMS.c.item_id.in_(names)))
        known = insert(_COUNTS).values(name=_DROPPED, count=len(names))
        connection.execute(
            known.on_conflict_do_update(index_elements=["name"], set_={"count": _COUNTS.c.count + len(names)})
        )  # fmt: skip


def _row(item: ReviewItem) -> dict[str, object]:
    return {
        "item_id": item.item_id, "trace_id": item.trace_id, "at": item.at, "judgement": item.judgement,
        "user_key": item.user_key, "body": item.model_dump_json(),
    }  # fmt: skip
