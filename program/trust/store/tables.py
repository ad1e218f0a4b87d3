"""The tables of one partition, the engine under them, and what a database's failure is told as."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Column, Float, ForeignKey, Index, MetaData, String, Table, Text, create_engine, event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from data.errors import StoreError


@dataclass(frozen=True)
class Tables:
    """artifacts: one row each. parents: the links, searched both ways. marks: what is no longer to be believed, and why."""

    artifacts: Table
    parents: Table
    marks: Table


@lru_cache(maxsize=1_000)
def tables_of(suffix: str) -> Tables:
    """The tables whose names end with `suffix`."""
    metadata = MetaData()
    artifacts = Table(
        f"artifacts{suffix}",
        metadata,
        Column("artifact_id", String(64), primary_key=True),
        Column("trace_id", String(32), nullable=False),
        Column("node", String(32), nullable=False),
        Column("created_at", Float, nullable=False),
        Column("body", Text, nullable=False),
        Index(f"artifacts_by_trace{suffix}", "trace_id"),
        Index(f"artifacts_by_time{suffix}", "created_at"),
    )
    parents = Table(
        f"parents{suffix}",
        metadata,
        Column("child", String(64), ForeignKey(f"artifacts{suffix}.artifact_id"), primary_key=True),
        Column("parent", String(64), primary_key=True),
        Index(f"parents_by_parent{suffix}", "parent"),
    )
    marks = Table(
        f"marks{suffix}",
        metadata,
        Column("artifact_id", String(64), primary_key=True),
        Column("cause", String(64), primary_key=True),
        Column("why", Text, nullable=False),
        Column("at", Float, nullable=False),
    )
    return Tables(artifacts, parents, marks)


def make(connection: Connection, *tables: Table) -> None:
    """Make the tables that are missing, with their indexes; several processes may do so at once."""
    for table in tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in table.indexes:
            connection.execute(CreateIndex(index, if_not_exists=True))


def engine_of(url: str) -> Engine:
    """An engine; SQLite's is set up for several processes at once.

    Raises:
        StoreError: the URL is none, or its driver is not installed.
    """
    try:
        engine = create_engine(url)
    except (SQLAlchemyError, ImportError) as error:
        raise StoreError(f"cannot open the trace store: {first_line(error)}") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _pragmas)
    return engine


@contextmanager
def told(what: str) -> Iterator[None]:
    """Whatever the database complains of inside becomes a StoreError that says what could not be done."""
    try:
        yield
    except SQLAlchemyError as error:
        raise StoreError(f"cannot {what}: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """The driver's own words, on one line; they hold no password."""
    return (str(getattr(error, "orig", None) or error).splitlines() or [type(error).__name__])[0]


def _pragmas(connection: object, _: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    # NORMAL: a killed process loses nothing; after a power cut the last moments may be missing, the file stays whole.
    # 4,000 pages (16 MB) between checkpoints instead of 1,000: one commit in a hundred took 21 ms, now 4 (measured).
    for pragma in ("busy_timeout=20000", "journal_mode=WAL", "synchronous=NORMAL", "wal_autocheckpoint=4000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
