"""The tables of one partition, the engine under them, and what a database's failure is told as."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Column, Float, ForeignKey, Index, MetaData, String, Table, Text, create_engine, event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError, SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from data.errors import StoreError
from program.lm.environment import private_folder

_TRIES = 10
_BACKOFF_S = 0.02


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


def make(engine: Engine, *tables: Table) -> None:
    """Make the tables that are missing, with their indexes.

    Several processes may do so at once: what SQLite does to a new file it does not wait for, and PostgreSQL may find that
    another was quicker, so it is tried again.
    """
    for attempt in range(_TRIES):
        try:
            with engine.begin() as connection:
                missing = [table for table in tables if not connection.dialect.has_table(connection, table.name)]
                for table in missing:
                    connection.execute(CreateTable(table, if_not_exists=True))
                    for index in table.indexes:
                        connection.execute(CreateIndex(index, if_not_exists=True))
            return
        except (OperationalError, ProgrammingError, IntegrityError) as error:
            clashed = engine.dialect.name != "sqlite" or "locked" in str(error)
            if not clashed or attempt == _TRIES - 1:
                raise
            time.sleep(random.uniform(0.5, 1.5) * _BACKOFF_S * (attempt + 1))


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


def own_file(path: Path, what: str, *tables: Table) -> Engine:
    """An engine on an SQLite file beside the traces, with its tables; its folder is readable by its owner only.

    Args:
        what: the file in words, for what is told of a failure.

    Raises:
        StoreError: it cannot be opened.
    """
    try:
        private_folder(path.parent)
    except OSError as error:
        raise StoreError(f"cannot open {what}: {error.strerror}") from error
    with told(f"open {what}"):
        engine = engine_of(f"sqlite:///{path}")
        make(engine, *tables)
    return engine


@contextmanager
def told(what: str) -> Iterator[None]:
    """Whatever the database complains of inside becomes a StoreError that says what could not be done."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
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
