"""A finished answer loses what its contract does not hold, and only that."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import (
    Candidate,
    ContractTrack,
    LedgerEntry,
    Playlist,
    PlaylistTrack,
    Reply,
    ReplyContract,
    TaskState,
    TrackReason,
)
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import SafetySettings, Settings
from program.trust.closing import closed, closed_reply
from tests.listeners import listener
from tests.sessions import KeptStore, melo
from tests.test_no_invented_ids import requests

KEPT = LedgerEntry.model_validate({"constraint_id": "c0", "facet": "era", "state": "kept", "from": ["1980s"]})
AFRICA = ContractTrack(
    ref="t1", track_id="toto--africa", title="Africa", artists=("Toto",), year=1982, facts=("era 1982",),
    cites=("toto--africa", "c0", "user.play_count"), state={"play_count": "7"}, heard=("the kettle sings at 9",),
)  # fmt: skip
HELLO = ContractTrack(ref="t2", track_id="adele--hello", title="Hello", artists=("Adele",), year=2015, cites=("adele--hello",))
CONTRACT = ReplyContract(
    request="2 songs of the 80s like C4", tracks=(AFRICA, HELLO), ledger=(KEPT,), task=TaskState(names=("blink-182",), asked=2),
    render=("layout",),
)  # fmt: skip


def _shown(track: ContractTrack, **update: Any) -> PlaylistTrack:
    made = PlaylistTrack(
        track_id=track.track_id, title=track.title, artists=track.artists, year=track.year, citations=(track.track_id,)
    )  # fmt: skip
    return made.model_copy(update=update)


def _answer(**update: Any) -> Playlist:
    made = Playlist(
        status="ok", tracks=(_shown(AFRICA), _shown(HELLO)), title="The 80s", ledger=(KEPT,),
        description="2 tracks from the catalog. Like blink-182 and C4.",
    )  # fmt: skip
    return made.model_copy(update=update)


@pytest.mark.parametrize(
    "answer",
    [
        _answer(),
        _answer(tracks=(_shown(AFRICA, reason="you played it 7 times", citations=("c0", "user.play_count")),)),
        _answer(tracks=(_shown(AFRICA, reason="era 1982; the lyrics say “the kettle sings at 9”"),)),
        _answer(tracks=(_shown(HELLO, reason="from 2015"),)),
        _answer(title="“Africa”, “Hello”"),
    ],
    ids=["plain", "user state", "a line", "a year", "titles"],
)
def test_what_the_contract_holds_stays(answer: Playlist) -> None:
    """The same object comes back, and nothing is counted."""
    found = closed(answer, CONTRACT)

    assert found.playlist is answer
    assert found.cuts == ()


FOREIGN = PlaylistTrack(track_id="prince--1999", title="1999", artists=("Prince",))
CUTS: dict[str, tuple[Playlist, str, str, Any]] = {
    "a foreign track": (_answer(tracks=(_shown(AFRICA), FOREIGN)), "the track prince--1999", "tracks", (_shown(AFRICA),)),
    "another order": (
        _answer(tracks=(_shown(HELLO), _shown(AFRICA))), "another order of the tracks", "tracks", (_shown(AFRICA), _shown(HELLO)),
    ),
    "a track twice": (
        _answer(tracks=(_shown(AFRICA), _shown(AFRICA))), "another order of the tracks", "tracks", (_shown(AFRICA),),
    ),
    "a foreign citation": (
        _answer(tracks=(_shown(AFRICA, citations=("c0", "c7")),)), "the citation c7", "tracks",
        (_shown(AFRICA, citations=("c0",)),),
    ),
    "a user-state key": (
        _answer(tracks=(_shown(HELLO, citations=("user.play_count",)),)), "the citation user.play_count", "tracks",
        (_shown(HELLO, citations=()),),
    ),
    "another name": (_answer(tracks=(_shown(AFRICA, title="Rosanna"),)), "another name for t1", "tracks", (_shown(AFRICA),)),
    "a number in a reason": (
        _answer(tracks=(_shown(AFRICA, reason="played 400 times"),)), "the number 400", "tracks", (_shown(AFRICA),),
    ),
    "another track's year": (
        _answer(tracks=(_shown(AFRICA, reason="from 2015"),)), "the number 2015", "tracks", (_shown(AFRICA),),
    ),
    "a quote in the title": (_answer(title="“Purple Rain” nights"), '"Purple Rain"', "title", ""),
    "a sentence": (
        _answer(description="2 tracks from the catalog. Won 12 prizes. Like C4."), "the number 12", "description",
        "2 tracks from the catalog. Like C4.",
    ),
    "an address": (_answer(description="Look at https://evil.example now."), "a web address", "description", ""),
    "an internal number": (_answer(description="Best is e7."), "the internal number e7", "description", ""),
    "a changed ledger": (_answer(ledger=()), "a changed ledger", "ledger", (KEPT,)),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "cut", "field", "left"), CUTS.values(), ids=CUTS.keys())
def test_what_goes_beyond_is_cut_and_told(answer: Playlist, cut: str, field: str, left: Any) -> None:
    """Each is named, and what is left closes."""
    found = closed(answer, CONTRACT)

    assert cut in found.cuts
    assert getattr(found.playlist, field) == left
    assert closed(found.playlist, CONTRACT).cuts == ()


def test_an_answer_that_loses_all_tracks_has_failed() -> None:
    """Never ok on an empty list."""
    assert closed(_answer(tracks=(FOREIGN,)), CONTRACT).playlist.status == "failed"


def test_the_writer_gives_reasons_for_chosen_tracks_only() -> None:
    """A reason for another track and a field that it may not set are dropped; the rest stays as it is."""
    reasons = (TrackReason(track_id="toto--africa", text="r"), TrackReason(track_id="prince--1999", text="r"))
    bad = Reply(title="t", description="d", reasons=reasons, render={"layout": "grid", "script": "x"})
    good = Reply(title="t", description="d", reasons=reasons[:1], render={"layout": "grid"})

    assert closed_reply(bad, CONTRACT) == good
    assert closed_reply(good, CONTRACT) is good


def test_templates_close(tiny_index: EmbeddedIndex) -> None:
    """Two hundred varied requests without a model, half of them a listener's: nothing is cut, so nothing is cut in vain."""
    store = KeptStore()
    program = melo(tiny_index, store=store)
    anna = listener(tiny_index, likes=("toto--africa", "adele--hello"), plays={"wire--mapref41n93w": (0.1, 9.0)})
    own = ["my liked songs", "what I played most", "my liked songs from the 80s", "我喜欢的歌", "what I listened to last week"]
    for number, text in enumerate([*requests(200, 5), *own]):
        program(request=text, listener=anna if number % 2 or text in own else None)
    outcomes = [o for a in store.artifacts if a.node == "playlist" for o in a.assertions if o.name == "answer_closes"]

    assert len(outcomes) > 100
    assert [outcome.message for outcome in outcomes if outcome.outcome != "passed"] == []


