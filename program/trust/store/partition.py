"""One partition of the cold tier: what is written to it and read from it. What is removed: removal.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import func, insert, literal, select
from sqlalchemy.engine import Engine

from program.trust.store.queries import Queries, Query, queries_of
from program.trust.store.rows import Mark, Row, chunks
from program.trust.store.tables import Tables, tables_of, told

_READING = "read the trace store"
Edge = tuple[str, str]
"""A child and one of its parents."""


@dataclass(frozen=True)
class Partition:
    """One stretch of time in one database. suffix: of its tables' names; start, end: seconds since 1970, end excluded."""

    name: str
    engine: Engine
    suffix: str
    start: float
    end: float

    @property
    def tables(self) -> Tables:
        """Its tables."""
        return tables_of(self.suffix)

    def write(self, rows: Sequence[Row]) -> None:
        """All rows in one transaction.

        Raises:
            StoreError: one cannot be written; then none is. Every method raises it when the database fails.
        """
        artifacts = [
            {"artifact_id": r.artifact_id, "trace_id": r.trace_id, "node": r.node, "created_at": r.created_at, "body": r.body}
            for r in rows
        ]
        links = [{"child": row.artifact_id, "parent": parent} for row in rows for parent in row.parents]
        with told("write the trace"), self.engine.begin() as connection:
            connection.execute(insert(self.tables.artifacts), artifacts)
            if links:
                connection.execute(insert(self.tables.parents), links)

    def trace(self, trace_id: str) -> dict[str, str]:
        """Artifact id → body of one trace."""
        return {row[0]: row[1] for row in self._ask(self._queries.trace, trace_id)}

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Artifact id → body, of those that are here."""
        return {row[0]: row[1] for row in self._about(self._queries.bodies, ids)}

    def nodes(self, ids: Sequence[str]) -> dict[str, str]:
        """Artifact id → node, of those that are here."""
        return {row[0]: row[1] for row in self._about(self._queries.nodes, ids)}

    def edges(self, seeds: Sequence[str], *, forward: bool) -> list[Edge]:
        """Every link that is reached from `seeds` by going on and on inside this partition, in no order."""
        query = self._queries.forward if forward else self._queries.backward
        return [(row[0], row[1]) for row in self._about(query, seeds)]

    def latest(self, limit: int) -> list[tuple[float, str]]:
        """Time and trace id of the newest sessions, newest first."""
        table = self.tables.artifacts.c
        query = select(table.created_at, table.trace_id).where(table.node == "request")
        rows = self._rows(query.order_by(table.created_at.desc()).limit(limit), {})
        return [(float(row[0]), str(row[1])) for row in rows]

    def newest(self) -> float | None:
        """When the newest artifact was made; None where there is none."""
        found = self._rows(select(func.max(self.tables.artifacts.c.created_at)), {})[0][0]
        return None if found is None else float(found)

    def marks(self, ids: Sequence[str]) -> list[Mark]:
        """What is marked among `ids`, in no order."""
        return [Mark(*row) for row in self._about(self._queries.marks, ids)]

    def mark(self, ids: Sequence[str], cause: str, why: str, at: float) -> int:
        """Mark those of `ids` that are here and not yet marked by this cause. Returns how many."""
        artifacts, marks = self.tables.artifacts.c, self.tables.marks.c
        known = select(marks.artifact_id).where(marks.artifact_id == artifacts.artifact_id, marks.cause == cause)
        columns = ["artifact_id", "cause", "why", "at"]
        done = 0
        with told("mark in the trace store"), self.engine.begin() as connection:
            for part in chunks(ids):
                found = select(artifacts.artifact_id, literal(cause), literal(why), literal(at))
                found = found.where(artifacts.artifact_id.in_(part), ~known.exists())
                new = insert(self.tables.marks).from_select(columns, found).returning(marks.artifact_id)
                done += len(connection.execute(new).all())
        return done

    @property
    def _is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @property
    def _queries(self) -> Queries:
        return queries_of(self.suffix, as_json=self._is_sqlite)

    def _about(self, query: Query, ids: Sequence[str]) -> Iterator[Any]:
        for part in chunks(ids):
            yield from self._ask(query, orjson.dumps(part).decode() if self._is_sqlite else part)

    def _ask(self, query: Query, value: Any) -> Sequence[Any]:
        """SQLite is asked past SQLAlchemy: a walk asks every partition, and a query then takes a third of the time."""
        if not self._is_sqlite:
            return self._rows(query.statement, {"value": value})
        with told(_READING), closing(self.engine.raw_connection()) as connection:
            driver: Any = connection.driver_connection
            found: Sequence[Any] = driver.execute(query.sql, (value,) * query.times).fetchall()
            return found

    def _rows(self, query: Any, values: dict[str, Any]) -> Sequence[Any]:
        with told(_READING), self.engine.connect() as connection:
            return connection.execute(query, values).all()
