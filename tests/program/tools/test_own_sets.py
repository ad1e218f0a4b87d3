"""The tools over a listener's own sets: order, times, names, facets, and nothing from outside."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import ToolArgs, ToolName
from program.index.engine import EmbeddedIndex
from program.settings import ExecuteSettings
from program.tools.protocol import ToolContext
from program.tools.registry import TOOLS
from program.users.listener import Listener
from tests.listeners import listener
from tests.sessions import constraint

AFRICA, HELLO, DISORDER, FOREST = "toto--africa", "adele--hello", "joy-division--disorder", "the-cure--aforest"


def _run(tool: ToolName, index: EmbeddedIndex, who: Listener | None, **args: Any) -> list[str]:
    return TOOLS[tool].run(ToolArgs.model_validate(args), ToolContext(index, ExecuteSettings(), who))


@pytest.fixture
def anna(tiny_index: EmbeddedIndex) -> Listener:
    """Four likes, a day apart; Africa played twice yesterday, Disorder three times last week, Hello once in 2025."""
    plays = {AFRICA: (0.8, 1.0), DISORDER: (8.0, 8.1, 8.2), HELLO: (200.0,)}
    return listener(tiny_index, likes=(AFRICA, HELLO, DISORDER, FOREST), plays=plays)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, [AFRICA, HELLO, DISORDER, FOREST]),
        ({"limit": 2}, [AFRICA, HELLO]),
        ({"constraints": (constraint(0, "genre", "post-punk"),)}, [DISORDER, FOREST]),
        ({"constraints": (constraint(0, "era", "1980s"),)}, [AFRICA, FOREST]),
        ({"constraints": (constraint(0, "genre", "post-punk", op="not"),)}, [AFRICA, HELLO]),
        ({"artist_ids": ("adele",)}, [HELLO]),
        ({"exclude_artist_ids": ("adele",)}, [AFRICA, DISORDER, FOREST]),
        ({"album_ids": ("toto/totoiv",)}, [AFRICA]),
        ({"artist_ids": ("metallica",)}, []),
        ({"period": "yesterday"}, [AFRICA]),
        ({"period": "this-week"}, [AFRICA, HELLO]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_liked_songs(tiny_index: EmbeddedIndex, anna: Listener, args: dict[str, Any], expected: list[str]) -> None:
    """The last liked first, narrowed by names, facets and the time of the like; an artist who is not liked gives nothing."""
    assert _run("liked_songs", tiny_index, anna, **args) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, [AFRICA, DISORDER, HELLO]),
        ({"most_played": True}, [DISORDER, AFRICA, HELLO]),
        ({"period": "last-week"}, [DISORDER]),
        ({"period": "yesterday"}, [AFRICA]),
        ({"period": "2025"}, [HELLO]),
        ({"period": "2019"}, []),
        ({"period": "last-week", "constraints": (constraint(0, "genre", "pop"),)}, []),
    ],
    ids=lambda value: str(value)[:40],
)
def test_history(tiny_index: EmbeddedIndex, anna: Listener, args: dict[str, Any], expected: list[str]) -> None:
    """Each track once: the last played first, or the most played; within the time asked for."""
    assert _run("history", tiny_index, anna, **args) == expected


@pytest.mark.parametrize("tool", ["liked_songs", "history", "taste_recall"])
def test_without_a_listener(tiny_index: EmbeddedIndex, tool: ToolName) -> None:
    """A request of nobody is refused, not answered with something else."""
    with pytest.raises(ValueError, match=f"{tool} needs a listener"):
        _run(tool, tiny_index, None)


@pytest.mark.parametrize("tool", ["liked_songs", "history"])
def test_an_unknown_time(tiny_index: EmbeddedIndex, anna: Listener, tool: ToolName) -> None:
    """A time that is none is an argument that does not suit."""
    with pytest.raises(ValueError, match="no period is called someday"):
        _run(tool, tiny_index, anna, period="someday")


def test_recall_by_taste(tiny_index: EmbeddedIndex) -> None:
    """Near the likes come tracks of their kind; what was judged is left out, a dislike too."""
    who = listener(tiny_index, likes=(DISORDER, FOREST), dislikes=("wire--outdoorminer",))
    found = _run("taste_recall", tiny_index, who, limit=10)
    genres = [set(entry.track.genres) for entry in tiny_index.by_ids(found).values()]

    assert not {DISORDER, FOREST, "wire--outdoorminer"} & set(found)
    assert sum(bool(each & {"post-punk", "gothic-rock", "coldwave"}) for each in genres) >= 8


def test_only_dislikes_are_no_taste_to_recall_by(tiny_index: EmbeddedIndex) -> None:
    """Nothing is near to nothing."""
    with pytest.raises(ValueError, match="something that the listener liked or played"):
        _run("taste_recall", tiny_index, listener(tiny_index, dislikes=(AFRICA,)))