class _Inventing:
    """A SYNTHESIZE that gives tracks which nobody found."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __call__(self, session: Any, resources: Any) -> Any:
        chosen, reply = self._inner(session, resources)
        extra = Candidate(track_id="prince--1999", score=1.0, route_ranks={})
        session.entries.update(resources.index.by_ids(["prince--1999"]))
        reason = TrackReason(track_id="prince--1999", text="because of 400 fans", citations=("c9",))
        session.reply = reply.model_copy(update={"reasons": (*reply.reasons, reason)})
        session.contract = session.contract.model_copy(
            update={"tracks": (*session.contract.tracks, HELLO.model_copy(update={"track_id": "prince--1999"}))}
        )
        return [*chosen, extra], session.reply


@pytest.mark.parametrize("on", [True, False])
def test_tracks_that_nobody_found_are_cut(tiny_index: EmbeddedIndex, on: bool) -> None:
    """With the switch on they leave the answer, which is handed to a reviewer; with it off they stay."""
    program: Melo = melo(tiny_index, settings=Settings(safety=SafetySettings(closure=on)))
    replaced: Any = _Inventing(program.synthesize)
    program.synthesize = replaced
    playlist = program(request="post-punk").playlist

    assert ("prince--1999" in {track.track_id for track in playlist.tracks}) is not on
    assert ("answer_cut" in {fault.code for fault in playlist.fallback}) is on
    assert (playlist.handover is not None and playlist.handover.reason == "answer_cut") is on
