from __future__ import annotations

from typing import Any, get_args

import annotated_types
import pytest
from pydantic import ValidationError

from data.catalog.importers.rows import RowMapper, derived_id
from data.catalog.schema import Artist, Track, VersionKind, Vocal
from data.errors import RowError
from data.vocab.loader import Vocabulary


@pytest.fixture
def mapper(vocabularies: dict[str, Vocabulary]) -> RowMapper:
    """A mapper that knows two artists."""
    made = RowMapper(vocabularies)
    made.artist({"artist_id": "toto", "name": "Toto", "aliases": "ToTo Band|TOTO!"}, 1)
    made.artist({"artist_id": "jay-chou", "name": "Jay Chou", "aliases": "周杰伦"}, 2)
    return made


def test_full_track(mapper: RowMapper) -> None:
    """Every field is read, and facet words become ids."""
    row = {
        "track_id": "t1",
        "title": " Africa\x00 ",
        "artists": ["Toto"],
        "artist_ids": "toto",
        "album": "Toto IV",
        "year": "1982",
        "release_year": "1983-01-01",
        "genres": "Rock|yacht rock",
        "moods": ["joyful"],
        "activities": "gym",
        "instruments": "keys",
        "tags": "b-side",
        "region": "USA",
        "language": "English",
        "vocal": "M",
        "bpm": "93",
        "duration_s": 295.0,
        "popularity": 5,
        "version": "Remastered",
        "aliases": "Afrika|Africa!",
        "lyrics": "one\r\ntwo",
        "playable": "no",
        "mystery": object(),
    }

    assert mapper.track(row, 1) == Track.model_validate(
        {
            "track_id": "t1",
            "title": "Africa",
            "artists": ({"artist_id": "toto", "name": "Toto"},),
            "album": "Toto IV",
            "year": 1982,
            "release_year": 1983,
            "genres": ("rock",),
            "moods": ("happy",),
            "activities": ("workout",),
            "instruments": ("piano",),
            "tags": ("yacht rock", "b-side"),
            "region": "US",
            "language": "en",
            "vocal": "male",
            "bpm": 93.0,
            "duration_s": 295.0,
            "popularity": 5.0,
            "version": "remaster",
            "aliases": ("Afrika", "Africa!"),
            "lyrics": "one\ntwo",
            "playable": False,
        }
    )


def test_full_artist(vocabularies: dict[str, Vocabulary]) -> None:
    """Every field of an artist is read; words that no genre answers to are left out."""
    row = {
        "id": 7,
        "name": "Sigur Rós",
        "aliases": "SR",
        "former_names": ["Victory Rose"],
        "transliterations": "Sigur Ros",
        "country": "Iceland",
        "language": "isl",
        "genres": "rock|gym|zydeco",
        "gender": "male",
        "popularity": "4",
    }

    assert RowMapper(vocabularies).artist(row, 1) == Artist(
        artist_id="7",
        name="Sigur Rós",
        aliases=("SR",),
        former_names=("Victory Rose",),
        transliterations=("Sigur Ros",),
        region="IS",
        language="is",
        genres=("rock",),
        vocal="male",
        popularity=4,
    )


