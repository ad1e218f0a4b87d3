"""The cold tier as tables in one database, three a stretch of time."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sqlalchemy import Column, Integer, MetaData, String, Table, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from program.trust.store.layout import OPENING, newest_first, opened
from program.trust.store.partition import Partition
from program.trust.store.periods import Period, name_of
from program.trust.store.tables import engine_of, make, told

_METADATA = MetaData()
_PARTITIONS = Table("trace_partitions", _METADATA, Column("name", String(16), primary_key=True))
_REMOVALS = Table("trace_removals", _METADATA, Column("number", Integer, primary_key=True))


class TablePartitions:
    """Tables whose names end with the stretch of time: `artifacts_2026_12`.

    Args:
        url: an SQLAlchemy URL; PostgreSQL needs a driver, such as the extra `postgres` brings.
        now: seconds since 1970.
    """

    def __init__(self, url: str, period: Period, now: Callable[[], float]) -> None:
        self._engine, self._period = engine_of(url), period
        self._lock = threading.Lock()
        self._open: dict[str, Partition] = {}
        with told(OPENING):
            make(self._engine, _PARTITIONS, _REMOVALS)
        self.at(now())

    def at(self, time_s: float) -> Partition:
        """The partition that is written to at a time, made if need be."""
        return self._partition(name_of(time_s, self._period))

    def all(self) -> list[Partition]:
        """Every partition that there is now, the newest first."""
        with told("read the trace store"), self._engine.connect() as connection:
            names = [str(row[0]) for row in connection.execute(select(_PARTITIONS.c.name))]
        return [self._partition(name) for name in newest_first(names)]

    def drop(self, partition: Partition) -> None:
        """Remove the tables."""
        tables = partition.tables
        with self._lock:
            self._open.pop(partition.name, None)
        with told("remove from the trace store"), self._engine.begin() as connection:
            connection.execute(delete(_PARTITIONS).where(_PARTITIONS.c.name == partition.name))
            for table in (tables.marks, tables.parents, tables.artifacts):
                table.drop(connection, checkfirst=True)

    def removals(self) -> int:
        """The number of removals so far."""
        with told("read the trace store"), self._engine.connect() as connection:
            return int(connection.execute(select(func.coalesce(func.max(_REMOVALS.c.number), 0))).scalar_one())

    def note_removal(self) -> None:
        """Count one more."""
        with told("remove from the trace store"), self._engine.begin() as connection:
            connection.execute(insert(_REMOVALS))

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    def _partition(self, name: str) -> Partition:
        with self._lock:
            if name not in self._open:
                suffix = f"_{name.replace('-', '_')}" if name else ""
                self._open[name] = opened(name, self._engine, suffix)
                self._list(name)
            return self._open[name]

    def _list(self, name: str) -> None:
        with told(OPENING):
            try:
                with self._engine.begin() as connection:
                    known = select(_PARTITIONS.c.name).where(_PARTITIONS.c.name == name)
                    if connection.execute(known).first() is None:
                        connection.execute(insert(_PARTITIONS).values(name=name))
            except IntegrityError:  # another process listed it at the same moment
                pass
