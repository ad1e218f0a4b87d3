"""The breaker in the whole program: what it keeps, what runs again, that it changes nothing on sound answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from data.contracts import Artifact, CandidateSet, Intent, Reply
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import BreakerSettings, Settings
from program.state import Resources, Session
from program.trust.artifacts import verify
from program.trust.breaker.breaker import Breaker
from program.trust.breaker.log import MemoryLog
from tests.sessions import KeptStore, melo, number_of, scripted, verdict, words

WARM = Settings(breaker=BreakerSettings(cold_start=0))
OFF = Settings(breaker=BreakerSettings.none())
REQUESTS = (
    "Africa by Toto", "songs by Metallica", "post-punk", "songs like Africa", "niche Icelandic post-punk", "Hello",
    "play Xanthorpe Dreaming", "my liked songs", "", "sad songs without drums", "10 songs from the 80s", "放点周杰伦的歌",
)  # fmt: skip


def _program(index: EmbeddedIndex, settings: Settings = WARM) -> tuple[Melo, KeptStore]:
    store = KeptStore()
    return Melo(index, settings, store=store, breaker=Breaker(settings.breaker, MemoryLog())), store


def _spoilt(program: Melo, name: str, spoil: Any, *, times: int = 1) -> Counter[str]:
    """Spoil the first outputs of a node, never that of code alone; count the runs of all nodes."""
    runs: Counter[str] = Counter()
    for node in ("understand", "plan", "_execute", "reflect", "synthesize"):
        setattr(program, node, _counted(getattr(program, node), node.strip("_"), runs))
    inner = getattr(program, name)
    left = [times]

    def run(session: Session, resources: Resources) -> Any:
        output = inner(session, resources)
        if left[0] and not resources.by_code:
            left[0] -= 1
            return spoil(output, session)
        return output

    setattr(program, name, run)
    return runs


def _counted(node: Any, name: str, runs: Counter[str]) -> Any:
    def run(session: Session, resources: Resources) -> Any:
        runs[name] += 1
        return node(session, resources)

    return run


def _forget_region(intent: Intent, session: Session) -> Intent:
    kept = tuple(one for one in intent.constraints if one.facet != "region")
    session.intent = intent.model_copy(update={"constraints": kept})
    session.active = kept
    return session.intent


def _invent(found: CandidateSet, session: Session) -> CandidateSet:
    first = found.candidates[0]
    session.entries["made-up"] = session.entries[first.track_id]
    spoilt = first.model_copy(update={"track_id": "made-up"})
    session.found = found.model_copy(update={"candidates": (spoilt, *found.candidates[1:])})
    return session.found


def _off_topic(output: Any, session: Session) -> Any:
    session.reply = Reply(title="Tour diary", description="The band toured nineteen stadiums before their drummer left in anger.")
    return output[0], session.reply


def test_sound_answers_are_those_of_before(tiny_index: EmbeddedIndex) -> None:
    """On or off: the same tracks, words, status and ledger, and nothing is stopped."""
    on, _ = _program(tiny_index)
    off, _ = _program(tiny_index, OFF)
    for request in REQUESTS:
        with_it, without = on(request=request).playlist, off(request=request).playlist
        same = {"trace_id": "", "timings_ms": {}}
        assert with_it.model_copy(update=same) == without.model_copy(update=same), request
    assert on._breaker.log.trips() == []
    assert off._breaker.log.records() == []


def test_a_forgotten_condition(tiny_index: EmbeddedIndex) -> None:
    """UNDERSTAND alone runs again, and the answer is that of a sound reading."""
    request = "niche Icelandic post-punk"
    sound = melo(tiny_index)(request=request).playlist
    program, store = _program(tiny_index)
    runs = _spoilt(program, "understand", _forget_region)
    answer = program(request=request).playlist

    assert (answer.tracks, answer.ledger) == (sound.tracks, sound.ledger)
    [trip] = program._breaker.log.trips()
    assert (trip.node, trip.cause, trip.signals[0].part, trip.outcome) == ("understand", "coverage", "Icelandic", "recovered")
    assert (runs["understand"], runs["plan"], runs["synthesize"]) == (2, 2, 1)
    assert answer.handover is None
    _chain_holds(store.artifacts, trip.artifact_id)


def test_an_invented_track(tiny_index: EmbeddedIndex) -> None:
    """EXECUTE runs again, UNDERSTAND and PLAN do not; no made-up id reaches the answer."""
    program, store = _program(tiny_index)
    runs = _spoilt(program, "_execute", _invent)
    answer = program(request="post-punk").playlist
    assert "made-up" not in {track.track_id for track in answer.tracks}
    assert (runs["understand"], runs["plan"], runs["execute"]) == (1, 1, 2)
    assert [(trip.node, trip.cause) for trip in program._breaker.log.trips()] == [("execute", "ids")]
    _chain_holds(store.artifacts, program._breaker.log.trips()[0].artifact_id)


def test_words_about_something_else(tiny_index: EmbeddedIndex) -> None:
    """Twice spoilt, the template writes them."""
    program, _ = _program(tiny_index)
    _spoilt(program, "synthesize", _off_topic, times=2)
    answer = program(request="post-punk").playlist
    assert answer.title == melo(tiny_index)(request="post-punk").playlist.title
    assert [trip.outcome for trip in program._breaker.log.trips()] == ["degraded"]


def test_what_nothing_mends_is_handed_over(tiny_index: EmbeddedIndex) -> None:
    """A reading that stays doubtful by code too is for a reviewer, and the answer stands."""
    program, _ = _program(tiny_index)
    inner = program.understand

    def always(session: Session, resources: Resources) -> Any:
        return _forget_region(inner(session, resources), session)

    program.understand = always  # type: ignore[assignment]
    answer = program(request="niche Icelandic post-punk").playlist
    assert answer.handover is not None
    assert (answer.handover.reason, answer.handover.owner) == ("low_confidence", "reviewer")
    assert answer.tracks


def test_a_model_is_told_what_was_doubtful(tiny_index: EmbeddedIndex) -> None:
    """The retry's prompt is the first one with the doubt as its last input; what it brings is used."""
    bad = words("Niche songs", "More niche songs, similar songs and close matches.")
    good = words("Icelandic post-punk", "Niche post-punk music from Iceland.")
    widened = lambda prompt: verdict("retry_relaxed", number_of(prompt, "Nordic"))  # noqa: E731
    lm, engine = scripted([("plan", {"routes": ["t0"]}), ("reflect", widened), ("synthesize", [bad, good])])
    settings = Settings(breaker=BreakerSettings(cold_start=0, drift="always", drift_floor=0.6))
    answer = melo(tiny_index, lm, settings)(request="niche Icelandic post-punk").playlist
    prompts = [prompt for prompt in engine.prompts if prompt.node == "synthesize"]
    doubt = "correction: your last answer was doubtful: the words are far from what was asked"
    assert [doubt in prompt.text for prompt in prompts] == [False, True]
    assert prompts[1].text.startswith(prompts[0].text.split("correction:")[0].rstrip())
    assert answer.title == "Icelandic post-punk"


def _chain_holds(artifacts: list[Artifact], stopped: str) -> None:
    """The stopped artifact is kept as failed, is a parent of what took its place, and the chain verifies."""
    known = {one.artifact_id for one in artifacts}
    for one in artifacts:
        verify(one, known.__contains__)
    [failed] = [one for one in artifacts if one.artifact_id == stopped]
    after = [one for one in artifacts if stopped in one.parents]
    assert failed.validation == "failed"
    assert [one.node for one in after] == [failed.node]
    assert after[0].validation == "passed"
    assert failed.confidence.final < after[0].confidence.final
