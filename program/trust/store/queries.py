"""The queries that answers and people wait for, built once for each partition's tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, bindparam, func, select, union_all
from sqlalchemy.dialects.sqlite.pysqlite import dialect

from program.trust.store.tables import Tables, tables_of

_SQLITE = dialect()


@dataclass(frozen=True)
class Query:
    """A query with one value: a name, or many.

    Attributes:
        sql: for SQLite, which takes many names as one JSON list. times: how often the value stands in it.
    """

    statement: Select[Any]
    sql: str
    times: int


@dataclass(frozen=True)
class Queries:
    """About the artifacts of one trace, about artifacts by their ids, and along the links from ids."""

    trace: Query
    bodies: Query
    nodes: Query
    marks: Query
    forward: Query
    backward: Query


@lru_cache(maxsize=1_000)
def queries_of(suffix: str, *, as_json: bool) -> Queries:
    """The queries over the tables whose names end with `suffix`."""
    tables = tables_of(suffix)
    artifacts, marks = tables.artifacts.c, tables.marks.c
    among = artifacts.artifact_id.in_(_names(as_json=as_json))
    marked = select(marks.artifact_id, marks.cause, marks.why, marks.at)
    return Queries(
        trace=_query(select(artifacts.artifact_id, artifacts.body).where(artifacts.trace_id == bindparam("value"))),
        bodies=_query(select(artifacts.artifact_id, artifacts.body).where(among)),
        nodes=_query(select(artifacts.artifact_id, artifacts.node).where(among)),
        marks=_query(marked.where(marks.artifact_id.in_(_names(as_json=as_json)))),
        forward=_query(_reached(tables, forward=True, as_json=as_json)),
        backward=_query(_reached(tables, forward=False, as_json=as_json)),
    )


def _query(statement: Select[Any]) -> Query:
    compiled: Any = statement.compile(dialect=_SQLITE)
    return Query(statement, str(compiled), len(compiled.positiontup))


def _names(*, as_json: bool) -> Any:
    if as_json:
        return select(func.json_each(bindparam("value")).table_valued("value").c.value)
    return bindparam("value", expanding=True)


def _reached(tables: Tables, *, forward: bool, as_json: bool) -> Select[Any]:
    """Links reached from the names. UNION keeps each name once, so a damaged store's ring ends."""
    links = tables.parents.c
    here, there = (links.parent, links.child) if forward else (links.child, links.parent)
    first = select(there.label("name")).where(here.in_(_names(as_json=as_json)))
    reached = first.cte("reached", recursive=True)
    reached = reached.union(select(there).join(reached, here == reached.c.name))
    own = select(links.child, links.parent).where(here.in_(_names(as_json=as_json)))
    further = select(links.child, links.parent).join(reached, here == reached.c.name)
    both = union_all(own, further).subquery()
    return select(both.c.child, both.c.parent)
