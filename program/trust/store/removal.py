"""Taking traces out of a partition for good: of one listener, or older than a time."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, distinct, func, select, text
from sqlalchemy.engine import Connection

from data.errors import StoreError
from program.trust.store.partition import Partition
from program.trust.store.rows import chunks
from program.trust.store.tables import told

_REMOVING = "remove from the trace store"


def made_with(partition: Partition, parameter: str, value: str) -> list[str]:
    """Traces with an artifact that was made with this parameter.

    Every body is read: a column for each parameter would be another copy to keep in step, and removal is rare.
    """
    table = partition.tables.artifacts.c
    query = select(table.trace_id).where(table.body.like(f'%"{parameter}":"{value}"%')).distinct()
    with told(_REMOVING), partition.engine.connect() as connection:
        return [str(row[0]) for row in connection.execute(query)]


def older(partition: Partition, cutoff: float) -> list[str]:
    """Traces of which nothing here is from `cutoff` or later."""
    table = partition.tables.artifacts.c
    query = select(table.trace_id).group_by(table.trace_id).having(func.max(table.created_at) < cutoff)
    with told(_REMOVING), partition.engine.connect() as connection:
        return [str(row[0]) for row in connection.execute(query)]


def count(partition: Partition) -> int:
    """How many traces there are."""
    with told(_REMOVING), partition.engine.connect() as connection:
        return int(connection.execute(select(func.count(distinct(partition.tables.artifacts.c.trace_id)))).scalar_one())


def remove(partition: Partition, trace_ids: Sequence[str]) -> bool:
    """Remove traces with their links and marks. Returns whether any was here.

    SQLite overwrites what is deleted, compacts the file and empties its write-ahead log; elsewhere it is deleted.
    """
    is_sqlite = partition.engine.dialect.name == "sqlite"
    with told(_REMOVING), partition.engine.begin() as connection:
        if is_sqlite:
            connection.execute(text("PRAGMA secure_delete=ON"))
        gone = sum(_remove(connection, partition, part) for part in chunks(trace_ids))
    if is_sqlite and gone:
        with told(_REMOVING), partition.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM"))
            busy = connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)")).scalar_one()
        if busy:  # somebody has been reading for all of the busy timeout
            raise StoreError("removed, but the write-ahead log could not be emptied while it is read", hint="run it again")
    return gone > 0


def _remove(connection: Connection, partition: Partition, trace_ids: Sequence[str]) -> int:
    """Returns how many artifacts."""
    tables = partition.tables
    gone = tables.artifacts.c.trace_id.in_(trace_ids)
    names = select(tables.artifacts.c.artifact_id).where(gone)
    connection.execute(delete(tables.parents).where(tables.parents.c.child.in_(names)))
    connection.execute(delete(tables.marks).where(tables.marks.c.artifact_id.in_(names)))
    return connection.execute(delete(tables.artifacts).where(gone)).rowcount
