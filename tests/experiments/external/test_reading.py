"""Names as spans: from code's reading of a request, and from the baseline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from experiments.external.longest import longest_matches
from experiments.external.reading import FoundSpan, read_spans, whole_words
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.tiny import TinyEmbedder, build_tiny


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    path = tmp_path_factory.mktemp("reading") / "index"
    build_tiny(path)
    opened = EmbeddedIndex(path, embedder=TinyEmbedder())
    yield opened
    opened.close()


def _read(request: str, index: EmbeddedIndex) -> list[tuple[str, str, str]]:
    return [(span.text, span.type, span.source) for span in read_spans(request, index, Settings())]


def test_a_pair_is_two_names(index: EmbeddedIndex) -> None:
    """A title and its artist, both verified."""
    assert _read("play Africa by Toto", index) == [("Africa", "track", "entity"), ("Toto", "artist", "entity")]


def test_an_album_is_an_album(index: EmbeddedIndex) -> None:
    """The type word decides."""
    assert ("Kaleidoscope", "album", "entity") in _read("play the album Kaleidoscope by Siouxsie and the Banshees", index)


def test_excluded_and_starting_names_count_too(index: EmbeddedIndex) -> None:
    """Whatever part a name plays, it is a name."""
    found = _read("songs like Radiohead but not Muse", index)

    assert found == [("Radiohead", "artist", "entity"), ("Muse", "artist", "entity")]


def test_absent_names_are_typed_by_their_place(index: EmbeddedIndex) -> None:
    """A pair that the catalog does not hold is taken apart at `by`."""
    found = _read("play Xanthorpe Dreaming by Quillor Vane", index)

    assert found == [("Xanthorpe Dreaming", "track", "absent"), ("Quillor Vane", "artist", "absent")]


def test_a_lone_absent_name(index: EmbeddedIndex) -> None:
    """After `by` an artist, after a command a work."""
    assert _read("songs by Quillor Vane", index) == [("Quillor Vane", "artist", "absent")]
    assert _read("play Xanthorpe Quillor", index) == [("Xanthorpe Quillor", "track", "absent")]


def test_spans_stand_where_they_say(index: EmbeddedIndex) -> None:
    """Offsets point at the words, left to right."""
    request = "play Africa by Toto and songs by Quillor Vane"
    found = read_spans(request, index, Settings())

    assert [request[span.start : span.end] for span in found] == [span.text for span in found]
    assert [span.start for span in found] == sorted(span.start for span in found)


def test_plain_words_hold_no_name(index: EmbeddedIndex) -> None:
    """A request of facets has no spans."""
    assert _read("slow sad songs from the 80s", index) == []


def test_whole_words_take_the_rest_of_a_word() -> None:
    """A set that labels words between spaces gets them whole."""
    request = "some queens songs"

    assert whole_words(request, FoundSpan("queen", 5, 10, "artist")) == "queens"
    assert whole_words(request, FoundSpan("queens songs", 5, 17, "track")) == "queens songs"


def test_longest_match_takes_the_longer_name(index: EmbeddedIndex) -> None:
    """The longest name wins over its parts; a word that requests are made of is none."""
    found = longest_matches("something like nothing else matters by metallica", index, Settings())

    assert [(span.text, span.type) for span in found] == [("nothing else matters", "track"), ("metallica", "artist")]
