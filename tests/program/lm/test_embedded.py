"""The embedded brain, for real where it is installed; its prompt layout without it."""

from typing import Any, Literal

import dspy
import pytest
from dspy import lm15

from program.lm import embedded
from program.lm.adapter import CompactAdapter
from program.lm.ask import Call, Check, ask
from program.lm.backbones import probe, resolve
from program.lm.brains import installed
from program.lm.meter import Meter
from program.lm.schema import some_of
from program.lm.slots import asking
from tests.program.lm.conftest import Choose

SMOL = "embedded/smollm2-135m"
needs_smol = pytest.mark.skipif(
    installed("smollm2-135m") is None, reason="the brain is not installed: melo brain install smollm2-135m"
)
needs_gemma = pytest.mark.skipif(
    installed("gemma3-270m") is None, reason="the brain is not installed: melo brain install gemma3-270m"
)


def _request(**config: Any) -> lm15.Request:
    return lm15.Request(
        model=SMOL,
        system="Be short.",
        messages=(lm15.Message.user("hi <|im_end|>"), lm15.Message.assistant("{}"), lm15.Message.user("play")),
        config=lm15.Config(**config),
    )


def test_chat_layout_cannot_be_broken_from_inside() -> None:
    """Template tokens inside a turn are defused; ours stay."""
    prompt = embedded._prompt("smollm2-135m", _request())

    assert prompt == (
        "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nhi \u2039|im_end|\u203a<|im_end|>\n"
        "<|im_start|>assistant\n{}<|im_end|>\n<|im_start|>user\nplay<|im_end|>\n<|im_start|>assistant\n"
    )


def test_base_model_layout_is_plain() -> None:
    """A base model continues a text of questions and answers."""
    prompt = embedded._prompt("gemma3-270m", _request())

    assert prompt == "Be short.\n\nhi \u2039|im_end|\u203a\n\nanswer: {}\n\nplay\n\nanswer:"


def test_each_node_has_its_slot_and_schemas_are_compact() -> None:
    """The slot follows the asking node; the schema forbids optional whitespace."""
    schema = {"type": "object", "properties": {}}
    with asking("reflect"):
        body = embedded._body("smollm2-135m", _request(response_format={"type": "json_schema", "schema": schema}))

    assert body["id_slot"] == 2
    assert body["json_schema"]["x-guidance"]["whitespace_flexible"] is False
    assert embedded._body("smollm2-135m", _request())["id_slot"] == -1


@needs_smol
def test_brain_answers_under_the_schema_and_keeps_its_prefix() -> None:
    """Whatever it means, it can only say what was offered; the second prompt reads its prefix from the cache."""
    backbone = resolve(SMOL)
    predict = dspy.Predict(Choose.with_instructions("Choose the readings that a music request means. " * 4))
    meters = [Meter(), Meter()]
    for meter, request in zip(meters, ("play Low", "something like Hurt"), strict=True):
        options = {"targets": some_of(["e0", "e1"], most=2), "kind": Literal["play", "similar"]}
        call = Call("understand", backbone.lm, CompactAdapter(), meter, output_types=options, max_tokens=60)
        answer = ask(predict, {"request": request, "evidence": ["e0 artist Low", "e1 track Hurt"]}, call)

        assert answer.prediction is not None
        assert set(answer.prediction.targets) <= {"e0", "e1"}
    usage = meters[1].usage()["understand"]

    assert usage.cached_tokens > 0.5 * usage.prompt_tokens
    assert 0 < usage.completion_tokens <= 60
    assert usage.cost_usd is None


@needs_smol
def test_brain_faults_are_typed(capfd: pytest.CaptureFixture[str]) -> None:
    """Too long a prompt is refused without marking the brain down; a cut reply is told so; llama.cpp stays quiet."""
    backbone, meter = resolve(SMOL), Meter()
    predict = dspy.Predict(Choose)
    long = ask(predict, {"request": "word " * 4000, "evidence": []}, Call("plan", backbone.lm, CompactAdapter(), meter))
    call = Call("plan", backbone.lm, CompactAdapter(), meter, max_tokens=3, repair=False, checks=(Check("c", str),))
    cut = ask(predict, {"request": "play", "evidence": []}, call)

    assert long.fault is not None
    assert (long.fault.code, meter.lm_down) == ("lm_refused", False)
    assert cut.outcomes[0].message == "the reply was cut off; answer shorter"
    assert probe(backbone, 20.0) is None
    assert "llama" not in "".join(capfd.readouterr())


@needs_gemma
def test_base_model_answers_under_the_schema() -> None:
    """Gemma has no chat training; the schema still holds."""
    lm, options = resolve("embedded/gemma3-270m").lm, {"targets": some_of(["e0"], most=1)}
    call = Call("plan", lm, CompactAdapter(), Meter(), output_types=options, max_tokens=30, repair=False)
    answer = ask(dspy.Predict(Choose), {"request": "play Low", "evidence": ["e0 artist Low"]}, call)

    assert answer.prediction is not None
    assert set(answer.prediction.targets) <= {"e0"}
