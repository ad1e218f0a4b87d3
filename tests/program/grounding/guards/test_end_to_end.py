"""For each guard one request that a model takes for something wrong: with the guard the answer is right, without it not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dspy
import pytest

from data.contracts import Intent, Plan
from program.grounding.guards import GUARDS
from program.index.engine import EmbeddedIndex
from program.nodes import guarding
from program.nodes.compile import compile_plan
from program.settings import GuardSwitches, RetrySettings, SafetySettings, Settings
from tests.sessions import melo, number_of, reading, scripted, words

Choice = Callable[[str], dict[str, Any]]
ALL_OF_QUEEN = {"queen--bohemianrhapsody", "queen--dontstopmenow", "queen--mustapha", "queen--liar"}


def pick(*parts: str, add: tuple[str, ...] = (), drop: tuple[str, ...] = ()) -> Choice:
    """A model that takes the first offered reading whose line holds all parts, and adds and drops the options so called."""

    def choose(prompt: str) -> dict[str, Any]:
        added, dropped = ([number_of(prompt, f'" = {option}') for option in options] for options in (add, drop))
        return reading(number_of(prompt, *parts), add=added, drop=dropped)

    return choose


@dataclass(frozen=True)
class Story:
    """One request, what a model makes of it, and what the answer must be.

    Attributes:
        tracks: ids of the whole answer with the guard. wrong: an id that the answer holds without it; empty where it then
            only lacks some. off: assertions that would have caught the choice.
    """

    request: str
    choice: Choice
    tracks: set[str]
    wrong: str
    remedy: str
    off: frozenset[str] = frozenset()


STORIES: dict[str, Story] = {
    "negation_leak": Story(
        "blues rock but no Kiss", pick("exclude artist Kiss", add=("artist Kiss",)),
        {"clapton--layla", "clapton--tearsinheaven"}, "", "drop",
        frozenset({"polarity_kept", "options_disjoint"}),
    ),
    "verb_prefix": Story(
        "play Muse", pick("target album Play", "target artist Muse"),
        {"muse--uprising", "muse--hysteria"}, "moby--porcelain", "drop",
    ),
    "possessive_split": Story(
        "Toto's Africa", pick("target artist Toto", "target track Africa"), {"toto--africa"}, "toto--rosanna", "safer_retriever",
    ),
    "artist_as_tag": Story(
        "some Queen music", pick("target album Queen"), ALL_OF_QUEEN, "", "safer_retriever",
    ),
    "functional_phrase": Story(
        "music for running", pick("activity Running", add=("track Running",), drop=("activity Running",)), {"m--popmuzik"},
        "no-doubt--running", "broaden",
    ),
    "short_token": Story("something for u", pick("target track Ü"), set(), "liliput--u", "drop"),
    "works_exclusion": Story(
        "Hello by Metallica", pick("target track Hello", "target artist Metallica"), set(), "metallica--entersandman", "drop",
    ),
    "version_mismatch": Story(
        "Hallelujah", pick("target track Hallelujah", add=("track Hallelujah (Live)",), drop=("track Hallelujah by Leonard",)),
        {"leonard-cohen--hallelujah"}, "leonard-cohen--hallelujahlive", "safer_retriever",
    ),
    "thin_support": Story(
        "Hysteria", pick("target artist Hysteria"), {"muse--hysteria"}, "hysteria--glasshouses", "safer_retriever",
    ),
    "homonym_pair": Story(
        "Kaleidoscope", pick("words: Kaleidoscope", add=("album Kaleidoscope", "artist Kaleidoscope")),
        {"siouxsie--happyhouse", "siouxsie--christine"}, "kaleidoscope-uk--flightfromashiya", "drop",
    ),
}  # fmt: skip


def _answer(index: EmbeddedIndex, story: Story, guards: GuardSwitches) -> dspy.Prediction:
    lm, _ = scripted([("understand", story.choice), ("plan", {"routes": ["t0"]}), ("reflect", "none"), ("synthesize", words())])
    settings = Settings(head_shortcut=False, guards=guards, assertions_off=story.off, retry=RetrySettings(enabled=False))
    return melo(index, lm, settings)(request=story.request)


def _ids(prediction: dspy.Prediction) -> set[str]:
    return {track.track_id for track in prediction.playlist.tracks}


@pytest.mark.parametrize("name", STORIES)
def test_the_guard_saves_the_answer(shelf: EmbeddedIndex, name: str) -> None:
    """A wrong choice that passes UNDERSTAND's checks is put right before any tool fires, and the plan says by what."""
    story = STORIES[name]
    on = _answer(shelf, story, GuardSwitches.model_validate({**GuardSwitches.none().model_dump(), name: True}))
    off = _answer(shelf, story, GuardSwitches.none())
    hits = [hit for hit in on.plan.guard_hits if hit.guard == name]

    assert _ids(on) == story.tracks
    assert story.wrong in _ids(off) if story.wrong else _ids(off) < _ids(on)
    assert {hit.remedy for hit in hits} == {story.remedy}
    assert all(hit.words in story.request and hit.words for hit in hits)
    assert off.plan.guard_hits == ()


def test_every_guard_has_its_story() -> None:
    """No guard goes without an answer that it saves."""
    assert set(STORIES) | {"unverified_id"} == set(GUARDS)


def test_a_made_up_id_is_saved_too(shelf: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments that nobody verified reach no tool; a planner that can write them is put in place of the compiler."""

    def careless(intent: Intent, *rest: Any) -> Plan:
        plan = compile_plan(intent, *rest)
        calls = [
            call.model_copy(update={"args": call.args.model_copy(update={"artist_ids": (*call.args.artist_ids, "moby")})})
            for call in plan.routes
        ]
        return plan.model_copy(update={"routes": tuple(calls)})

    monkeypatch.setattr(guarding, "compile_plan", careless)
    alone = SafetySettings(middle=False)
    on, off = (
        melo(shelf, settings=Settings(guards=g, safety=alone))(request="Muse") for g in (GuardSwitches(), GuardSwitches.none())
    )
    behind = melo(shelf, settings=Settings(guards=GuardSwitches.none()))(request="Muse")

    assert _ids(behind) == {"muse--uprising", "muse--hysteria"}  # the guard before the tools finds it too
    assert _ids(on) == {"muse--uprising", "muse--hysteria"}
    assert _ids(off) == {*_ids(on), "moby--porcelain", "moby--honey"}
    assert [hit.guard for hit in on.plan.guard_hits] == ["unverified_id"]


FORMS = ("{t} by {a}", "{a}'s {t}", "{t}", "songs by {a}", "songs like {t} by {a}", "the album {l} by {a}")


@pytest.mark.parametrize("form", FORMS)
def test_guards_harm_no_right_answer(shelf: EmbeddedIndex, tiny_index: EmbeddedIndex, form: str) -> None:
    """Whatever is found by its plain name without guards is found with them."""
    lost = []
    for index, step in ((shelf, 1), (tiny_index, 5)):
        on, off = melo(index), melo(index, settings=Settings(guards=GuardSwitches.none()))
        for row in range(0, index.info.tracks, step):
            track = index.track(row).track
            request = form.format(t=track.title, a=track.artists[0].name, l=track.album or track.title)
            answer = off(request=request)
            if track.track_id in _ids(answer) and track.track_id not in _ids(on(request=request)):
                lost.append(request)

    assert lost == []
