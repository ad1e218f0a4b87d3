"""The breaker's memory on disk: counts are added up over processes, the threshold is the last one that was written."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Column, Float, Integer, MetaData, String, Table, Text, insert, select, update
from sqlalchemy.engine import Connection

from data.errors import StoreError
from data.trust import NodeRecord, Trip
from program.settings import BreakerSettings
from program.trust.breaker.log import MemoryLog
from program.trust.store.tables import own_file, told

_METADATA = MetaData()
_COUNTS = ("seen", "trips", "recovered", "drifted", "confidence_sum", "approved", "rejected")
_NODES = Table(
    "breaker_nodes",
    _METADATA,
    Column("node", String(32), primary_key=True),
    Column("node_version", String(128), primary_key=True),
    *(Column(name, Float if name == "confidence_sum" else Integer, nullable=False) for name in _COUNTS),
    Column("threshold", Float, nullable=False),
)
_TRIPS = Table(
    "breaker_trips",
    _METADATA,
    Column("trip_id", String(96), primary_key=True),
    Column("at", Float, nullable=False, index=True),
    Column("trace_id", String(64), nullable=False, index=True),
    Column("body", Text, nullable=False),
)
_EVERY_S = 1.0
_READING, _WRITING = "read what the breaker remembers", "write what the breaker remembers"


class SqliteLog(MemoryLog):
    """A `MemoryLog` that begins with what was written, and writes at most once a second, at a trip, a verdict, and at its end.

    Args:
        path: an SQLite file, made with its folder.

    Raises:
        StoreError: it cannot be opened or read.
    """

    def __init__(
        self, path: Path, settings: BreakerSettings | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(settings=settings)
        self._clock, self._written_at = clock, clock()
        self._engine = own_file(path, "what the breaker remembers", _NODES, _TRIPS)
        self._base: dict[tuple[str, str], NodeRecord] = {}
        self._unwritten: list[Trip] = []
        self._read()

    def add(self, trip: Trip, threshold: float) -> None:
        """See `BreakerLog`; written with the next flush."""
        with self._lock:
            super().add(trip, threshold)
            self._unwritten.append(trip)

    def judge(self, trip_id: str, right: bool) -> None:
        """See `BreakerLog`; written at once."""
        super().judge(trip_id, right)
        self._write()

    def flush(self) -> None:
        """Write, if anything waits that is worth it."""
        with self._lock:
            due = self._unwritten or self._clock() - self._written_at >= _EVERY_S
        if due:
            self._write()

    def forget(self, user_key: str) -> int:
        """Remove the trips of one listener's requests, whose words they may quote. Returns how many.

        Raises:
            StoreError: they cannot be removed.
        """
        mark = f'%"user_key":"{user_key}"%'
        with self._lock, told(_WRITING), self._engine.begin() as connection:
            connection.exec_driver_sql("PRAGMA secure_delete=ON")
            gone = connection.execute(_TRIPS.delete().where(_TRIPS.c.body.like(mark))).rowcount
            kept = [trip for trip in self._trips if trip.user_key != user_key]
            self._trips.clear()
            self._trips.extend(kept)
            self._unwritten = [trip for trip in self._unwritten if trip.user_key != user_key]
        return gone

    def close(self) -> None:
        """Write and release."""
        try:
            self._write()
        finally:
            self._engine.dispose()

    def _read(self) -> None:
        try:
            self._held()
        except ValidationError as error:
            raise StoreError(f"cannot {_READING}: it was written by another version") from error

    def _held(self) -> None:
        with told(_READING), self._engine.connect() as connection:
            records = [NodeRecord(**row._mapping) for row in connection.execute(select(_NODES))]
            bodies = connection.execute(select(_TRIPS.c.body).order_by(_TRIPS.c.at.desc()).limit(self._trips.maxlen or 0))
            trips = [Trip.model_validate_json(str(row[0])) for row in bodies]
        self._base = {(one.node, one.node_version): one for one in records}
        self._records = dict(self._base)
        self._trips.extend(reversed(trips))

    def _write(self) -> None:
        with self._lock:
            with told(_WRITING), self._engine.begin() as connection:
                for key, record in self._records.items():
                    self._add_up(connection, record, self._base.get(key))
                for trip in self._unwritten:
                    values = {"trip_id": trip.trip_id, "at": trip.at, "trace_id": trip.trace_id, "body": trip.model_dump_json()}
                    connection.execute(insert(_TRIPS).values(values))
            self._base, self._unwritten, self._written_at = dict(self._records), [], self._clock()

    @staticmethod
    def _add_up(connection: Connection, record: NodeRecord, base: NodeRecord | None) -> None:
        """What came since the last writing is added to what other processes wrote."""
        if record == base:
            return
        grown: dict[str, Any] = {name: getattr(record, name) - (getattr(base, name) if base else 0) for name in _COUNTS}
        here = (_NODES.c.node == record.node) & (_NODES.c.node_version == record.node_version)
        added = {name: _NODES.c[name] + value for name, value in grown.items()} | {"threshold": record.threshold}
        if connection.execute(update(_NODES).where(here).values(added)).rowcount == 0:
            made = {"node": record.node, "node_version": record.node_version, "threshold": record.threshold}
            connection.execute(insert(_NODES).values(made | grown))
