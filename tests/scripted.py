"""LMs for tests: one that answers from a script and fails on any prompt it does not know, and a dead one."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy import lm15

from program.lm.slots import SLOTS, current_node

Match = str | Callable[[str], bool]
Reply = str | dict[str, Any] | Exception | Callable[[str], str | dict[str, Any]]


@dataclass(frozen=True)
class Prompt:
    """One recorded prompt. text: every turn as `role: text`; schema: what decoding was asked to keep to."""

    node: str
    text: str
    system: str
    last: str
    schema: dict[str, Any] | None
    max_tokens: int | None


@dataclass
class ScriptedLM:
    """An lm15 engine over (match, reply) rules; the first rule that matches answers.

    A match is a node's name or a predicate over the prompt's text. A reply is text, a dict (sent as JSON), an error to
    raise, a function of the prompt's text, or a list of these: one for each call, and one call too many fails.
    Tokens are counted in words; cached ones are the words a prompt shares with the start of the previous one.
    """

    rules: Sequence[tuple[Match, Reply | list[Reply]]]
    supports_response_schema: bool = True
    supports_function_calling: bool = False
    supports_reasoning: bool = False
    supported_params: frozenset[str] = frozenset({"temperature", "max_tokens"})
    prompts: list[Prompt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._left = [list(reply) if isinstance(reply, list) else None for _, reply in self.rules]

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer by the first rule that matches; AssertionError when none does."""
        prompt = _recorded(request)
        cached = _shared_words(self.prompts[-1].text if self.prompts else "", prompt.text)
        self.prompts.append(prompt)
        reply = self._reply(prompt)
        text = json.dumps(reply, ensure_ascii=False) if isinstance(reply, dict) else reply
        spent, written = len(prompt.text.split()), len(text.split())
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant(text),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=spent, output_tokens=written, total_tokens=spent + written, cache_read_tokens=cached),
        )

    def _reply(self, prompt: Prompt) -> str | dict[str, Any]:
        for index, (match, reply) in enumerate(self.rules):
            if not _matches(match, prompt):
                continue
            left = self._left[index]
            if left is not None:
                assert left, f"the script has no reply left for this prompt:\n{prompt.text}"
                chosen = left.pop(0)
            else:
                assert not isinstance(reply, list)
                chosen = reply
            if isinstance(chosen, Exception):
                raise chosen
            return chosen(prompt.text) if callable(chosen) else chosen
        raise AssertionError(f"the script does not know this prompt (node {prompt.node!r}):\n{prompt.text}")


@dataclass
class _Async:
    """The async twin of an engine."""

    engine: Any

    async def complete(self, request: lm15.Request) -> lm15.Response:
        response: lm15.Response = await asyncio.to_thread(self.engine.complete, request)
        return response


@dataclass
class DeadEngine:
    """An engine whose server is gone. calls: how often it was tried."""

    supports_response_schema: bool = True
    calls: int = 0

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Fail as a refused connection does."""
        self.calls += 1
        raise lm15.TransportError("connection refused")


def scripted_lm(rules: Sequence[tuple[Match, Reply | list[Reply]]], *, schema: bool = True) -> dspy.LM:
    """A `dspy.LM` over a `ScriptedLM`, which is its `.engine`. schema: whether it claims schema decoding."""
    return _lm("scripted/script", ScriptedLM(rules, supports_response_schema=schema))


def dead_lm(name: str = "dead/server") -> dspy.LM:
    """A `dspy.LM` whose `.engine` is a `DeadEngine`."""
    return _lm(name, DeadEngine())


def _lm(name: str, engine: Any) -> dspy.LM:
    return dspy.LM(name, engine=engine, async_engine=_Async(engine), temperature=0.0, max_tokens=200, cache=False, num_retries=0)


def _matches(match: Match, prompt: Prompt) -> bool:
    if callable(match):
        return match(prompt.text)
    assert match in SLOTS, f"{match!r} is not a node that asks an LM"
    return match == prompt.node


def _recorded(request: lm15.Request) -> Prompt:
    system = request.system if isinstance(request.system, str) else ""
    turns = [f"{message.role}: {message.text}" for message in request.messages]
    format_ = request.config.response_format or {}
    return Prompt(
        node=current_node(),
        text="\n".join([f"system: {system}", *turns]),
        system=system,
        last=request.messages[-1].text or "",
        schema=format_.get("schema"),
        max_tokens=request.config.max_tokens,
    )


def _shared_words(before: str, after: str) -> int:
    count = 0
    for one, other in zip(before.split(), after.split(), strict=False):
        if one != other:
            break
        count += 1
    return count
