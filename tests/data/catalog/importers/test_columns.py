from __future__ import annotations

from typing import Any

import pytest

from data.catalog.importers.columns import ARTIST_COLUMNS, ARTISTS, TRACK_COLUMNS, TRACKS, column_form
from data.catalog.schema import Artist, Track


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"Track Name": "a", "Artist Name(s)": "x"}, {"title": "a"}),
        ({"track-name": "a", "ARTIST": "b"}, {"title": "a", "artists": "b"}),
        ({"name": "n", "title": "t"}, {"title": "t"}),
        ({"title": "t", "name": "n"}, {"title": "t"}),
        ({"title": "", "name": "n", "song": None}, {"title": "n"}),
        ({"duration_ms": 5, "mystery": 1}, {"duration_ms": 5}),
    ],
)
def test_pick(row: dict[str, Any], found: dict[str, Any]) -> None:
    """Of two columns for one field the better name wins, whatever their order; unknown and empty ones go."""
    assert TRACKS.pick(row) == found


def test_every_schema_field_has_a_column() -> None:
    """Each field of a record can be read from a column of its own name."""
    track_fields, artist_fields = Track.model_fields.keys(), Artist.model_fields.keys()

    assert track_fields <= TRACK_COLUMNS.keys()
    assert artist_fields <= ARTIST_COLUMNS.keys()
    assert all(TRACKS.field_of(name) == name for name in track_fields)
    assert all(ARTISTS.field_of(name) == name for name in artist_fields)


@pytest.mark.parametrize("table", [TRACK_COLUMNS, ARTIST_COLUMNS])
def test_no_column_fills_two_fields(table: dict[str, str]) -> None:
    """A column's name is listed once, in the form that names are brought to."""
    names = " ".join(table.values()).split()

    assert len(names) == len(set(names))
    assert all(column_form(name) == name for name in names)
