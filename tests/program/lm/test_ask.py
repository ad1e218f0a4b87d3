"""The assertion mechanism."""

from typing import Any

import dspy
import pytest
from dspy import lm15

from data.errors import BackboneError
from program.lm.adapter import CompactAdapter
from program.lm.ask import Answer, Call, Check, ask
from program.lm.meter import Budget, Meter
from program.lm.schema import some_of
from tests.program.lm.conftest import Choose, FakeClock
from tests.scripted import dead_lm, scripted_lm

GOOD = {"kind": "play", "targets": ["e0"]}
EMPTY: dict[str, Any] = {"kind": "play", "targets": []}
INPUTS: dict[str, object] = {"request": "play Low", "evidence": ["e0 artist Low"]}


def _not_empty(prediction: dspy.Prediction) -> str | None:
    return None if prediction.targets else "targets is empty"


CHECK = Check("not_empty", _not_empty)


def _call(lm: dspy.LM | None, meter: Meter | None = None, **settings: Any) -> Call:
    return Call("understand", lm, CompactAdapter(), meter or Meter(), **{"checks": (CHECK,), **settings})


def _outcomes(answer: Answer) -> dict[str, str]:
    return {outcome.name: outcome.outcome for outcome in answer.outcomes}


def test_a_good_reply_passes_at_once(choose: dspy.Predict) -> None:
    """One call, every assertion passed, no fault."""
    lm = scripted_lm([("understand", GOOD)])
    answer = ask(choose, INPUTS, _call(lm))

    assert answer.prediction is not None
    assert answer.prediction.targets == ["e0"]
    assert _outcomes(answer) == {"schema": "passed", "not_empty": "passed"}
    assert answer.fault is None
    assert len(lm.engine.prompts) == 1


def test_a_failed_check_is_repaired_with_its_message(choose: dspy.Predict) -> None:
    """The second prompt is the first one plus the correction, so the cached prefix holds."""
    lm = scripted_lm([("understand", [EMPTY, GOOD])])
    choose.demos = [dspy.Example(request="a", evidence=["e0"], kind="play", targets=["e0"])]
    answer = ask(choose, INPUTS, _call(lm))
    first, second = lm.engine.prompts

    assert answer.prediction is not None
    assert _outcomes(answer) == {"schema": "passed", "not_empty": "repaired"}
    assert answer.outcomes[1].message == "targets is empty"
    assert second.text == first.text + "\ncorrection: targets is empty"


def test_a_cut_reply_is_repaired_as_schema(choose: dspy.Predict) -> None:
    """Parsing counts as the assertion `schema`."""
    lm = scripted_lm([("understand", ['{"kind": "pl', GOOD])])
    answer = ask(choose, INPUTS, _call(lm))

    assert _outcomes(answer) == {"schema": "repaired", "not_empty": "passed"}


@pytest.mark.parametrize(
    ("replies", "outcomes", "code"),
    [
        ([EMPTY, EMPTY], {"schema": "passed", "not_empty": "failed"}, "not_empty"),
        (["no", "no"], {"schema": "failed"}, "schema"),
        ([EMPTY, "no"], {"schema": "failed", "not_empty": "failed"}, "schema"),
        (["no", EMPTY], {"schema": "repaired", "not_empty": "failed"}, "not_empty"),
    ],
)
def test_one_repair_turn_then_the_nodes_own_path(
    choose: dspy.Predict, replies: list[Any], outcomes: dict[str, str], code: str
) -> None:
    """A second failure gives no prediction and a model_output fault."""
    lm = scripted_lm([("understand", replies)])
    answer = ask(choose, INPUTS, _call(lm))

    assert answer.prediction is None
    assert _outcomes(answer) == outcomes
    assert answer.fault is not None
    assert (answer.fault.kind, answer.fault.code, answer.fault.node) == ("model_output", code, "understand")
    assert len(lm.engine.prompts) == 2


