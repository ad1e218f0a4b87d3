"""What is kept of one LM call: who asked whom with what parameters, the hashes of prompt and reply, a bounded part of both."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from data.contracts import Contract, NodeName

MOST_CHARS = 20_000
"""Of a prompt or a reply that a session keeps at all."""
_LEAST_LOGPROB = -20.0
_PARAMETERS = frozenset(
    "temperature max_tokens max_completion_tokens top_p top_k n seed stop presence_penalty frequency_penalty "
    "reasoning_effort".split()
)
"""What may be written down of a call's arguments: never a key, an address or a header."""


class LMCall(Contract):
    """One call of a language model. Prompt and reply are untrusted text: data, nothing to follow.

    Attributes:
        prompt_sha256, reply_sha256: of the whole text; the reply's is empty where none came.
        prompt, reply: the beginning. prompt_chars, reply_chars: length of the whole.
        cost_usd: None where no price is known. fault: why no reply came; empty where one did.
        probability: geometric mean of what the model gave the reply's tokens, 0..1; None where it does not say.
    """

    node: NodeName
    model: str
    parameters: dict[str, str] = Field(default_factory=dict)
    prompt_sha256: str = ""
    prompt: str = ""
    prompt_chars: int = 0
    reply_sha256: str = ""
    reply: str = ""
    reply_chars: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None
    fault: str = ""
    probability: float | None = Field(default=None, ge=0, le=1)

    def within(self, chars: int) -> LMCall:
        """The same with at most so many characters of prompt and reply."""
        return self.model_copy(update={"prompt": self.prompt[:chars], "reply": self.reply[:chars]})


def call_of(node: NodeName, entry: Mapping[str, Any], seconds: float, defaults: Mapping[str, Any] | None = None) -> LMCall:
    """A call by the entry that dspy would put into its history.

    Args:
        defaults: the arguments that the LM puts to every call.
    """
    prompt = _prompt(entry.get("messages"), entry.get("prompt"))
    reply = "\n".join(_reply(output) for output in entry.get("outputs") or ())
    usage = entry.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    given = {**(defaults or {}), **(entry.get("kwargs") or {})}
    return LMCall(
        node=node, model=str(entry.get("model") or ""), parameters=parameters_of(given),
        prompt_sha256=_sha256(prompt), prompt=prompt[:MOST_CHARS], prompt_chars=len(prompt),
        reply_sha256=_sha256(reply), reply=reply[:MOST_CHARS], reply_chars=len(reply),
        prompt_tokens=usage.get("prompt_tokens") or 0, cached_tokens=details.get("cached_tokens") or 0,
        completion_tokens=usage.get("completion_tokens") or 0, seconds=round(seconds, 4), cost_usd=entry.get("cost"),
        probability=probability_of(getattr(entry.get("response"), "logprobs", None)),
    )  # fmt: skip


def probability_of(logprobs: object) -> float | None:
    """Geometric mean over the tokens with a letter or a digit: what holds a reply's JSON together is no choice of the model.

    Args:
        logprobs: tokens with `token` and `logprob`, as far as the backbone told them.
    """
    told = [one for one in logprobs if any(char.isalnum() for char in one.token)] if isinstance(logprobs, tuple | list) else []
    if not told:
        return None
    return round(math.exp(max(_LEAST_LOGPROB, sum(min(0.0, one.logprob) for one in told) / len(told))), 4)


def parameters_of(arguments: Mapping[str, Any]) -> dict[str, str]:
    """The generation parameters among a call's arguments."""
    return {name: str(value) for name, value in sorted(arguments.items()) if name in _PARAMETERS and value is not None}


def _prompt(messages: Sequence[Mapping[str, Any]] | None, prompt: str | None) -> str:
    if not messages:
        return prompt or ""
    return "\n\n".join(f"{message.get('role', '')}: {_text(message.get('content'))}" for message in messages)


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return str(content or "")


def _reply(output: object) -> str:
    return _text(output.get("text")) if isinstance(output, Mapping) else str(output)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
