"""The compared systems: what each does with a scripted model, without one, and within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dspy
import pytest

from data.contracts import Playlist
from optimizers.records import AnswerRecord, record_of
from program.baselines.base import TOOL_NAMES, Baseline
from program.baselines.monolith import Monolith
from program.baselines.popular import PopularList
from program.baselines.react import ReactLoop
from program.baselines.router import Router
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import LMSettings, Settings
from tests.scripted import dead_lm, scripted_lm
from tests.sessions import KeptStore
from tests.tiny import build_tiny, open_tiny

_SEARCH, _SIMILAR, _RECALL = (f"t{TOOL_NAMES.index(name)}" for name in ("catalog_search", "similar_tracks", "semantic_recall"))
_NAMES: dict[str, Any] = {"artists": [], "titles": [], "unwanted": []}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The tiny catalog's index."""
    path = tmp_path_factory.mktemp("baselines") / "index"
    build_tiny(path)
    opened = open_tiny(path)
    yield opened
    opened.close()


def _ask(
    kind: type[Baseline], index: EmbeddedIndex, request: str, lm: dspy.LM | None = None, **limits: Any
) -> tuple[Playlist, AnswerRecord]:
    store: Any = KeptStore()
    settings = Settings(lm=LMSettings(name="none" if lm is None else "openai/scripted", **limits))
    backbone = Backbone(settings.lm.name, lm, schema=lm is not None, embedded=False)
    prediction = kind(index, settings, store=store, backbones=lambda name: backbone)(request=request)
    return prediction.playlist, record_of(prediction, store.artifacts, index)


def _titles(playlist: Playlist) -> list[str]:
    return [track.title for track in playlist.tracks]


def test_popular_does_not_listen(index: EmbeddedIndex) -> None:
    """The same famous tracks for every request, without a plan; nothing is invented."""
    one, record = _ask(PopularList, index, "niche Icelandic post-punk")
    other, _ = _ask(PopularList, index, "anything else")

    assert _titles(one) == _titles(other)
    assert one.tracks[0].title == "Blinding Lights"
    assert (len(one.tracks), record.rounds, record.unknown_ids) == (20, (), ())


def test_the_router_uses_one_tool(index: EmbeddedIndex) -> None:
    """One call, one tool, the first hit of the name it gave, right or not."""
    lm = scripted_lm([("plan", {"tool": _SEARCH, **_NAMES, "titles": ["Hello"]})])
    playlist, record = _ask(Router, index, "hello by adele please", lm)

    assert len(lm.engine.prompts) == 1
    assert [call.tool for each in record.rounds for call in each.plan.routes] == ["catalog_search"]
    assert set(_titles(playlist)) == {"Hello"}
    assert record.usage.calls == 1


def test_a_seed_for_alike_tracks(index: EmbeddedIndex) -> None:
    """With the tool for alike tracks a name is a seed and does not come back."""
    lm = scripted_lm([("plan", {"tool": _SIMILAR, **_NAMES, "artists": ["Toto"]})])
    playlist, record = _ask(Router, index, "something like toto", lm)

    assert record.reading is not None
    assert [entity.role for entity in record.reading.entities] == ["seed"]
    assert playlist.tracks


def test_the_monolith_words_its_own_answer(index: EmbeddedIndex) -> None:
    """Its title is taken as it comes, which the product would not do."""
    reply = {**_NAMES, "artists": ["Toto"], "routes": [_SEARCH], "title": "Drake for you", "description": "All by Drake."}
    playlist, _ = _ask(Monolith, index, "songs by toto", scripted_lm([("plan", reply)]))

    assert (playlist.title, playlist.description) == ("Drake for you", "All by Drake.")
    assert {artist for track in playlist.tracks for artist in track.artists} == {"Toto"}


def _step(action: str, **fields: Any) -> dict[str, Any]:
    return {"thought": "next", "action": action, **_NAMES, "words": "", **fields}


def test_react_reads_what_came_back(index: EmbeddedIndex) -> None:
    """The second step sees the first one's result; the last search is the answer."""
    lm = scripted_lm([("plan", [_step(_SEARCH, artists=["Adele"]), _step(_SEARCH, artists=["Toto"]), _step("finish")])])
    playlist, record = _ask(ReactLoop, index, "songs by toto", lm)
    prompts = [prompt.text for prompt in lm.engine.prompts]

    assert "3 tracks (" in prompts[1]
    assert "Adele" not in prompts[0]
    assert {artist for track in playlist.tracks for artist in track.artists} == {"Toto"}
    assert len(record.rounds) == 2


def test_an_empty_step_takes_nothing_away(index: EmbeddedIndex) -> None:
    """A later search without a result leaves the earlier one standing, and its plan with it."""
    lm = scripted_lm([("plan", [_step(_SEARCH, artists=["Toto"]), _step(_SIMILAR), _step("finish")])])
    playlist, record = _ask(ReactLoop, index, "songs by toto", lm)

    assert {artist for track in playlist.tracks for artist in track.artists} == {"Toto"}
    assert record.reading is not None
    assert [entity.entity_id for entity in record.reading.entities] == ["toto"]


def test_react_ends_with_its_budget(index: EmbeddedIndex) -> None:
    """A model that never finishes is stopped by the session's limit of calls, and answers with what it has."""
    lm = scripted_lm([("plan", _step(_SEARCH, artists=["Toto"]))])
    playlist, record = _ask(ReactLoop, index, "songs by toto", lm, max_calls=3)

    assert record.usage.calls == 3
    assert playlist.tracks
    assert any(fault.kind == "budget" for fault in playlist.fallback)


@pytest.mark.parametrize("kind", [Router, Monolith, ReactLoop])
@pytest.mark.parametrize("lm", [None, "dead"])
def test_without_a_model(index: EmbeddedIndex, kind: type[Baseline], lm: str | None) -> None:
    """No model, or a dead one: an answer by code, and a dead one is an outage on the record."""
    playlist, record = _ask(kind, index, "songs by toto", dead_lm() if lm else None)

    assert playlist.status in ("ok", "partial")
    assert bool(record.outage) == (lm == "dead")


@pytest.mark.parametrize("kind", [PopularList, Router])
def test_a_request_that_is_refused(index: EmbeddedIndex, kind: type[Baseline]) -> None:
    """The pre-guard stands before every system."""
    assert _ask(kind, index, "   ")[0].status == "refused"
