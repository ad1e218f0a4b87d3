"""One partition of the cold tier: what is written to it and read from it. What is removed: removal.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson
from sqlalchemy import Select, bindparam, func, insert, literal, select, union_all
from sqlalchemy.engine import Engine

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
        rows = self._rows(self._statements.trace, {"trace_id": trace_id})
        return {row[0]: row[1] for row in rows}

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Artifact id → body, of those that are here."""
        return {row[0]: row[1] for row in self._about(self._statements.bodies, ids)}

    def nodes(self, ids: Sequence[str]) -> dict[str, str]:
        """Artifact id → node, of those that are here."""
        return {row[0]: row[1] for row in self._about(self._statements.nodes, ids)}

    def edges(self, seeds: Sequence[str], *, forward: bool) -> list[Edge]:
        """Every link that is reached from `seeds` by going on and on inside this partition, in no order."""
        statement = self._statements.forward if forward else self._statements.backward
        return [(row[0], row[1]) for row in self._about(statement, seeds)]

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
        """What is marked among `ids`, the oldest mark first."""
        table = self.tables.marks.c
        query = select(table.artifact_id, table.cause, table.why, table.at).order_by(table.at, table.artifact_id, table.cause)
        query = query.where(table.artifact_id.in_(_ids(as_json=self._is_sqlite)))
        return [Mark(*row) for row in self._about(query, ids)]

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
                done += connection.execute(insert(self.tables.marks).from_select(columns, found)).rowcount
        return done

    @property
    def _is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @property
    def _statements(self) -> _Statements:
        return _statements(self.suffix, as_json=self._is_sqlite)

    def _about(self, statement: Select[Any], ids: Sequence[str]) -> Iterator[Any]:
        for part in chunks(ids):
            yield from self._rows(statement, {"ids": orjson.dumps(part).decode() if self._is_sqlite else part})

    def _rows(self, query: Any, values: dict[str, Any]) -> Sequence[Any]:
        with told(_READING), self.engine.connect() as connection:
            return connection.execute(query, values).all()


@dataclass(frozen=True)
class _Statements:
    """The statements that answers and queries wait for, built once. All but `trace` are about the names in `ids`."""

    trace: Select[Any]
    bodies: Select[Any]
    nodes: Select[Any]
    forward: Select[Any]
    backward: Select[Any]


@lru_cache(maxsize=1_000)
def _statements(suffix: str, *, as_json: bool) -> _Statements:
    tables = tables_of(suffix)
    columns = tables.artifacts.c
    among = columns.artifact_id.in_(_ids(as_json=as_json))
    return _Statements(
        trace=select(columns.artifact_id, columns.body).where(columns.trace_id == bindparam("trace_id")),
        bodies=select(columns.artifact_id, columns.body).where(among),
        nodes=select(columns.artifact_id, columns.node).where(among),
        forward=_reached(tables, forward=True, as_json=as_json),
        backward=_reached(tables, forward=False, as_json=as_json),
    )


def _ids(*, as_json: bool) -> Any:
    """The names that a statement is about: one variable of JSON in SQLite, which halves a walk's time over many partitions."""
    if as_json:
        return select(func.json_each(bindparam("ids")).table_valued("value").c.value)
    return bindparam("ids", expanding=True)


def _reached(tables: Tables, *, forward: bool, as_json: bool) -> Select[Any]:
    """Links reached from the ids. UNION keeps each name once, so a damaged store's ring ends."""
    links = tables.parents.c
    here, there = (links.parent, links.child) if forward else (links.child, links.parent)
    first = select(there.label("name")).where(here.in_(_ids(as_json=as_json)))
    reached = first.cte("reached", recursive=True)
    reached = reached.union(select(there).join(reached, here == reached.c.name))
    own = select(links.child, links.parent).where(here.in_(_ids(as_json=as_json)))
    further = select(links.child, links.parent).join(reached, here == reached.c.name)
    both = union_all(own, further).subquery()
    return select(both.c.child, both.c.parent)
