"""The trace store: artifacts in SQLite (or any SQLAlchemy URL), queried forwards and backwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    select,
    text,
)
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from data.contracts import Artifact
from data.errors import StoreError

_METADATA = MetaData()
_ARTIFACTS = Table(
    "artifacts",
    _METADATA,
    Column("artifact_id", String(64), primary_key=True),
    Column("trace_id", String(32), nullable=False),
    Column("node", String(32), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("body", Text, nullable=False),
    Index("artifacts_by_trace", "trace_id"),
    Index("artifacts_by_time", "created_at"),
)
_PARENTS = Table(
    "parents",
    _METADATA,
    Column("child", String(64), ForeignKey("artifacts.artifact_id"), primary_key=True),
    Column("parent", String(64), primary_key=True),
    Index("parents_by_parent", "parent"),
)


class TraceStore:
    """Keeps artifacts.

    Args:
        url: an SQLAlchemy URL.

    Raises:
        StoreError: the store cannot be opened; every method raises it when the store fails later.
    """

    def __init__(self, url: str) -> None:
        try:
            self._engine = _engine(url)
            _create(self._engine)
        except SQLAlchemyError as error:
            raise StoreError(f"cannot open the trace store: {_first_line(error)}") from error

    @classmethod
    def at(cls, path: Path) -> TraceStore:
        """A store in an SQLite file; its folder is made."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder of the trace store: {error}") from error
        return cls(f"sqlite:///{path}")

    def add(self, artifacts: Sequence[Artifact]) -> None:
        """Write one session's artifacts in one transaction."""
        if not artifacts:
            return
        rows = [
            {
                "artifact_id": a.artifact_id,
                "trace_id": a.trace_id,
                "node": a.node,
                "created_at": a.created_at,
                "body": a.model_dump_json(),
            }
            for a in artifacts
        ]
        links = [{"child": a.artifact_id, "parent": parent} for a in artifacts for parent in a.parents]
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(_ARTIFACTS), rows)
                if links:
                    connection.execute(insert(_PARENTS), links)
        except SQLAlchemyError as error:
            raise StoreError(f"cannot write the trace: {_first_line(error)}") from error

    def trace(self, trace_id: str) -> list[Artifact]:
        """All artifacts of one session, oldest first; empty when there is none."""
        query = select(_ARTIFACTS.c.body).where(_ARTIFACTS.c.trace_id == trace_id).order_by(_ARTIFACTS.c.artifact_id)
        return [_artifact(body) for body in self._column(query)]

    def get(self, artifact_id: str) -> Artifact | None:
        """One artifact."""
        found = self._column(select(_ARTIFACTS.c.body).where(_ARTIFACTS.c.artifact_id == artifact_id))
        return _artifact(found[0]) if found else None

    def made_from(self, artifact_id: str) -> list[str]:
        """Backwards: the ids of everything that an artifact was made from, nearest first."""
        return self._walk(artifact_id, _PARENTS.c.child, _PARENTS.c.parent)

    def went_into(self, artifact_id: str) -> list[str]:
        """Forwards: the ids of everything that was made from an artifact, nearest first."""
        return self._walk(artifact_id, _PARENTS.c.parent, _PARENTS.c.child)

    def latest(self, limit: int = 10) -> list[str]:
        """Trace ids, newest first."""
        query = select(_ARTIFACTS.c.trace_id).where(_ARTIFACTS.c.node == "request").order_by(_ARTIFACTS.c.created_at.desc())
        return [str(trace_id) for trace_id in self._column(query.limit(limit))]

    def forget(self, parameter: str, value: str) -> int:
        """Remove every trace with an artifact that was made with this parameter, for good. Returns how many traces.

        What is deleted is overwritten, the write-ahead log is emptied, and the file compacted (SQLite; elsewhere, deleted).
        """
        marked = f'%"{parameter}":"{value}"%'
        traces = select(_ARTIFACTS.c.trace_id).where(_ARTIFACTS.c.body.like(marked)).distinct()
        try:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                is_sqlite = connection.dialect.name == "sqlite"
                if is_sqlite:
                    connection.execute(text("PRAGMA secure_delete=ON"))
                names = [str(row[0]) for row in connection.execute(traces)]
                for name in names:
                    gone = _ARTIFACTS.c.trace_id == name
                    children = select(_ARTIFACTS.c.artifact_id).where(gone)
                    connection.execute(delete(_PARENTS).where(_PARENTS.c.child.in_(children)))
                    connection.execute(delete(_ARTIFACTS).where(gone))
                if is_sqlite and names:
                    connection.execute(text("VACUUM"))
                    connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
        except SQLAlchemyError as error:
            raise StoreError(f"cannot remove from the trace store: {_first_line(error)}") from error
        return len(names)

    def close(self) -> None:
        """Release the connections."""
        self._engine.dispose()

    def _walk(self, start: str, from_column: Column[str], to_column: Column[str]) -> list[str]:
        found: dict[str, None] = {}
        frontier = [start]
        while frontier:
            reached = self._column(select(to_column).where(from_column.in_(frontier)).order_by(to_column))
            frontier = [name for name in dict.fromkeys(map(str, reached)) if name not in found]
            found.update(dict.fromkeys(frontier))
        return list(found)

    def _column(self, query: object) -> list[str]:
        try:
            with self._engine.connect() as connection:
                return [row[0] for row in connection.execute(query)]  # type: ignore[call-overload]
        except SQLAlchemyError as error:
            raise StoreError(f"cannot read the trace store: {_first_line(error)}") from error


def _artifact(body: str) -> Artifact:
    try:
        return Artifact.model_validate_json(body)
    except ValidationError as error:
        raise StoreError("an artifact in the trace store is damaged") from error


def _create(engine: Engine) -> None:
    """Make what is missing; several processes may do so at once."""
    with engine.begin() as connection:
        for table in _METADATA.sorted_tables:
            connection.execute(CreateTable(table, if_not_exists=True))
            for index in table.indexes:
                connection.execute(CreateIndex(index, if_not_exists=True))


def _engine(url: str) -> Engine:
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _pragmas)
    return engine


def _pragmas(connection: object, _: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    for pragma in ("busy_timeout=20000", "journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _first_line(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]
