"""Whatever a cell holds, a row is a record or a reject: nothing else may come out of the mapper."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.catalog.importers.columns import ARTIST_COLUMNS, TRACK_COLUMNS
from data.catalog.importers.rows import RowMapper
from data.catalog.schema import Artist, Track
from data.errors import RowError
from data.vocab.loader import Vocabulary

SIMPLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.dates(),
    st.binary(max_size=8),
    st.text(st.characters(), max_size=20),
    st.sampled_from(["[", "['a']", "[" * 50, "1985-03-02", "3:45", "inf", "1e999", "-", "|", ";", "(Live", "٣", "9" * 5000]),
)
CELLS = st.recursive(SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3))


def row_of(table: dict[str, str]) -> st.SearchStrategy[dict[str, Any]]:
    """Rows with some of a table's columns."""
    return st.dictionaries(st.sampled_from(" ".join(table.values()).split()), CELLS, max_size=8)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(row=row_of(TRACK_COLUMNS))
def test_any_track_row(vocabularies: dict[str, Vocabulary], row: dict[str, Any]) -> None:
    """A track row is a track that the schema takes again, or a reject with its number."""
    try:
        track = RowMapper(vocabularies).track({"title": "Africa", "artist": "Toto", **row}, 5)
    except RowError as error:
        assert error.row == 5
    else:
        assert Track.model_validate_json(track.model_dump_json()) == track


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(row=row_of(ARTIST_COLUMNS))
def test_any_artist_row(vocabularies: dict[str, Vocabulary], row: dict[str, Any]) -> None:
    """An artist row is an artist that the schema takes again, or a reject with its number."""
    try:
        artist = RowMapper(vocabularies).artist({"name": "Toto", **row}, 5)
    except RowError as error:
        assert error.row == 5
    else:
        assert Artist.model_validate_json(artist.model_dump_json()) == artist
