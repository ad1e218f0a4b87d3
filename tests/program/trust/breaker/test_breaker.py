"""The breaker's way with one node: retry, code, people; cold start, cool-down, pause, degrade mode."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from data.contracts import Confidence, Intent, Verdict
from data.errors import InfrastructureError
from program.index.engine import EmbeddedIndex
from program.lm.calls import LMCall
from program.lm.meter import Spent
from program.retry.ledger import Ledger
from program.settings import BreakerSettings, Settings
from program.state import Resources, Session
from program.trust.breaker.breaker import Breaker
from program.trust.breaker.confidence import Assessment
from program.trust.breaker.log import MemoryLog
from program.trust.breaker.validators import VALIDATORS
from tests.scripted import scripted_lm
from tests.sessions import constraint, resources, session

WARM = BreakerSettings(cold_start=0, cool_down_s=30.0, pause_s=30.0, window=10)
INTENT = Intent(kind="discover", constraints=(constraint(0, "genre", "post-punk"),))


class Scored(Breaker):
    """Judges outputs by a table: what they are worth."""

    scores: ClassVar[dict[str, float]] = {"good": 0.9, "bad": 0.1, "doubtful": 0.3, "by code": 0.95}

    def assess(self, name: str, output: Any, *_: Any) -> tuple[Assessment, Confidence]:
        """The score of the output."""
        score = self.scores[output]
        return Assessment(score), Confidence(own=score, final=score)


class Node:
    """Gives its outputs in turn and notes how it was asked; by code alone it gives another."""

    def __init__(self, *outputs: str, by_code: str = "by code") -> None:
        self.outputs, self.by_code = list(outputs), by_code
        self.runs: list[tuple[str, bool, float]] = []

    def __call__(self, session: Session, resources: Resources) -> str:
        """The next output; asking a model is booked, so that another reply may come."""
        lm = resources.backbones["plan"].lm
        temperature = float(lm.kwargs["temperature"]) if lm is not None else -1.0
        self.runs.append((session.nudge, resources.by_code, temperature))
        session.hint = f"run {len(self.runs)}"
        if resources.by_code:
            return self.by_code
        session.meter.admit()
        session.meter.settle("plan", Spent())
        session.meter.log([LMCall(node="plan", model="openai/scripted", probability=0.5)])
        return self.outputs.pop(0)


def _run(node: Node, index: EmbeddedIndex, breaker: Breaker, asked: Session | None = None, kept: list[Any] | None = None) -> Any:
    at_work = resources(index, Settings(breaker=breaker.settings), scripted_lm([]))
    doubted = [] if kept is None else kept

    def keep(output: Any, confidence: Confidence) -> str:
        doubted.append((output, confidence.final))
        return "feed-07"

    return breaker.run("plan", node, asked or session("x", INTENT), at_work, "1", keep)


def _breaker(settings: BreakerSettings = WARM, now: list[float] | None = None) -> Scored:
    clock = now or [0.0]
    return Scored(settings, MemoryLog(settings=settings), clock=lambda: clock[0], now=lambda: 7.0)


def test_what_is_good_goes_on(tiny_index: EmbeddedIndex) -> None:
    """One run, no trip, and the confidence is on the session."""
    breaker, asked = _breaker(), session("x", INTENT)
    assert _run(Node("good"), tiny_index, breaker, asked) == "good"
    assert (asked.confidence["plan"].final, asked.trips) == (0.9, [])
    record = breaker.log.records()[0]
    assert (record.seen, record.trips) == (1, 0)


def test_it_is_asked_again_with_the_doubt_named(tiny_index: EmbeddedIndex) -> None:
    """From the session as it was; what passes then is the output, the trip is recovered and the threshold falls."""
    breaker, asked, kept = _breaker(), session("x", INTENT), list[Any]()
    asked.hint = "before"
    node = Node("bad", "good")
    assert _run(node, tiny_index, breaker, asked, kept) == "good"

    assert [nudge for nudge, _, _ in node.runs] == [
        "",
        "your last answer was doubtful: the producer itself is not sure; look again",
    ]
    assert (asked.nudge, asked.confidence["plan"].final, kept) == ("", 0.9, [("bad", 0.1)])
    [trip] = asked.trips
    assert (trip.outcome, trip.fix, trip.cause, trip.final, trip.artifact_id) == ("recovered", "context", "own", 0.1, "feed-07")
    assert breaker.log.records()[0].threshold == 0.7


def test_then_code_alone(tiny_index: EmbeddedIndex) -> None:
    """After a retry that fails; the threshold rises."""
    breaker, asked = _breaker(), session("x", INTENT)
    node = Node("bad", "doubtful")
    assert _run(node, tiny_index, breaker, asked) == "by code"
    assert [by_code for _, by_code, _ in node.runs] == [False, False, True]
    assert node.runs[2][0] == ""
    assert (asked.trips[0].outcome, asked.trips[0].fix) == ("degraded", "deterministic")
    assert breaker.log.record("plan", asked.trips[0].node_version).threshold == 0.8  # type: ignore[union-attr]


def test_then_a_person(tiny_index: EmbeddedIndex) -> None:
    """What code makes is doubtful too."""
    asked = session("x", INTENT)
    assert _run(Node("bad", "bad", by_code="doubtful"), tiny_index, _breaker(), asked) == "doubtful"
    assert asked.trips[0].outcome == "queued"


def test_the_second_retry_is_warmer(tiny_index: EmbeddedIndex) -> None:
    """By 0.2, and the doubt is named again; the backbone itself is not changed."""
    settings = WARM.model_copy(update={"retries": 2})
    asked, node = session("x", INTENT), Node("bad", "bad", "good")
    assert _run(node, tiny_index, _breaker(settings), asked) == "good"
    assert [temperature for _, _, temperature in node.runs] == [0.0, 0.0, 0.2]
    assert asked.trips[0].fix == "temperature"


def test_a_cold_start_only_records(tiny_index: EmbeddedIndex) -> None:
    """Nothing is stopped until enough was seen of the version."""
    breaker = _breaker(WARM.model_copy(update={"cold_start": 3}))
    for _ in range(3):
        asked, node = session("x", INTENT), Node("bad")
        assert _run(node, tiny_index, breaker, asked) == "bad"
        assert [trip.outcome for trip in asked.trips] == ["recorded"]
    assert _run(Node("bad", "good"), tiny_index, breaker) == "good"


def test_a_node_that_could_not_be_mended_cools_down(tiny_index: EmbeddedIndex) -> None:
    """Its model is left alone for so long, and then asked again."""
    now = [0.0]
    breaker = _breaker(now=now)
    _run(Node("bad", "bad"), tiny_index, breaker)
    cooling = Node("good")
    assert _run(cooling, tiny_index, breaker) == "by code"
    now[0] = 30.0
    assert _run(cooling, tiny_index, breaker) == "good"


def test_too_much_doubt_pauses_models(tiny_index: EmbeddedIndex) -> None:
    """The answer says so while it lasts, and it ends by itself."""
    now = [0.0]
    breaker = _breaker(now=now)
    for number in range(10):
        now[0] = number * 31.0  # each node has cooled down
        _run(Node("bad", "good"), tiny_index, breaker)
    asked = session("x", INTENT)
    assert breaker.circuit.alarms == 1
    assert _run(Node("good"), tiny_index, breaker, asked) == "by code"
    assert [fault.code for fault in asked.fallbacks] == ["breaker_paused"]
    now[0] += 31.0
    assert _run(Node("good"), tiny_index, breaker) == "good"


def test_switched_off(tiny_index: EmbeddedIndex) -> None:
    """Nothing is judged, kept or counted."""
    breaker, asked = _breaker(BreakerSettings.none()), session("x", INTENT)
    assert _run(Node("bad"), tiny_index, breaker, asked) == "bad"
    assert (asked.trips, asked.confidence, breaker.log.records()) == ([], {}, [])


def test_a_validator_that_fails(tiny_index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Own scores alone count against 0.95, which is said; nothing is asked again; it comes back by itself."""
    now = [0.0]
    breaker = Breaker(WARM, MemoryLog(), clock=lambda: now[0], now=lambda: 7.0)
    looks: list[float] = []

    def fails(*_: Any) -> Any:
        looks.append(now[0])
        raise InfrastructureError("the embedder does not answer")

    monkeypatch.setitem(VALIDATORS, "plan", fails)
    node, asked = Node("first", "second"), session("x", INTENT)
    assert _run(node, tiny_index, breaker, asked) == "by code"
    assert [fault.code for fault in asked.fallbacks] == ["breaker_degraded"]
    assert breaker.is_degraded
    assert [by_code for _, by_code, _ in node.runs] == [False, True]
    _run(Node("x", by_code="x"), tiny_index, breaker)
    assert looks == [0.0]
    now[0] = 30.0
    assert not breaker.is_degraded


