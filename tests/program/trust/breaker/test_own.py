"""What producers say of themselves: token probabilities, and how far code's rules reach."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from data.contracts import AssertionOutcome, CandidateSet, ToolError, ToolResult
from program.index.engine import EmbeddedIndex
from program.lm.calls import LMCall, call_of, probability_of
from program.lm.meter import Spent
from program.nodes.understand import UnderstandNode
from program.state import Session
from program.trust.breaker.calibration import Calibration, Curve
from program.trust.breaker.own import BY_CODE, maker, own_score
from program.trust.breaker.snapshot import snapshot
from tests.sessions import resources, session

PLAIN = Calibration()


@dataclass(frozen=True)
class _Token:
    token: str
    logprob: float


@dataclass(frozen=True)
class _Response:
    logprobs: Any


PROBABILITIES: dict[str, tuple[object, float | None]] = {
    "one token": ([_Token("r0", math.log(0.5))], 0.5),
    "geometric mean": ([_Token("a", math.log(0.9)), _Token("b", math.log(0.1))], 0.3),
    "punctuation says nothing": ([_Token('{"', math.log(0.01)), _Token("r1", math.log(0.8)), _Token('"}', -9.0)], 0.8),
    "other scripts do": ([_Token("晴天", math.log(0.4))], 0.4),
    "a tuple too": ((_Token("a", 0.0),), 1.0),
    "rounding above one": ([_Token("a", 1e-3)], 1.0),
    "never quite nothing": ([_Token("a", float("-inf"))], 0.0),
    "only punctuation": ([_Token("{", -1.0)], None),
    "no tokens": ([], None),
    "nothing told": (None, None),
    "something else": ({"tokens": []}, None),
}


@pytest.mark.parametrize(("logprobs", "told"), PROBABILITIES.values(), ids=PROBABILITIES.keys())
def test_probability(logprobs: object, told: float | None) -> None:
    """Geometric mean over the tokens that are a choice of the model."""
    assert probability_of(logprobs) == (told if told is None else pytest.approx(told, abs=1e-3))
    assert call_of("plan", {"response": _Response(logprobs)}, 0.0).probability == probability_of(logprobs)


def test_a_call_without_a_response() -> None:
    """An engine that tells nothing leaves it open."""
    assert call_of("plan", {}, 0.0).probability is None


def _asked(made: Session, *calls: LMCall) -> None:
    for call in calls:
        made.meter.admit()
        made.meter.settle(call.node, Spent())
    made.meter.log(calls)


def _call(**fields: Any) -> LMCall:
    return LMCall.model_validate({"node": "plan", "model": "openai/x", **fields})


def test_a_model_that_was_asked_is_the_maker() -> None:
    """Its probability is the own score; None where it told none."""
    made = session("post-punk")
    before = snapshot(made)
    _asked(made, _call(probability=0.7))

    assert maker("plan", made, before) == "openai/x"
    assert own_score("plan", None, made, before, PLAIN) == 0.7
    assert own_score("plan", None, made, before, Calibration(curves={"plan:openai/x": Curve(slope=0, offset=0, n=30)})) == 0.5
    _asked(made, _call())
    assert own_score("plan", None, made, before, PLAIN) is None


def test_code_is_the_maker_of_the_rest() -> None:
    """Where nobody was asked, where the call failed, where the reply was rejected, and where another node asked."""
    untouched, broken, rejected, other = (session("post-punk") for _ in range(4))
    befores = [snapshot(made) for made in (untouched, broken, rejected, other)]
    _asked(broken, _call(fault="no connection"))
    _asked(rejected, _call(probability=0.9))
    rejected.assertions["plan"] = (AssertionOutcome(name="schema", outcome="failed"),)
    _asked(other, _call(node="understand", probability=0.2))

    for made, before in zip((untouched, broken, rejected, other), befores, strict=True):
        assert maker("plan", made, before) == BY_CODE
        assert own_score("plan", None, made, before, PLAIN) == 1.0


def test_a_reply_that_needed_its_repair_turn_is_worth_less() -> None:
    """Nine tenths."""
    made = session("post-punk")
    before = snapshot(made)
    _asked(made, _call(probability=0.2), _call(probability=0.8))
    made.assertions["plan"] = (AssertionOutcome(name="schema", outcome="repaired"),)

    assert own_score("plan", None, made, before, PLAIN) == pytest.approx(0.72)


def test_code_reads_what_it_can(tiny_index: EmbeddedIndex) -> None:
    """A reading is as sure as its evidence; one that leaves words over is worth less; none of it leaves 0..1."""
    scores = {}
    for text in ("Africa by Toto", "Africa by Toto xanthorpe"):
        made = session(text)
        before = snapshot(made)
        intent = UnderstandNode()(made, resources(tiny_index))
        scores[text] = own_score("understand", intent, made, before, PLAIN)
    whole, rest = scores.values()

    assert whole is not None
    assert rest is not None
    assert 0 <= rest < whole <= 1


def test_a_search_is_as_sure_as_its_tools_answered() -> None:
    """One of two failed: half."""
    made = session("post-punk")
    error = ToolError(kind="unavailable", message="gone")
    results = (
        ToolResult(tool="catalog_search", ok=True, tracks=("a",), latency_ms=1.0),
        ToolResult(tool="semantic_recall", ok=False, tracks=(), latency_ms=1.0, error=error),
    )
    found = CandidateSet(candidates=(), results=results)

    assert own_score("execute", found, made, snapshot(made), PLAIN) == 0.5
    assert own_score("execute", CandidateSet(candidates=(), results=()), made, snapshot(made), PLAIN) == 1.0
