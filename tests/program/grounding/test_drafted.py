"""A model's draft of names as evidence: words of the request only, boundaries and types by the catalog, never an id."""

from __future__ import annotations

import pytest

from program.grounding.drafted import DraftedName, located
from program.grounding.lookup import look_up
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings, Settings
from tests.program.grounding.conftest import summary


def _located(request: str, index: EmbeddedIndex, *names: str) -> list[tuple[str, str]]:
    lookup = look_up(request, index, GroundingSettings())
    found = located(names, lookup).names
    tokens = lookup.tokens
    return [(request[tokens[one.first].start : tokens[one.last - 1].end], one.kind) for one in found]


@pytest.mark.parametrize(
    ("request_", "names", "kept"),
    [
        ("hello by adele", ["work: hello", "artist: adele"], [("hello", "work"), ("adele", "artist")]),
        ("Hello by Adele", ["work: hello", "artist: adele"], [("Hello", "work"), ("Adele", "artist")]),
        ("adele hello", ["artist: adele", "artist: prince"], [("adele", "artist")]),
        ("toto's africa", ["artist: toto", "work: africa"], [("toto's", "artist"), ("africa", "work")]),
        ("hello hello", ["work: hello", "work: hello"], [("hello", "work"), ("hello", "work")]),
        ("hello", ["work: hello", "work: hello"], [("hello", "work")]),
        ("hello", ["song: hello", "hello", "work: "], []),
        ("播放晴天", ["work: 晴天"], [("晴天", "work")]),
        ("", ["work: hello"], []),
    ],
    ids=["words", "case", "not in the request", "possessive", "twice", "once", "no kind", "cjk", "empty"],
)
def test_only_words_of_the_request_stay(
    tiny_index: EmbeddedIndex, request_: str, names: list[str], kept: list[tuple[str, str]]
) -> None:
    """What a model made up, or wrote in no known form, is dropped."""
    assert _located(request_, tiny_index, *names) == kept


def _read(request: str, index: EmbeddedIndex, *names: str) -> str:
    return summary(understand_by_code(request, index, Settings(), names).best.intent)


@pytest.mark.parametrize(
    ("request_", "names", "meaning"),
    [
        ("play hello by adele", ["work: hello", "artist: adele"], "play 1, target:adele--hello, context:adele"),
        ("play hello by adele", ["artist: hello", "work: adele"], "play 1, target:adele--hello, context:adele"),
        ("play xanthorpe dreaming", ["work: xanthorpe dreaming"], "play 20, absent:xanthorpe dreaming"),
        ("play quillor by adele", ["work: quillor", "artist: adele"], "play 20, context:adele, absent:quillor"),
        ("songs like quillor vane", ["artist: quillor vane"], "play 20, absent:quillor vane"),
    ],
    ids=["as it is", "types by the catalog", "absent", "absent beside a held one", "absent artist"],
)
def test_the_catalog_verifies(tiny_index: EmbeddedIndex, request_: str, names: list[str], meaning: str) -> None:
    """A draft never makes an id: what it names is held, or it is absent."""
    assert _read(request_, tiny_index, *names) == meaning


def test_boundaries_are_snapped_to_the_catalog(tiny_index: EmbeddedIndex) -> None:
    """Half a name in the draft is the whole name of the catalog."""
    whole = _read("play miles davis", tiny_index, "artist: miles davis")

    assert _read("play miles davis", tiny_index, "artist: davis") == whole
    assert "target:miles-davis" in whole


def test_an_unnamed_reading_gives_way(tiny_index: EmbeddedIndex) -> None:
    """Words that are a held title are none where the draft, which was asked for names, does not name them."""
    request = "smells of asphalt and Africa"
    named = understand_by_code(request, tiny_index, Settings(), ["work: africa"]).best.intent
    unnamed = understand_by_code(request, tiny_index, Settings(), []).best.intent

    assert [entity.entity_id for entity in named.entities] == ["toto--africa"]
    assert unnamed.entities == ()


def test_shared_words() -> None:
    """As a part of the words of both."""
    name = DraftedName(2, 4, "artist")

    assert [name.shared(2, 4), name.shared(3, 4), name.shared(1, 5), name.shared(4, 6)] == [1.0, 0.5, 0.5, 0.0]


def test_words_of_requests_are_no_absent_names(tiny_index: EmbeddedIndex) -> None:
    """A model that drafts "please" makes nothing absent; the held names stay as they are."""
    with_talk = _read("hello by adele please", tiny_index, "artist: adele", "work: please")

    assert with_talk == _read("hello by adele please", tiny_index, "work: hello", "artist: adele")
