from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from data.catalog.schema import INHERITED, Artist, Credit, Track, inherit

ARTIST = Artist(artist_id="a", name="A", region="IS", language="is", genres=("post-punk",), vocal="female", popularity=3)


def track(**facets: Any) -> Track:
    return Track(track_id="t", title="T", artists=(Credit(artist_id="a", name="A"),), **facets)


def test_inherits_what_is_empty() -> None:
    """A bare track takes region, language, genres and voice from its artist, and nothing else."""
    filled = inherit(track(), ARTIST)

    assert (filled.region, filled.language, filled.genres, filled.vocal) == ("IS", "is", ("post-punk",), "female")
    assert filled.model_dump(exclude=set(INHERITED)) == track().model_dump(exclude=set(INHERITED))


@pytest.mark.parametrize(
    ("facet", "own"), [("region", "GB"), ("language", "en"), ("genres", ("jazz", "soul")), ("vocal", "male")]
)
def test_its_own_word_wins(facet: str, own: Any) -> None:
    """What the track says about itself is never replaced or added to."""
    assert getattr(inherit(track(**{facet: own}), ARTIST), facet) == own


@pytest.mark.parametrize(
    ("facets", "artist", "language"),
    [
        ({"vocal": "instrumental"}, ARTIST, None),
        ({}, ARTIST.model_copy(update={"vocal": "instrumental"}), None),
        ({"vocal": "female"}, ARTIST.model_copy(update={"vocal": "instrumental"}), "is"),
        ({"vocal": "instrumental", "language": "en"}, ARTIST, "en"),
        ({}, ARTIST, "is"),
    ],
    ids=["instrumental track", "instrumental artist", "sung track of an instrumental artist", "own language", "sung"],
)
def test_instrumentals_have_no_language(facets: dict[str, Any], artist: Artist, language: str | None) -> None:
    """An instrumental, by its own record or its artist's, inherits no language; a language of its own stays."""
    assert inherit(track(**facets), artist).language == language


def test_nothing_to_inherit() -> None:
    """Without an artist, or where nothing changes, the track is handed back as it is."""
    bare = track()
    full = track(region="GB", language="en", genres=("jazz",), vocal="male")

    assert inherit(bare, None) is bare
    assert inherit(bare, Artist(artist_id="a", name="A")) is bare
    assert inherit(full, ARTIST) is full


@pytest.mark.parametrize(
    "facets",
    [{"year": 999}, {"year": 2101}, {"bpm": 19}, {"bpm": 401}, {"duration_s": 0}, {"popularity": -1}, {"vocal": "choir"}],
    ids=lambda facets: next(iter(facets)),
)
def test_out_of_range(facets: dict[str, Any]) -> None:
    """Numbers outside their range and voices outside their set are refused."""
    with pytest.raises(ValidationError, match=next(iter(facets))):
        track(**facets)


def test_needs_a_title_and_an_artist() -> None:
    """Those two, and an id, are all that a track must have."""
    with pytest.raises(ValidationError, match="artists"):
        Track(track_id="t", title="T", artists=())
    with pytest.raises(ValidationError, match="title"):
        Track(track_id="t", title="", artists=(Credit(artist_id="a", name="A"),))