def test_a_store_that_fails(tiny_index: EmbeddedIndex) -> None:
    """The same threshold, and the store is left alone for a while."""
    now = [0.0]
    breaker = _breaker(now=now)
    breaker.store_failed()
    assert (breaker.store_is_down, breaker.threshold("plan", None)) == (True, 0.95)
    now[0] = 30.0
    assert (breaker.store_is_down, breaker.threshold("plan", None)) == (False, 0.75)


def test_the_session_is_as_before(tiny_index: EmbeddedIndex) -> None:
    """What a stopped REFLECT did to ledger, conditions and faults is gone when it runs again; what it read stays read."""
    seen: list[tuple[Any, ...]] = []

    def node(session: Session, _: Resources) -> Verdict:
        seen.append((session.active, dict(session.ledger.changed), tuple(session.fallbacks), session.round, len(session.entries)))
        session.active, session.round = (), session.round + 1
        session.ledger.changed["c0"] = None  # type: ignore[assignment]
        session.entries[f"t{len(seen)}"] = None  # type: ignore[assignment]
        return Verdict(action="proceed", is_sufficient=True, total_candidates=len(seen), semantic_match_score=1.0)

    class Second(Breaker):
        def assess(self, name: str, output: Any, *_: Any) -> tuple[Assessment, Confidence]:
            score = 1.0 if output.total_candidates == 2 else 0.1
            return Assessment(score), Confidence(own=score, final=score)

    asked = session("x", INTENT)
    asked.ledger = Ledger(INTENT.constraints)
    breaker = Second(WARM, MemoryLog(), clock=lambda: 0.0, now=lambda: 7.0)
    made = breaker.run("reflect", node, asked, resources(tiny_index), "1", lambda *_: "a")
    assert made.total_candidates == 2
    assert seen[0][:4] == seen[1][:4] == (INTENT.constraints, {}, (), 0)
    assert [one[4] for one in seen] == [0, 1]
    assert (asked.round, asked.active, set(asked.ledger.changed)) == (1, (), {"c0"})
