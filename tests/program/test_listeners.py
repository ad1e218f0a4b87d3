"""The graph with a listener: own sets, taste as an order among equals, dislikes, open requests, and every switch."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import Playlist
from program.index.engine import EmbeddedIndex
from program.nodes.understand import UnderstandNode
from program.settings import PersonalSettings, Settings
from program.users.listener import Listener, user_key
from tests.listeners import listener
from tests.sessions import KeptStore, melo, reading, resources, scripted, session

AFRICA, HELLO, DISORDER, FOREST = "toto--africa", "adele--hello", "joy-division--disorder", "the-cure--aforest"


@pytest.fixture
def anna(tiny_index: EmbeddedIndex) -> Listener:
    """Likes of three kinds, plays of today and of last week."""
    plays = {AFRICA: (0.1, 0.2), DISORDER: (8.0,)}
    return listener(tiny_index, likes=(AFRICA, HELLO, DISORDER, FOREST), plays=plays)


def _ask(index: EmbeddedIndex, text: str, who: Listener | None, n: int | None = None, **switches: Any) -> Playlist:
    settings = Settings(personal=PersonalSettings(**switches))
    found: Playlist = melo(index, settings=settings)(request=text, n=n, listener=who).playlist
    return found


_CITY_POP = ("Anri", "Miki Matsubara", "Mariya Takeuchi", "Tatsuro Yamashita")


def _ids(playlist: Playlist) -> list[str]:
    return [track.track_id for track in playlist.tracks]


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("play my liked songs", "ok", [AFRICA, HELLO, DISORDER, FOREST]),
        ("my liked songs from the 80s", "ok", [AFRICA, FOREST]),
        ("my liked songs but no post-punk", "ok", [AFRICA, HELLO]),
        ("my liked songs by Adele", "ok", [HELLO]),
        ("recently played", "ok", [AFRICA, DISORDER]),
        ("what I listened to last week", "ok", [DISORDER]),
        ("my liked songs by Metallica", "not_found", []),
        ("my liked jazz songs, i mean my liked songs that are jazz", "not_found", []),
        ("what I listened to in 2019", "not_found", []),
    ],
)
def test_own_sets(tiny_index: EmbeddedIndex, anna: Listener, text: str, status: str, expected: list[str]) -> None:
    """The set as it is, narrowed by what is asked; an empty one is told, never widened or filled up."""
    found = _ask(tiny_index, text, anna)

    assert (found.status, _ids(found)) == (status, expected)
    assert all(entry.state == "kept" for entry in found.ledger)
    assert bool(found.message) is (status != "ok")


def test_a_number_that_the_set_does_not_hold(tiny_index: EmbeddedIndex, anna: Listener) -> None:
    """Fewer than were asked for are a partial answer."""
    assert _ask(tiny_index, "my liked songs", anna, n=2).status == "ok"
    assert _ask(tiny_index, "my liked songs", anna, n=30).status == "partial"


@pytest.mark.parametrize("who", ["nobody", "without plays"])
def test_nothing_known(tiny_index: EmbeddedIndex, who: str) -> None:
    """Without a listener, or without any of the set, it is said, and nothing is played instead."""
    given = None if who == "nobody" else listener(tiny_index, likes=(AFRICA,))
    found = _ask(tiny_index, "recently played", given)

    assert (found.status, found.tracks) == ("not_found", ())
    assert [fault.code for fault in found.fallback] == ["no_user_data"]


def test_the_reasons_of_an_own_set(tiny_index: EmbeddedIndex, anna: Listener) -> None:
    """When it was liked, how often it was played."""
    liked = _ask(tiny_index, "my liked songs", anna).tracks[0].reason
    played = _ask(tiny_index, "recently played", anna).tracks[0].reason

    assert liked == "you liked it on 2026-03-17"
    assert played == "you played it 2 times, last on 2026-03-18"


def test_taste_orders_equals(tiny_index: EmbeddedIndex) -> None:
    """Of the tracks of a decade those near the taste move up, and say so; the same tracks come back; the switch turns it off."""
    who = listener(tiny_index, likes=("miki-matsubara--mayonakanodoor", "anri--shynessboy"))
    plain = _ask(tiny_index, "songs from the 80s", None, n=30, recall=False)
    known = _ask(tiny_index, "songs from the 80s", who, n=30, recall=False)
    off = _ask(tiny_index, "songs from the 80s", who, n=30, recall=False, affinity=False)
    near, before = [
        [place for place, track in enumerate(found.tracks) if track.artists[0] in _CITY_POP] for found in (known, plain)
    ]

    assert near
    assert sum(near) / len(near) < sum(before) / len(before)
    assert _ids(off) == _ids(plain)
    assert any("near to what you like" in track.reason for track in known.tracks)
    assert not any("near to what you like" in track.reason for track in plain.tracks)


@pytest.mark.parametrize("text", ["niche Icelandic post-punk", "sad piano songs", "songs by Metallica", "Africa by Toto"])
def test_taste_never_overrides_what_is_asked(tiny_index: EmbeddedIndex, anna: Listener, text: str) -> None:
    """At every place of the list at least as many of the asked conditions hold as without a listener."""
    plain, known = (melo(tiny_index)(request=text, listener=who) for who in (None, anna))

    def held(prediction: Any) -> list[int]:
        return [sum(one.startswith("c") and one[1:].isdigit() for one in t.citations) for t in prediction.playlist.tracks]

    assert plain.intent == known.intent
    assert all(mine >= other for mine, other in zip(held(known), held(plain), strict=True))


def test_dislikes_stay_away_unless_named(tiny_index: EmbeddedIndex) -> None:
    """A disliked track is not suggested; asked for by name it is played."""
    who = listener(tiny_index, dislikes=(FOREST,))

    assert FOREST in _ids(_ask(tiny_index, "post-punk", None, n=40))
    assert FOREST not in _ids(_ask(tiny_index, "post-punk", who, n=40))
    assert _ids(_ask(tiny_index, "A Forest by The Cure", who)) == [FOREST]


def test_an_open_request_is_answered_from_the_taste(tiny_index: EmbeddedIndex, anna: Listener) -> None:
    """With a taste there is something to go by; without one, or switched off, it is asked what is wanted."""
    found = _ask(tiny_index, "play something", anna)

    assert found.status in ("ok", "partial")
    assert found.title == "For you"
    assert not {AFRICA, HELLO, DISORDER, FOREST} & set(_ids(found))
    assert _ask(tiny_index, "play something", None).status == "clarify"
    assert _ask(tiny_index, "play something", anna, open_requests=False).status == "clarify"
    assert _ask(tiny_index, "play something", listener(tiny_index, dislikes=(AFRICA,))).status == "clarify"


def test_recall_by_taste_joins_open_choices_only(tiny_index: EmbeddedIndex, anna: Listener) -> None:
    """A name leaves no choice; a facet does; the switch turns it off."""

    def tools(text: str, **switches: Any) -> set[str]:
        settings = Settings(personal=PersonalSettings(**switches))
        plan = melo(tiny_index, settings=settings)(request=text, listener=anna).plan
        return {call.tool for call in plan.routes}

    assert "taste_recall" in tools("post-punk")
    assert "taste_recall" not in tools("post-punk", recall=False)
    assert "taste_recall" not in tools("songs by Metallica")
    assert "taste_recall" not in tools("songs like Africa")
    assert tools("my liked songs") == {"liked_songs"}


@pytest.mark.parametrize("profile", [True, False])
def test_the_profile_reaches_the_model(tiny_index: EmbeddedIndex, anna: Listener, profile: bool) -> None:
    """UNDERSTAND's prompt holds the taste in one short line, and none where there is no listener or it is off."""
    lm, engine = scripted([("understand", [reading()] * 2)])
    settings = Settings(personal=PersonalSettings(profile=profile))
    for who in (anna, None):
        made = session("smells of rain and Africa")
        made.listener = who
        UnderstandNode()(made, resources(tiny_index, settings, lm))
    lines = [[line for line in prompt.last.splitlines() if line.startswith("profile:")] for prompt in engine.prompts]

    assert [len(found) for found in lines] == [profile, 0]
    assert not profile or "Adele" in lines[0][0]


def test_traces_name_no_listener(tiny_index: EmbeddedIndex, anna: Listener) -> None:
    """Artifacts carry a key, by which the traces can be deleted, and neither the id nor the likes of the taste."""
    store = KeptStore()
    melo(tiny_index, store=store)(request="post-punk", listener=anna)

    assert {artifact.parameters["user"] for artifact in store.artifacts} == {user_key("anna")}
    assert not any('"anna"' in artifact.model_dump_json() for artifact in store.artifacts)
