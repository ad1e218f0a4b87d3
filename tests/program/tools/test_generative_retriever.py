"""The tool over Semantic IDs: what it needs, when PLAN is offered it, and that a request runs through it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.contracts import Intent, ToolArgs
from data.errors import ToolFailedError
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import ExecuteSettings, Settings
from program.tools import generative_retriever
from program.tools.protocol import ToolContext
from program.tools.registry import TOOLS, WITHOUT_MODELS, eligible_tools, served
from tests.sessions import constraint, entity
from tests.tiny import build_tiny, open_tiny

_ON = ExecuteSettings(generative=True)
_TOOL = TOOLS["generative_retriever"]


@pytest.fixture
def plain_index(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog without Semantic IDs."""
    build_tiny(tmp_path / "plain")
    index = open_tiny(tmp_path / "plain")
    yield index
    index.close()


def test_it_is_ready_with_the_switch_and_the_model_only(tiny_index: EmbeddedIndex, plain_index: EmbeddedIndex) -> None:
    """Off by default, and off where the index has no Semantic IDs."""
    assert served(tiny_index, _ON) == frozenset(TOOLS)
    assert served(tiny_index, ExecuteSettings()) == WITHOUT_MODELS
    assert _TOOL.name not in served(plain_index, _ON)


@pytest.mark.parametrize(
    ("intent", "offered"),
    [
        (Intent(kind="discover", free_text="rain"), True),
        (Intent(kind="discover", constraints=(constraint(0, "genre", "post-punk"),)), True),
        (Intent(kind="play", entities=(entity("artist", "toto"),), free_text="rain"), False),
        (Intent(kind="discover", constraints=(constraint(0, "genre", "pop", op="not"),)), False),
    ],
    ids=["words", "a facet", "a name", "only what to leave out"],
)
def test_it_is_offered_for_requests_by_meaning(intent: Intent, offered: bool) -> None:
    """Names are looked up; words and facets may be recalled; without a model it is never offered."""
    assert (_TOOL in eligible_tools(intent, among=frozenset(TOOLS))) == offered
    assert _TOOL not in eligible_tools(intent)


def test_the_card_is_short() -> None:
    """At most 60 words for PLAN."""
    assert 5 <= len(_TOOL.card.split()) <= 60


def test_without_a_model_it_fails_as_a_tool(plain_index: EmbeddedIndex) -> None:
    """A missing model is no fault of the request."""
    with pytest.raises(ToolFailedError, match="no Semantic IDs"):
        _TOOL.run(ToolArgs(query="rain"), ToolContext(plain_index, _ON))


def test_more_matches_than_are_listed_one_by_one(tiny_index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too many tracks match for a trie of their own, a free beam is filtered: the same tracks, none twice, none wrong."""
    monkeypatch.setattr(generative_retriever, "MOST_MATCHES", 3)
    args = ToolArgs(query="dark night", constraints=(constraint(0, "region", "GB"),), exclude_artist_ids=("the-cure",), limit=200)
    found = _TOOL.run(args, ToolContext(tiny_index, _ON))
    tracks = [tiny_index.by_ids([name])[name].track for name in found]
    everything = (tiny_index.track(row).track for row in range(tiny_index.info.tracks))

    assert len(set(found)) == len(found)
    assert all(track.region == "GB" and track.artists[0].artist_id != "the-cure" for track in tracks)
    assert len(found) == sum(t.region == "GB" and t.playable and t.artists[0].artist_id != "the-cure" for t in everything)


def test_a_request_runs_through_it_when_it_is_on(tiny_index: EmbeddedIndex) -> None:
    """The switch switches: with it, a request by meaning is planned with the tool and answered."""
    for on in (True, False):
        answer = Melo(tiny_index, Settings(execute=ExecuteSettings(generative=on)))(request="dark post-punk for a rainy night")
        tools = {call.tool for call in answer.plan.routes} if answer.plan else set()

        assert ("generative_retriever" in tools) == on
        assert answer.playlist.tracks
