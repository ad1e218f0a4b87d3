"""What is kept of an LM call."""

import hashlib

import dspy

from program.lm.adapter import CompactAdapter
from program.lm.ask import Call, ask
from program.lm.calls import MOST_CHARS, call_of, parameters_of
from program.lm.meter import Meter
from tests.program.lm.conftest import FakeClock
from tests.scripted import scripted_lm

GOOD = {"kind": "play", "targets": ["e0"]}
INPUTS: dict[str, object] = {"request": "play Low", "evidence": ["e0 artist Low"]}


def test_no_key_and_no_address_is_kept() -> None:
    """Of a call's arguments generation parameters are kept, by name; what is not known by name is not."""
    given = {
        "temperature": 0.0, "max_tokens": 30, "api_key": "sk-secret", "api_base": "http://host", "seed": None,
        "extra_headers": {"Authorization": "Bearer secret"}, "rollout_id": 3,
    }  # fmt: skip

    assert parameters_of(given) == {"temperature": "0.0", "max_tokens": "30"}


def test_a_call_by_its_entry() -> None:
    """Roles and contents make the prompt, all outputs the reply; both are cut, their hashes and lengths are not."""
    long = "x" * (MOST_CHARS + 5)
    entry = {
        "messages": [{"role": "system", "content": "be short"}, {"role": "user", "content": [{"type": "text", "text": long}]}],
        "outputs": ["one", {"text": "two"}], "kwargs": {"temperature": 0.3}, "model": "m", "cost": 0.5,
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
    }  # fmt: skip
    call = call_of("plan", entry, 1.5, {"temperature": 0.0, "top_p": 0.9, "api_key": "secret"})
    prompt = f"system: be short\n\nuser: {long}"

    assert (call.prompt, call.prompt_chars) == (prompt[:MOST_CHARS], len(prompt))
    assert call.prompt_sha256 == hashlib.sha256(prompt.encode()).hexdigest()
    assert (call.reply, call.reply_chars) == ("one\ntwo", 7)
    assert (call.prompt_tokens, call.cached_tokens, call.completion_tokens) == (7, 4, 2)
    assert call.parameters == {"temperature": "0.3", "top_p": "0.9"}
    assert (call.node, call.model, call.seconds, call.cost_usd) == ("plan", "m", 1.5, 0.5)


def test_an_empty_entry_is_a_call_too() -> None:
    """An engine that tells nothing of itself breaks nothing."""
    call = call_of("plan", {"messages": None, "prompt": None, "outputs": None, "usage": None, "kwargs": None}, 0.0)

    assert (call.model, call.prompt, call.reply, call.prompt_tokens) == ("", "", "", 0)


def test_calls_are_taken_once(choose: dspy.Predict, clock: FakeClock) -> None:
    """Each turn of an exchange is one call; who takes the calls gets them once."""
    meter = Meter(clock=clock)
    lm = scripted_lm([("understand", ["no JSON at all", GOOD])])
    ask(choose, INPUTS, Call("understand", lm, CompactAdapter(), meter))
    taken = meter.take_calls()

    assert [call.reply for call in taken] == ["no JSON at all", taken[1].reply]
    assert '"e0"' in taken[1].reply
    assert "correction" not in taken[0].prompt
    assert "correction" in taken[1].prompt
    assert meter.take_calls() == ()


def test_the_last_hundred_calls_are_held() -> None:
    """A meter that nobody reads does not grow for ever."""
    meter = Meter()
    for number in range(250):
        meter.log([call_of("plan", {"outputs": [str(number)]}, 0.0)])

    assert [call.reply for call in meter.take_calls()] == [str(number) for number in range(150, 250)]
