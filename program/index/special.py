"""Searches with an order of their own: by date, and by shared words of lyrics."""

from __future__ import annotations

from collections.abc import Iterator

import tantivy
from tantivy import Occur, Query

from program.index.lyrics import asked_terms
from program.index.protocol import Hits

_FUZZY_FROM, _TWO_EDITS_FROM = 4, 8
_FUZZY_BOOST = 0.5


def newest(searcher: tantivy.Searcher, schema: tantivy.Schema, where: Query, limit: int) -> Hits:
    """Matches with a date, the latest year first, the best known first within a year; at most `limit`."""
    dated = _years(schema, where, 1, None)
    found = searcher.search(dated, limit=max(1, limit), order_by_field="released")
    years = [int(year) for year, _ in found.hits if year is not None]
    total = int(found.count or 0)  # type: ignore[attr-defined]
    rows: list[int] = []
    for year in sorted(set(years), reverse=True):
        if len(rows) >= limit:
            break
        hits = searcher.search(_years(schema, where, year, year), limit=limit - len(rows), order_by_field="popularity").hits
        rows.extend(int(row) for row in searcher.fast_field_values("row", [address for _, address in hits]) if row is not None)
    return Hits(tuple(rows), total)


def _years(schema: tantivy.Schema, where: Query, first: int, last: int | None) -> Query:
    span = Query.range_query(schema, "released", tantivy.FieldType.Unsigned, lower_bound=first, upper_bound=last)
    return Query.boolean_query([(Occur.Must, where), (Occur.Must, span)])


def sung_query(searcher: tantivy.Searcher, schema: tantivy.Schema, where: Query, text: str) -> Query | None:
    """Matches whose lyrics hold a term of `text`, scored by how rare the shared terms are; None when it has no words.

    A word that no lyrics hold is tried with a wrong letter or two.
    """
    terms = list(_terms(searcher, schema, asked_terms(text)))
    if not terms:
        return None
    wanted = Query.boolean_query([(Occur.Should, term) for term in terms])
    return Query.boolean_query([(Occur.Must, Query.const_score_query(where, 0.0)), (Occur.Must, wanted)])


def _terms(searcher: tantivy.Searcher, schema: tantivy.Schema, terms: list[str]) -> Iterator[Query]:
    for term in terms:
        if searcher.doc_freq("lyrics", term):
            yield Query.term_query(schema, "lyrics", term, index_option="basic")
        elif len(term) >= _FUZZY_FROM and "_" not in term:
            edits = 2 if len(term) >= _TWO_EDITS_FROM else 1
            yield Query.boost_query(Query.fuzzy_term_query(schema, "lyrics", term, distance=edits), _FUZZY_BOOST)