def test_switches_switch(choose: dspy.Predict) -> None:
    """An assertion that is off is not tested; without repair, or with `schema` off, there is one call."""
    off = ask(choose, INPUTS, _call(scripted_lm([("understand", EMPTY)]), off=frozenset({"not_empty"})))
    once = scripted_lm([("understand", [EMPTY])])
    unrepaired = ask(choose, INPUTS, _call(once, repair=False))
    unread = ask(choose, INPUTS, _call(scripted_lm([("understand", ["no"])]), off=frozenset({"schema"})))

    assert off.prediction is not None
    assert _outcomes(off) == {"schema": "passed", "not_empty": "off"}
    assert unrepaired.prediction is None
    assert _outcomes(unrepaired) == {"schema": "passed", "not_empty": "failed"}
    assert unread.prediction is None
    assert _outcomes(unread) == {"schema": "off"}


def test_narrowed_types_come_from_the_predictors_current_signature(choose: dspy.Predict) -> None:
    """An id that was not offered fails; optimised instructions survive; the predictor is untouched."""
    choose.signature = choose.signature.with_instructions("Optimised words.")
    before = choose.signature
    lm = scripted_lm([("understand", [{"kind": "play", "targets": ["e7"]}, GOOD])])
    answer = ask(choose, INPUTS, _call(lm, output_types={"targets": some_of(["e0"], most=1)}))

    assert _outcomes(answer)["schema"] == "repaired"
    assert lm.engine.prompts[0].system.startswith("Optimised words.")
    assert choose.signature is before
    assert Choose.output_fields["targets"].annotation == list[str]


def test_a_dead_lm_is_a_fault_and_is_not_asked_again(choose: dspy.Predict) -> None:
    """The first call marks it down; the second does not wait for it."""
    lm, meter = dead_lm(), Meter()
    first = ask(choose, INPUTS, _call(lm, meter))
    second = ask(choose, INPUTS, _call(lm, meter))

    for answer in (first, second):
        assert answer.prediction is None
        assert answer.fault is not None
        assert (answer.fault.kind, answer.fault.code) == ("infrastructure", "lm_unavailable")
    assert meter.lm_down
    assert lm.engine.calls == 1
    assert meter.usage()["understand"].calls == 1


def test_another_lm_is_still_asked(choose: dspy.Predict) -> None:
    """Being down is remembered by LM, not for the whole session."""
    meter = Meter()
    ask(choose, INPUTS, _call(dead_lm(), meter))
    answer = ask(choose, INPUTS, _call(scripted_lm([("understand", GOOD)]), meter))

    assert answer.prediction is not None


@pytest.mark.parametrize(
    ("error", "code", "down"),
    [
        (lm15.AuthError("sk-secret refused"), "lm_unavailable", True),
        (lm15.TimeoutError("late"), "lm_unavailable", True),
        (lm15.ServerError("boom"), "lm_unavailable", True),
        (lm15.ContextLengthError("too long"), "lm_refused", False),
        (lm15.InvalidRequestError("bad"), "lm_refused", False),
        (RuntimeError("engine bug"), "lm_unavailable", True),
    ],
)
def test_lm_errors_never_leave(choose: dspy.Predict, error: Exception, code: str, down: bool) -> None:
    """Each is a typed fault whose message does not repeat the server's words."""
    meter = Meter()
    answer = ask(choose, INPUTS, _call(scripted_lm([("understand", error)]), meter))

    assert answer.fault is not None
    assert (answer.fault.code, meter.lm_down) == (code, down)
    assert str(error) not in answer.fault.message


def test_a_failure_on_the_repair_turn_keeps_what_is_known(choose: dspy.Predict) -> None:
    """The first turn's assertion is reported beside the fault."""
    lm = scripted_lm([("understand", [EMPTY, lm15.TransportError("gone")])])
    answer = ask(choose, INPUTS, _call(lm))

    assert _outcomes(answer) == {"schema": "passed", "not_empty": "failed"}
    assert answer.fault is not None
    assert answer.fault.kind == "infrastructure"


def test_a_spent_budget_is_a_fault(choose: dspy.Predict) -> None:
    """The repair turn is not made when it would pass the limit."""
    lm = scripted_lm([("understand", [EMPTY])])
    answer = ask(choose, INPUTS, _call(lm, Meter(Budget(calls=1))))

    assert answer.prediction is None
    assert answer.fault is not None
    assert (answer.fault.kind, answer.fault.code) == ("budget", "calls")


