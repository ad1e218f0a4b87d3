from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import GroundingSettings, Settings
from tests.program.grounding.conftest import summary
from tests.program.grounding.shelf import open_shelf


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The shelf's index."""
    with open_shelf(tmp_path_factory.mktemp("shelf")) as index:
        yield index


def _read(request: str, index: EmbeddedIndex, settings: Settings | None = None) -> str:
    return summary(understand_by_code(request, index, settings or Settings()).best.intent)


BRICK = "play 1, target:brick-road, context:elton-john"
DARK_SIDE = "play 20, target:pink-floyd/thedarksideofthemoon, context:pink-floyd"
FIFTH = "play 3, target:fifth-1, target:fifth-2, target:fifth-3, context:beethoven"


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("play Yellow Brick Road by Elton John", BRICK),
        ("yellow brick road elton john", BRICK),
        ("Elton John - Yellow Brick Road", BRICK),
        ("Elton John's Yellow Brick Road", BRICK),
        ("could you please find me Yellow Brick Road by Elton John", BRICK),
        ("Rocket Man by Elton John", "play 1, target:rocket, context:elton-john"),
        ("dock of the bay by otis redding", "play 1, target:dock, context:otis-redding"),
        ("songs like Yellow Brick Road by Elton John", "similar 20, seed:brick-road, context:elton-john"),
        ("no Yellow Brick Road by Elton John", "discover 20, exclude:brick-road, context:elton-john"),
        ("the album Dark Side by Pink Floyd", DARK_SIDE),
        ("Pink Floyd Dark Side", DARK_SIDE),
    ],
)
def test_part_of_a_title_beside_its_artist(shelf: EmbeddedIndex, request_: str, meaning: str) -> None:
    """Words of a title stand for it where its artist is named, on either side, in any role."""
    assert _read(request_, shelf) == meaning


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("Symphony No. 5 by Beethoven", FIFTH),
        ("Beethoven's Symphony No. 5", FIFTH),
        ("Beethoven Symphony no. 7", "play 1, target:seventh, context:beethoven"),
    ],
)
def test_a_work_in_parts(shelf: EmbeddedIndex, request_: str, meaning: str) -> None:
    """A work stands for all of its movements, in order; "No." before a number rules nothing out."""
    assert _read(request_, shelf) == meaning


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("Yellow Brick Road", "play 20, absent:Yellow Brick Road"),
        ("Yellow Brick House by Elton John", "play 20, context:elton-john, absent:Yellow Brick House by Elton John"),
        ("Yellow Brick Road by Otis Redding", "play 20, context:otis-redding, absent:Yellow Brick Road by Otis Redding"),
        ("Road by Elton John", "play 20, context:elton-john, absent:Road by Elton John"),
        ("songs about a brick road by Elton John", "play 20, target:elton-john, free:brick road"),
        ("play something by Elton John", "play 20, target:elton-john"),
        ("dark by Pink Floyd", "play 20, target:pink-floyd, mood=dark"),
        ("the best of Elton John", "play 20, target:elton-john"),
    ],
)
def test_too_little_for_a_title(shelf: EmbeddedIndex, request_: str, meaning: str) -> None:
    """Without its artist, with a word that is not in it, one common word, talk, a topic or a facet: no part of a title."""
    assert _read(request_, shelf) == meaning


def test_a_genre_is_no_part_of_a_title(tiny_index: EmbeddedIndex) -> None:
    """Bill Evans's New Jazz Conceptions is not meant by jazz."""
    assert _read("jazz by Bill Evans", tiny_index) == "play 20, target:bill-evans, genre=jazz"


def test_parts_of_titles_are_a_rule(shelf: EmbeddedIndex) -> None:
    """With the rules off only whole titles answer."""
    without = Settings(grounding=GroundingSettings(rules=False))

    assert "brick-road" not in _read("play Yellow Brick Road by Elton John", shelf, without)
