from __future__ import annotations

from collections.abc import Iterator

import pytest

from data.catalog.schema import Credit, Track
from data.contracts import Intent, ToolArgs, ToolName
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.nodes.compile import compile_plan
from program.settings import ExecuteSettings, Settings
from program.tools.protocol import ToolContext
from program.tools.registry import TOOLS
from tests.sessions import constraint, melo, session
from tests.tiny import TinyEmbedder, open_tiny


def _track(name: str, **fields: object) -> Track:
    return Track.model_validate({"track_id": name, "title": name, "artists": (Credit(artist_id="a", name="Aa"),), **fields})


SHELF = [
    _track("old", year=1970, popularity=90, genres=("jazz",)),
    _track("reissued", year=1971, release_year=2021, popularity=10, genres=("jazz",)),
    _track("new hit", year=2021, popularity=80, genres=("pop",), tags=("Summer Rain",)),
    _track("new", year=2022, genres=("jazz",), tags=("night",)),
    _track("undated", popularity=95, genres=("jazz",), tags=("night", "Summer Rain")),
    _track("hidden", year=2023, popularity=99, genres=("jazz",), playable=False),
    _track("theme", year=1999, popularity=30, album="The Lost Boat (Original Motion Picture Soundtrack)", genres=("jazz",)),
    _track("boat", year=1999, popularity=40, album="The Lost Boat", genres=("pop",)),
    _track("score", year=2001, popularity=20, album="The Lost Boat", genres=("film-score",)),
]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """Nine tracks with dates, tags and popularity, some of them unknown."""
    path = tmp_path_factory.mktemp("shelf") / "index"
    build_index(SHELF, path, embedder=TinyEmbedder())
    index = open_tiny(path)
    yield index
    index.close()


def _run(index: EmbeddedIndex, tool: ToolName, **args: object) -> list[str]:
    return TOOLS[tool].run(ToolArgs.model_validate(args), ToolContext(index, ExecuteSettings()))


JAZZ = constraint(0, "genre", "jazz")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, ["new", "new hit", "reissued", "score", "boat", "theme", "old"]),
        ({"constraints": [JAZZ]}, ["new", "reissued", "theme", "old"]),
        ({"limit": 2}, ["new", "new hit"]),
        ({"artist_ids": ["nobody"]}, []),
        ({"exclude_track_ids": ["new"]}, ["new hit", "reissued", "score", "boat", "theme", "old"]),
    ],
    ids=["all", "a genre", "a limit", "a stranger", "an exclusion"],
)
def test_fresh(shelf: EmbeddedIndex, args: dict[str, object], expected: list[str]) -> None:
    """The latest release first, the better known first within a year; undated tracks are left out."""
    assert _run(shelf, "fresh", **args) == expected


def test_popular_within(shelf: EmbeddedIndex) -> None:
    """Most popular first, inside the conditions only; tracks of unknown popularity are not called popular."""
    assert _run(shelf, "popular_within", constraints=[JAZZ]) == ["undated", "old", "theme", "reissued"]
    assert "new" in _run(shelf, "catalog_search", constraints=[JAZZ])


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"tags": ["night"]}, ["undated", "new"]),
        ({"tags": ["summer rain"]}, ["undated", "new hit"]),
        ({"tags": ["night", "Summer Rain"]}, ["undated"]),
        ({"tags": ["summer"]}, []),
        ({"tags": ["night"], "constraints": [constraint(0, "genre", "pop")]}, []),
        ({"tags": ["night"], "exclude_track_ids": ["undated"]}, ["new"]),
        ({"soundtrack_of": "The Lost Boat"}, ["theme", "score"]),
        ({"soundtrack_of": "lost boat", "constraints": [JAZZ]}, ["theme"]),
        ({"soundtrack_of": "No Such Film"}, []),
        ({"soundtrack_of": "No Such Film", "constraints": [constraint(0, "genre", "film-score")]}, ["score"]),
        ({"constraints": [constraint(0, "era", "1999", "2001", op="range")]}, ["boat", "theme", "score"]),
    ],
    ids=[
        "a tag", "a tag in another case", "two tags", "part of a tag", "a tag and a genre", "a tag and an exclusion", "a film",
        "a film and a genre", "an unknown film", "an unknown film and a genre", "a range of years",
    ],
)  # fmt: skip
def test_tags_and_works(shelf: EmbeddedIndex, args: dict[str, object], expected: list[str]) -> None:
    """Exact search by the source's own tags and by the work that a soundtrack is of, under all other conditions."""
    assert _run(shelf, "catalog_search", **args) == expected


@pytest.mark.parametrize(
    ("request_text", "first"),
    [("newest jazz", ["new", "reissued"]), ("the latest songs by Aa", ["new"])],
    ids=["of a kind", "of somebody"],
)
def test_the_newest_are_asked_for(shelf: EmbeddedIndex, request_text: str, first: list[str]) -> None:
    """A request for the newest is planned with the tool for it and answered in its order."""
    prediction = melo(shelf)(request=request_text, n=3)

    assert prediction.plan.routes[0].tool == "fresh"
    assert [track.track_id for track in prediction.playlist.tracks][: len(first)] == first


@pytest.mark.parametrize(
    ("genre", "work"),
    [("soundtrack", "paper kites"), ("film-score", "paper kites"), ("jazz", "")],
    ids=["a", "b", "no soundtrack"],
)
def test_the_words_beside_a_soundtrack_name_the_work(genre: str, work: str) -> None:
    """Words that no name and no facet holds are the film's, where music of a film is asked for."""
    intent = Intent(kind="discover", constraints=(constraint(0, "genre", genre),), free_text="paper kites")
    plan = compile_plan(intent, session("x", intent), ("catalog_search", "semantic_recall"), Settings())

    assert [call.args.soundtrack_of for call in plan.routes] == [work, ""]


def test_tools_have_deadlines_of_their_own() -> None:
    """A setting gives one tool another deadline than the rest."""
    intent = Intent(kind="discover", constraints=(JAZZ,), free_text="rain")
    settings = Settings(execute=ExecuteSettings(deadline_ms=900, deadlines_ms={"semantic_recall": 300}))
    plan = compile_plan(intent, session("x", intent), ("catalog_search", "semantic_recall"), settings)

    assert [call.deadline_ms for call in plan.routes] == [900, 300]