def test_no_lm_is_a_fault(choose: dspy.Predict) -> None:
    """The LM-free path is told, not guessed from DSPy's settings."""
    with dspy.context(lm=scripted_lm([("understand", GOOD)])):
        answer = ask(choose, INPUTS, _call(None))

    assert answer.fault is not None
    assert answer.fault.code == "no_lm"


def test_programming_errors_leave(choose: dspy.Predict) -> None:
    """An unknown prompt of a scripted LM and a broken check are bugs."""

    def broken(_: dspy.Prediction) -> str | None:
        raise BackboneError("a bug in a check")

    with pytest.raises(AssertionError, match="does not know this prompt"):
        ask(choose, INPUTS, _call(scripted_lm([("plan", GOOD)])))
    with pytest.raises(BackboneError):
        ask(choose, INPUTS, _call(scripted_lm([("understand", GOOD)]), checks=(Check("broken", broken),)))


def test_usage_is_booked_per_node_even_when_parsing_fails(choose: dspy.Predict, clock: FakeClock) -> None:
    """Tokens, cached tokens and seconds of both turns are on the meter."""

    def reply(_: str) -> str:
        clock.now += 1.5
        return "not json"

    meter = Meter(clock=clock)
    ask(choose, INPUTS, _call(scripted_lm([("understand", reply)]), meter))
    usage = meter.usage()["understand"]

    assert usage.calls == 2
    assert usage.prompt_tokens > 20
    assert usage.cached_tokens > 0
    assert usage.completion_tokens == 4
    assert usage.seconds == pytest.approx(3.0)
    assert usage.cost_usd is None


def test_nothing_is_kept_in_histories(choose: dspy.Predict) -> None:
    """Prompts do not pile up in a long process."""
    from dspy.clients.base_lm import GLOBAL_HISTORY

    lm, before = scripted_lm([("understand", GOOD)]), len(GLOBAL_HISTORY)
    ask(choose, INPUTS, _call(lm))

    assert lm.history == choose.history == []
    assert len(GLOBAL_HISTORY) == before


def test_an_optimizers_trace_gets_one_clean_entry(choose: dspy.Predict, outer_trace: list[Any]) -> None:
    """The last attempt stands for the exchange, without the correction."""
    ask(choose, INPUTS, _call(scripted_lm([("understand", [EMPTY, GOOD])])))
    ((predict, inputs, prediction),) = outer_trace

    assert predict is choose
    assert inputs == INPUTS
    assert prediction.targets == ["e0"]


def test_bootstrapping_learns_from_repaired_replies(choose: dspy.Predict) -> None:
    """A stock optimizer finds one demo an example: the repaired reply, not the one that failed."""

    class Program(dspy.Module):
        def __init__(self) -> None:
            super().__init__()
            self.choose = choose

        def forward(self, **inputs: object) -> dspy.Prediction:
            answer = ask(self.choose, inputs, _call(lm))
            return answer.prediction or dspy.Prediction()

    lm = scripted_lm([("understand", [EMPTY, GOOD])])
    example = dspy.Example(request="play Low", evidence=["e0 artist Low"]).with_inputs("request", "evidence")
    optimizer = dspy.BootstrapFewShot(lambda *_: True, max_bootstrapped_demos=1, max_labeled_demos=0)
    (demo,) = optimizer.compile(Program(), trainset=[example]).choose.demos

    assert demo.targets == ["e0"]
    assert "correction" not in demo


def test_a_predictors_own_lm_comes_first(choose: dspy.Predict) -> None:
    """Optimizers set it to vary or to teach."""
    choose.lm = scripted_lm([("understand", {"kind": "similar", "targets": ["e0"]})])
    answer = ask(choose, INPUTS, _call(scripted_lm([("understand", GOOD)])))

    assert answer.prediction is not None
    assert answer.prediction.kind == "similar"


def test_max_tokens_reaches_the_lm(choose: dspy.Predict) -> None:
    """The call's limit replaces the LM's; without one the LM's stays."""
    lm = scripted_lm([("understand", GOOD)])
    ask(choose, INPUTS, _call(lm, max_tokens=33))
    ask(choose, INPUTS, _call(lm))

    assert [prompt.max_tokens for prompt in lm.engine.prompts] == [33, 200]
