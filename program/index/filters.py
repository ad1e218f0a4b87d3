"""Constraints as search queries and as a check on one record: the same meaning, twice, held together by a test.

Concepts are stored on a track with everything wider than them (post-punk also as rock, Iceland also as nordic and
europe), so a query for a concept is one exact term.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from functools import cache
from typing import Literal

import tantivy
from tantivy import Occur, Query

from data.catalog.schema import Track
from data.contracts import Constraint, Satisfied
from data.vocab.loader import load_vocabularies
from program.index.layout import FACET_FIELDS, TERM_FACETS
from program.index.protocol import Filter

Bounds = tuple[float | None, float | None]
_NOTHING: Bounds = (1.0, 0.0)
_MOST_CLAUSES = 100
_NUMBER_FIELD = {"era": "year", "tempo": "bpm", "popularity": "popularity"}
_BOUND_NAMES = {
    "era": ("year_from", "year_to"),
    "tempo": ("bpm_min", "bpm_max"),
    "popularity": ("percentile_min", "percentile_max"),
}


@cache
def expanded(facet: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """`values` with everything wider than them, as they are indexed on a track."""
    vocabulary = load_vocabularies().get(facet)
    if vocabulary is None:
        return values
    found = dict.fromkeys(values)
    for value in values:
        found.update(dict.fromkeys(vocabulary.ancestors(value)))
    return tuple(found)


def concept_bounds(facet: str, value: str, *, this_year: int | None = None) -> Bounds:
    """Closed numeric bounds of an era, tempo or popularity concept; a bare number is itself, an unknown word is nothing.

    A tempo's upper bound belongs to the next tempo.
    """
    concept = load_vocabularies()[facet].concepts.get(value)
    if concept is None:
        return (float(value), float(value)) if value.replace(".", "", 1).isdigit() else _NOTHING
    low_name, high_name = _BOUND_NAMES[facet]
    low, high = concept.numbers.get(low_name), concept.numbers.get(high_name)
    if "years_back" in concept.numbers:
        low = (this_year or datetime.date.today().year) - concept.numbers["years_back"]
    if facet == "tempo" and high is not None:
        high = math.nextafter(high, 0.0)
    return low, high


@cache
def is_decade(value: str) -> bool:
    """Whether an era concept is exactly one decade, which is indexed as a term: far cheaper than a range of years."""
    low, high = concept_bounds("era", value)
    return low is not None and high is not None and value == f"{int(low)}s" and high == low + 9 and low % 10 == 0


def number_bounds(constraint: Constraint) -> tuple[Bounds, ...]:
    """The closed intervals that a numeric constraint names; a `range` has exactly one."""
    if constraint.op == "range":
        low, high = constraint.values
        return ((float(low) if low else None, float(high) if high else None),)
    return tuple(concept_bounds(constraint.facet, value) for value in constraint.values)


def _within(value: float, bounds: Bounds) -> bool:
    low, high = bounds
    return (low is None or value >= low) and (high is None or value <= high)


def satisfies(track: Track, popularity: float, constraint: Constraint) -> Satisfied:
    """Whether the record satisfies the constraint; `unknown` when it does not say.

    Args:
        popularity: the track's percentile, 0..1.
    """
    facet = constraint.facet
    raw = getattr(track, FACET_FIELDS[facet])
    if raw is None or raw == ():
        return "unknown"
    if facet in _NUMBER_FIELD:
        number = popularity if facet == "popularity" else float(raw)
        inside = any(_within(number, bounds) for bounds in number_bounds(constraint))
        return "yes" if inside != (constraint.op == "not") else "no"
    held = expanded(facet, raw if isinstance(raw, tuple) else (raw,))
    inside = not set(constraint.values).isdisjoint(held)
    return "yes" if inside != (constraint.op == "not") else "no"


def accepts(track: Track, popularity: float, constraint: Constraint) -> bool:
    """Whether a search under the constraint may return the track: unknown passes an exclusion and a softened one only."""
    state = satisfies(track, popularity, constraint)
    return state == "yes" or (state == "unknown" and (constraint.unknown_ok or constraint.op == "not"))


def any_term(schema: tantivy.Schema, field: str, values: Sequence[str], option: Literal["basic", "freq"] = "basic") -> Query:
    """Documents with any of the values; values must not be empty.

    Up to `_MOST_CLAUSES` values are looked up one by one: a term set costs 200 µs before it finds anything (n = 1,000,000).
    """
    if len(values) > _MOST_CLAUSES:
        return Query.term_set_query(schema, field, list(values))
    terms = [Query.term_query(schema, field, value, index_option=option) for value in values]
    return terms[0] if len(terms) == 1 else Query.boolean_query([(Occur.Should, term) for term in terms])


class FilterCompiler:
    """Turns a `Filter` into a query over the tracks index."""

    def __init__(self, schema: tantivy.Schema) -> None:
        self._schema = schema

    def compile(self, where: Filter) -> Query:
        """The query; `playable` always holds.

        The few that are not playable are taken out: asking for the many that are costs twice as much (n = 1,000,000).
        """
        must: list[Query] = []
        named = (("track_id", where.track_ids), ("artist_id", where.artist_ids), ("album_id", where.album_ids))
        alternatives = [self._terms(field, ids) for field, ids in named if ids]
        if alternatives:
            must.append(Query.boolean_query([(Occur.Should, query) for query in alternatives]))
        if where.title_keys:
            must.append(self._terms("title_key", where.title_keys))
        must.extend(Query.term_query(self._schema, "text", word) for word in where.text.split())
        must.extend(self._constraint(constraint) for constraint in where.constraints if constraint.op != "not")
        unwanted = (
            ("track_id", where.not_track_ids),
            ("artist_id", where.not_artist_ids),
            ("album_id", where.not_album_ids),
        )
        must_not = [self._terms(field, ids) for field, ids in unwanted if ids]
        must_not.extend(self._inside(constraint) for constraint in where.constraints if constraint.op == "not")
        if must:
            must_not.append(Query.term_query(self._schema, "playable", False))
        else:
            must.append(Query.term_query(self._schema, "playable", True))
        clauses = [(Occur.Must, query) for query in must] + [(Occur.MustNot, query) for query in must_not]
        return Query.boolean_query(clauses)

    def _terms(self, field: str, values: tuple[str, ...]) -> Query:
        return any_term(self._schema, field, values)

    def _constraint(self, constraint: Constraint) -> Query:
        inside = self._inside(constraint)
        if not constraint.unknown_ok:
            return inside
        unknown = Query.term_query(self._schema, "missing", constraint.facet, index_option="basic")
        return Query.boolean_query([(Occur.Should, inside), (Occur.Should, unknown)])

    def _inside(self, constraint: Constraint) -> Query:
        if constraint.facet in TERM_FACETS:
            return self._terms(constraint.facet, constraint.values) if constraint.values else Query.empty_query()
        if constraint.facet == "era" and constraint.op != "range" and all(map(is_decade, constraint.values)):
            return self._terms("decade", constraint.values) if constraint.values else Query.empty_query()
        ranges = [self._range(constraint.facet, bounds) for bounds in number_bounds(constraint)]
        known = [query for query in ranges if query is not None]
        if not known:
            return Query.empty_query()
        within = Query.boolean_query([(Occur.Should, query) for query in known])
        if constraint.facet != "popularity":
            return within
        missing = Query.term_query(self._schema, "missing", "popularity", index_option="basic")
        return Query.boolean_query([(Occur.Must, within), (Occur.MustNot, missing)])

    def _range(self, facet: str, bounds: Bounds) -> Query | None:
        low, high = bounds
        if (low is None and high is None) or (low is not None and high is not None and low > high):
            return None
        if facet == "era":
            years = tantivy.FieldType.Unsigned
            return Query.range_query(self._schema, "year", years, lower_bound=_whole(low), upper_bound=_whole(high))
        numbers = tantivy.FieldType.Float
        return Query.range_query(self._schema, _NUMBER_FIELD[facet], numbers, lower_bound=low, upper_bound=high)


def _whole(value: float | None) -> int | None:
    return None if value is None else max(0, int(value))
