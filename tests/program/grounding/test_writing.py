from __future__ import annotations

from collections.abc import Iterator

import pytest

from data.catalog.schema import Artist, Credit, Track
from program.grounding.lookup import entity_id, look_up
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings
from tests.tiny import TinyEmbedder, open_tiny

NAMES = {
    "MEG": 0.1, "Meg": 0.9, "MØ": 0.9, "MO": 0.1, "B.o.B": 0.2, "Bob": 0.8, "P!nk": 0.9, "Pink": 0.2, "Mr. P!nk": 0.5,
    "+VIBES": 0.1, "Vibes": 0.9, "-M-": 0.1, "M": 0.9, "!!!": 0.3, "Sixx:A.M.": 0.4, "Wham!": 0.8, "The Beatles": 0.95,
    "Beatles": 0.05, "Björk": 0.8,
}  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """Artists whose names have one key and are written differently; the rarer of each pair is the less known."""
    path = tmp_path_factory.mktemp("writing") / "index"
    items: list[Artist | Track] = [Artist(artist_id=name, name=name, popularity=known) for name, known in NAMES.items()]
    items += [
        Track(track_id=f"song of {name}", title=f"Song {number}", artists=(Credit(artist_id=name, name=name),))
        for number, name in enumerate(NAMES)
    ]
    build_index(items, path, embedder=TinyEmbedder())
    opened = open_tiny(path)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("request_", "first"),
    [
        ("MEG", "MEG"),
        ("play Meg", "Meg"),
        ("meg", "Meg"),
        ("MØ", "MØ"),
        ("songs by MO", "MO"),
        ("mo", "MO"),
        ("songs by B.o.B", "B.o.B"),
        ("songs by b.o.b.", "Bob"),
        ("songs by Bob", "Bob"),
        ("songs by bob", "Bob"),
        ("P!nk", "P!nk"),
        ("p!nk", "P!nk"),
        ("pink", "Pink"),
        ("+VIBES, please", "+VIBES"),
        ("vibes", "Vibes"),
        ("songs by -M-", "-M-"),
        ("songs by M.", "M"),
        ("!!!", "!!!"),
        ("sixx am", "Sixx:A.M."),
        ("Sixx:A.M.", "Sixx:A.M."),
        ("wham", "Wham!"),
        ("play Wham!", "Wham!"),
        ("the beatles", "The Beatles"),
        ("beatles", "Beatles"),
        ("bjork", "Björk"),
        ("“MEG”", "MEG"),
    ],
)
def test_what_is_written_so_comes_first(index: EmbeddedIndex, request_: str, first: str) -> None:
    """The artist that is written as the request writes it comes before better known ones of the same key."""
    mentions = [m for m in look_up(request_, index, GroundingSettings()).mentions if m.entity_type == "artist"]
    longest = max(m.span.last - m.span.first for m in mentions)

    assert entity_id(next(m for m in mentions if m.span.last - m.span.first == longest), index) == first


def test_the_others_are_still_offered(index: EmbeddedIndex) -> None:
    """A name that is written otherwise stays a reading, better supported than none."""
    mentions = look_up("MEG", index, GroundingSettings()).mentions
    supports = {entity_id(m, index): m.support for m in mentions if m.entity_type == "artist"}

    assert list(supports) == ["MEG", "Meg"]
    assert 0 < supports["Meg"] < supports["MEG"]


def test_possessive_and_signs(index: EmbeddedIndex) -> None:
    """A possessive ending is not part of the writing."""
    mentions = [m for m in look_up("P!nk's songs", index, GroundingSettings()).mentions if m.span.possessive]

    assert entity_id(mentions[0], index) == "P!nk"
