from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from data.catalog.demo_files import demo_path
from data.catalog.schema import Artist, Credit, Track
from data.labelled import LabelledRow
from data.sets.census import Census
from data.sets.splits import all_rows

MakeRow = Callable[..., LabelledRow]


@pytest.fixture(scope="session")
def rows() -> tuple[LabelledRow, ...]:
    """The shipped sets."""
    return all_rows()


@pytest.fixture(scope="session")
def demo() -> Census:
    """The demo catalog."""
    return Census.read(demo_path())


@pytest.fixture(scope="session")
def small() -> Census:
    """Four tracks by two artists."""
    artists = [
        Artist(artist_id="sol", name="Sol", region="IS", language="is", genres=("post-punk",), vocal="female"),
        Artist(artist_id="nox", name="Nox", region="NO", language="en", genres=("ambient",)),
    ]

    def track(track_id: str, artist: str, title: str, **facets: Any) -> Track:
        return Track(track_id=track_id, title=title, artists=(Credit(artist_id=artist, name=artist),), **facets)

    tracks = [
        track("t1", "sol", "Cold Moon", year=1983, moods=("dark",), bpm=150, popularity=2, album="First"),
        track("t2", "sol", "Run (Live)", year=1990, version="live", popularity=5),
        track("t3", "nox", "Slow Moonlight", moods=("calm",), vocal="instrumental", popularity=3),
        track("t4", "nox", "月光", year=2001, genres=("techno",), language="zh", aliases=("Moonlight",)),
    ]
    return Census(artists, tracks)


@pytest.fixture
def make_row() -> MakeRow:
    """Makes a row about Sol; keywords replace its fields."""

    def make(**fields: Any) -> LabelledRow:
        row: dict[str, Any] = {
            "qid": "entity-001",
            "set": "entity",
            "kind": "homonym",
            "request": "play sol",
            "locale": "en",
            "design_intent": "A name of one syllable.",
            "entities": [{"entity_type": "artist", "ids": ["sol"], "role": "target", "surface": "sol"}],
            "retry": ["none", "fallback"],
            "failure_mode": "wrong_type",
            "quality": {"rules": [{"grade": 3, "where": [{"field": "artist", "values": ["sol"]}]}], "least": 2, "size": 20},
        }
        return LabelledRow.model_validate(row | fields)

    return make