@pytest.mark.parametrize(
    ("cells", "field", "reason"),
    [
        ({"title": None}, "title", "missing"),
        ({"title": " \x00 "}, "title", "missing"),
        ({"title": ["x"]}, "title", "not text"),
        ({"title": True}, "title", "not text"),
        ({"title": "x" * 1001}, "title", "1000 characters"),
        ({"artists": None}, "artists", "missing"),
        ({"artists": []}, "artists", "missing"),
        ({"artists": "|"}, "artists", "missing"),
        ({"artists": [["x"]]}, "artists", "not text"),
        ({"artists": "x" * 501}, "artists", "500 characters"),
        ({"artists": None, "artist_ids": "nobody"}, "artist_ids", "no artist has this id"),
        ({"artist_ids": "a|b"}, "artist_ids", "more ids than artist names"),
        ({"artist_ids": "x" * 201}, "artists", "200 characters"),
        ({"track_id": "x" * 201}, "track_id", "200 characters"),
        ({"album": "x" * 1001}, "album", "1000 characters"),
        ({"year": 999}, "year", "greater than or equal to 1000"),
        ({"year": "2101"}, "year", "less than or equal to 2100"),
        ({"released": "99-1-1"}, "release_year", "not a number"),
        ({"bpm": 19}, "bpm", "greater than or equal to 20"),
        ({"bpm": "401"}, "bpm", "less than or equal to 400"),
        ({"bpm": "fast"}, "bpm", "not a number"),
        ({"duration_s": -1}, "duration_s", "greater than 0"),
        ({"duration_ms": "inf"}, "duration_ms", "not a finite number"),
        ({"popularity": -0.5}, "popularity", "greater than or equal to 0"),
        ({"popularity": {"all": 3}}, "popularity", "not a number"),
        ({"genres": "x" * 501}, "genres", "over 500 characters"),
        ({"playable": "perhaps"}, "playable", "neither yes nor no"),
    ],
)
def test_refused_track(mapper: RowMapper, cells: dict[str, Any], field: str, reason: str) -> None:
    """A cell that cannot be used refuses the row, with its number and field."""
    with pytest.raises(RowError) as caught:
        mapper.track({"title": "Africa", "artists": "Toto", **cells}, 12)

    assert (caught.value.row, caught.value.field) == (12, field)
    assert reason in caught.value.message


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "name"),
        ({"name": "x" * 501}, "name"),
        ({"name": "A", "artist_id": "x" * 201}, "artist_id"),
        ({"name": "A", "popularity": -1}, "popularity"),
        ({"name": "A", "aliases": [True]}, "aliases"),
        ({"name": "A", "artist_id": "toto"}, "artist_id"),
    ],
)
def test_refused_artist(mapper: RowMapper, row: dict[str, Any], field: str) -> None:
    """An artist row is refused for what its schema refuses, and for an id that is taken."""
    with pytest.raises(RowError) as caught:
        mapper.artist(row, 3)

    assert (caught.value.row, caught.value.field) == (3, field)


def test_every_limit_of_the_schema_is_kept(mapper: RowMapper) -> None:
    """Whatever number the schema refuses, a row with it is refused too."""
    for name, info in Track.model_fields.items():
        beyond: list[Any] = []
        for limit in info.metadata:
            if isinstance(limit, annotated_types.MaxLen):
                beyond.append("x" * (limit.max_length + 1))
            low = getattr(limit, "ge", getattr(limit, "gt", None))
            high = getattr(limit, "le", None)
            beyond += [low - 1] if low is not None else []
            beyond += [high + 1] if high is not None else []
        for value in beyond:
            if value != 0:  # 0 means unknown
                with pytest.raises(RowError):
                    mapper.track({"title": "Africa", "artists": "Toto", name: value}, 1)
            with pytest.raises(ValidationError):
                Track.model_validate({"track_id": "t", "title": "Africa", "artists": [], name: value})


def test_duplicate_track_id(mapper: RowMapper) -> None:
    """The second row with an id is refused; a refused row does not take its id."""
    with pytest.raises(RowError):
        mapper.track({"track_id": "t", "title": "Africa", "artists": "Toto", "bpm": 1}, 1)
    mapper.track({"track_id": "t", "title": "Africa", "artists": "Toto"}, 2)
    with pytest.raises(RowError) as caught:
        mapper.track({"track_id": "t", "title": "Rosanna", "artists": "Toto"}, 3)

    assert (caught.value.field, caught.value.message) == ("track_id", "already used by an earlier row")


