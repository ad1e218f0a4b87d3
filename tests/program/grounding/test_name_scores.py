from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from tests.program.grounding.conftest import Read
from tests.program.grounding.shelf import open_shelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The shelf's index."""
    with open_shelf(tmp_path_factory.mktemp("names")) as index:
        yield index


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ("dancing like a queen", []),
        ("feeling like a creep at work", []),
        ("a queen song", ["queen"]),
        ("play queen", ["queen"]),
        ("muse the rock band", ["muse"]),
        ("muse-ish rock", ["muse"]),
    ],
)
def test_a_common_word_that_is_a_name(read: Read, request_: str, names: list[str]) -> None:
    """Behind an article it is a thing; where an artist is presented, or starts from, it is the artist."""
    assert [entity.entity_id for entity in read(request_).best.intent.entities] == names


@pytest.mark.parametrize(
    ("request_", "found"),
    [("stop wobbling around tonight", False), ("play stop", True), ("Stop", True)],
)
def test_a_title_in_a_sentence(shelf: EmbeddedIndex, request_: str, found: bool) -> None:
    """A title of common words is none among unexplained ones that no command leads."""
    intent = understand_by_code(request_, shelf, Settings()).best.intent

    assert any(entity.entity_type == "track" for entity in intent.entities) is found
