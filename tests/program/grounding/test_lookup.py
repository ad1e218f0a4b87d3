from __future__ import annotations

import pytest

from program.grounding.lookup import Lookup, entity_id, evidence, look_up
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings
from tests.tiny import track_id


def found(index: EmbeddedIndex, request: str, **settings: float) -> Lookup:
    return look_up(request, index, GroundingSettings.model_validate(settings))


def named(index: EmbeddedIndex, lookup: Lookup) -> dict[tuple[str, str], str]:
    """(surface, entity) → kind of match."""
    return {(mention.span.surface, entity_id(mention, index)): mention.match for mention in lookup.mentions}


@pytest.mark.parametrize(
    ("request_", "surface", "entity", "match"),
    [
        ("play Africa", "Africa", "toto--africa", "exact"),
        ("Toto's Africa", "Toto", "toto", "exact"),
        ("by the beatles", "the beatles", "the-beatles", "exact"),
        ("by beatles", "beatles", "the-beatles", "normalised"),
        ("by pink", "pink", "pink", "normalised"),
        ("播放周杰倫", "周杰倫", "jay-chou", "alias"),
        ("zhou jielun", "zhou jielun", "jay-chou", "transliterated"),
        ("metalica", "metalica", "metallica", "fuzzy"),
        ("siouxie and the banshees", "siouxie and the banshees", "siouxsie", "fuzzy"),
        ("prince 1999", "1999", "prince/1999", "exact"),
        ("prince 1999", "1999", "prince--1999", "exact"),
    ],
)
def test_mentions(tiny_index: EmbeddedIndex, request_: str, surface: str, entity: str, match: str) -> None:
    """Each span of the request is looked up, and what answers is marked with the kind of match."""
    assert named(tiny_index, found(tiny_index, request_))[(surface, entity)] == match


@pytest.mark.parametrize("request_", ["zzz qqq", "", "的", "xyzzy plugh"])
def test_nothing_found(tiny_index: EmbeddedIndex, request_: str) -> None:
    """Words that no name is near to have no mentions."""
    assert found(tiny_index, request_).mentions == ()


def test_best_supported_first(tiny_index: EmbeddedIndex) -> None:
    """Mentions come best supported first; support and rivals stay in their ranges."""
    lookup = found(tiny_index, "play hello and kaleidoscope by the beatles")
    supports = [mention.support for mention in lookup.mentions]

    assert supports == sorted(supports, reverse=True)
    assert all(0 < support <= 1 for support in supports)
    assert {mention.rivals for mention in lookup.mentions if mention.span.surface == "hello"} == {1}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (("the beatles", "the-beatles"), ("beatles", "the-beatles")),
        (("metallica", "metallica"), ("metalica", "metallica")),
        (("adele", "adele"), ("wire", "wire")),
        (("siouxsie and the banshees", "siouxsie"), ("bauhaus", "bauhaus")),
    ],
    ids=["exact before normalised", "exact before fuzzy", "known before less known", "long before short"],
)
def test_support(tiny_index: EmbeddedIndex, better: tuple[str, str], worse: tuple[str, str]) -> None:
    """A closer match, a more popular entity and a more specific name are better supported."""

    def support(request: str, entity: str) -> float:
        return max(m.support for m in found(tiny_index, request).mentions if entity_id(m, tiny_index) == entity)

    assert support(*better) > support(*worse)


def test_at(tiny_index: EmbeddedIndex) -> None:
    """The mentions of exactly one span, of one type where it is given."""
    lookup = found(tiny_index, "play kaleidoscope")

    assert {mention.entity_type for mention in lookup.at(1, 2)} == {"artist", "album"}
    assert [entity_id(mention, tiny_index) for mention in lookup.at(1, 2, "artist")] == ["kaleidoscope"]
    assert lookup.at(0, 2) == []


def test_known_words_are_not_misspelt(tiny_index: EmbeddedIndex) -> None:
    """A span whose words are all names already is not tried with spelling errors."""
    assert {mention.match for mention in found(tiny_index, "Hello").mentions} == {"exact"}
    assert ("Hello", track_id("beyonce", "Halo")) not in named(tiny_index, found(tiny_index, "Hello"))


@pytest.mark.parametrize(("length", "kept"), [(1, False), (2, True), (8, True)])
def test_max_span_tokens(tiny_index: EmbeddedIndex, length: int, kept: bool) -> None:
    """Names longer than the setting are not found."""
    lookup = found(tiny_index, "lionel richie songs", max_span_tokens=length)

    assert any(entity_id(mention, tiny_index) == "lionel-richie" for mention in lookup.mentions) is kept
    assert max(span.last - span.first for span in lookup.spans) == min(length, 3)


@pytest.mark.parametrize(
    ("request_", "entity", "fields"),
    [
        (
            "play Toto's Africa",
            "toto--africa",
            {"name": "Africa", "artists": ("Toto",), "span": (12, 18), "works": (), "available_tracks": 1},
        ),
        (
            "play Toto's Africa",
            "toto",
            {"name": "Toto", "span": (5, 11), "surface": "Toto", "available_tracks": 3, "artists": ()},
        ),
        ("kaleidoscope", "siouxsie/kaleidoscope", {"works": ("Happy House", "Christine"), "rivals": 1, "available_tracks": 2}),
        ("pink", "pink", {"name": "P!nk", "works": ("So What", "Just Like a Pill"), "match": "normalised"}),
        ("晴天", "jay-chou--晴天", {"artists": ("Jay Chou",), "span": (0, 2)}),
        ("love story", "taylor-swift--lovestory", {"available_tracks": 0}),
    ],
    ids=["track", "possessive artist", "album", "stylised", "chinese", "unplayable"],
)
def test_evidence(tiny_index: EmbeddedIndex, request_: str, entity: str, fields: dict[str, object]) -> None:
    """Evidence is read off the catalog: the entity's own name, its works, and the words that it rests on."""
    lookup = found(tiny_index, request_)
    mention = next(mention for mention in lookup.mentions if entity_id(mention, tiny_index) == entity)
    made = evidence(mention, 7, lookup, tiny_index)

    assert (made.evidence_id, made.entity_id) == ("e7", entity)
    assert {name: getattr(made, name) for name in fields} == fields