@pytest.mark.parametrize(
    ("cells", "credited"),
    [
        ({"artists": "toto"}, [("toto", "toto")]),
        ({"artist": "周杰倫"}, [("jay-chou", "周杰倫")]),
        ({"artists": "Toto Band"}, [("toto", "Toto Band")]),
        ({"artist_ids": "toto|jay-chou"}, [("toto", "Toto"), ("jay-chou", "Jay Chou")]),
        ({"artist_id": "x", "artist_name": "Somebody"}, [("x", "Somebody")]),
        ({"artists": ["A", "B"], "artist_ids": ["x"]}, [("x", "A"), ("name:b", "B")]),
        ({"artists": "Nobody|NOBODY!"}, [("name:nobody", "Nobody")]),
        ({"artists": "A;B"}, [("name:a", "A"), ("name:b", "B")]),
        ({"artists": "['A', 'B']"}, [("name:a", "A"), ("name:b", "B")]),
        ({"artists": "Tyler, The Creator"}, [("name:tylerthecreator", "Tyler, The Creator")]),
        ({"artists": [{"id": "x", "name": "A"}, {"id": "y", "name": "B"}]}, [("x", "A"), ("y", "B")]),
        ({"artists": [{"id": "x", "name": "A"}, "B"]}, [("name:a", "A"), ("name:b", "B")]),
        ({"artist": 311}, [("name:311", "311")]),
    ],
)
def test_credits(mapper: RowMapper, cells: dict[str, Any], credited: list[tuple[str, str]]) -> None:
    """Names find the artists read before, by any of their names; other names get one id a key."""
    track = mapper.track({"title": "Song", **cells}, 1)

    assert [(credit.artist_id, credit.name) for credit in track.artists] == credited


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"released": "1985-03-02"}, {"year": 1985, "release_year": 1985}),
        ({"released": "2011", "title": "Africa - Remastered 2011"}, {"year": None, "release_year": 2011}),
        ({"released": "2011", "year": 1982}, {"year": 1982, "release_year": 2011}),
        ({"duration_ms": 295_000}, {"duration_s": 295.0}),
        ({"duration": "4:55"}, {"duration_s": 295.0}),
        ({"length": 295_000}, {"duration_s": 295.0}),
        ({"tempo": 0.0, "year": 0}, {"bpm": None, "year": None}),
        ({"popularity": float("nan")}, {"popularity": None}),
        ({"version": "radio edit"}, {"version": "original", "tags": ("radio edit",)}),
        ({"title": "Africa (Live)"}, {"version": "live"}),
        ({"title": "Africa (Live)", "version": "cover"}, {"version": "cover"}),
        ({"region": "Narnia", "language": "elvish"}, {"region": None, "tags": ("Narnia", "elvish")}),
        ({"album": {"name": "IV", "id": 4}}, {"album": "IV"}),
        ({"language": ["en", "fr"]}, {"language": "en"}),
    ],
)
def test_variants(mapper: RowMapper, cells: dict[str, Any], expected: dict[str, Any]) -> None:
    """Other columns, units and spellings say the same thing."""
    track = mapper.track({"title": "Africa", "artists": "Toto", **cells}, 1)

    assert {name: getattr(track, name) for name in expected} == expected


def test_closed_words(mapper: RowMapper) -> None:
    """Every kind of voice and version is read as itself."""
    for number, vocal in enumerate(get_args(Vocal)):
        assert mapper.track({"id": f"v{number}", "title": "A", "artist": "B", "vocal": vocal}, 1).vocal == vocal
    for number, kind in enumerate(get_args(VersionKind)):
        assert mapper.track({"id": f"k{number}", "title": "A", "artist": "B", "version": kind}, 1).version == kind


def test_derived_ids(mapper: RowMapper) -> None:
    """An id made from names is the same for every spelling of them, differs by version, and stays short."""
    first = mapper.track({"title": "Hello!", "artist": "Beyoncé"}, 1)
    live = mapper.track({"title": "Hello", "artist": "BEYONCE", "version": "live"}, 2)

    assert (first.track_id, live.track_id) == ("beyonce--hello", "beyonce--hello--live")
    assert len(derived_id("x" * 900, "y" * 900)) <= 200
    assert derived_id("x" * 900, "y" * 900) != derived_id("x" * 900, "y" * 901)
    assert derived_id("\u0301") != ""
