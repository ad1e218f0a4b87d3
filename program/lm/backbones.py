"""Backbones: every language model of the project by one string.

`none` · `embedded/NAME` · any `provider/model` that DSPy knows. Keys come from the environment and stay there.
"""

import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy
from dspy.lm15 import registered_providers
from dspy.utils.exceptions import LMConfigurationError, LMError

from data.errors import BackboneError
from program.lm.brains import language_models
from program.lm.embedded import DEFAULT_MAX_TOKENS, PREFIX, embedded_lm
from program.lm.environment import private_defaults
from program.lm.faults import fault_of

NONE = "none"
HOSTED_TIMEOUT_S = 30.0
HOSTED_RETRIES = 1
HOSTED_MAX_TOKENS = 800
THINKING_MAX_TOKENS = 8000
_ADAPTED = "@"
_SHAPE = re.compile(r"[a-z][a-z0-9_-]*/[^\s/][^\s]*")
# Providers that DSPy reaches itself; the rest goes through litellm, whose import takes seconds.
_NATIVE = frozenset(
    {"openai", "anthropic", "gemini", "groq", "openrouter", "deepseek", "xai", "moonshot", "azure"}
    | {"ollama", "ollama_chat", "hosted_vllm"}
)
# Where DSPy's model table is wrong or empty: self-hosted servers decode under a schema; DeepSeek's chat refuses one
# (litellm pull request 31466, inspect_ai issue 4916), its JSON mode works.
_SCHEMA = {"hosted_vllm": True, "ollama_chat": True, "deepseek": False}
# A small model would talk until its limit.
_FEW_TOKENS = 16
_ONE_WORD = {"response_format": {"type": "json_schema", "json_schema": {"name": "Ok", "schema": {"const": "ok"}}}}


@dataclass(frozen=True)
class Backbone:
    """A resolved language model.

    Attributes:
        lm: None for `none`.
        schema: replies are decoded under the signature's JSON schema.
        embedded: runs in this process, without a key or a server.
        adapter: the file of the LoRA adapter that it applies; empty for none.
    """

    name: str
    lm: dspy.BaseLM | None
    schema: bool
    embedded: bool
    adapter: str = ""


class _HostedLM(dspy.LM):
    """An LM that knows better than DSPy's model table whether its server decodes under a schema."""

    @property
    def supports_response_schema(self) -> bool:
        return _SCHEMA.get(self._provider_name, bool(super().supports_response_schema))


def known_names() -> str:
    """The names to choose from, for messages."""
    return ", ".join([NONE, *(PREFIX + name for name in language_models()), "PROVIDER/MODEL"])


def resolve(name: str, *, max_tokens: int | None = None, timeout_s: float = HOSTED_TIMEOUT_S) -> Backbone:
    """The backbone of this name; nothing is started and nothing is asked.

    Args:
        name: as in the module's docstring; `adapted` puts an adapter's file into it.
        max_tokens: default limit of one reply; None for the backbone's usual one.
        timeout_s: how long to wait for a hosted reply; embedded ones are bounded by their tokens.

    Raises:
        BackboneError: the name has no known shape, or the embedded brain is unknown or not installed.
    """
    private_defaults()
    if name == NONE:
        return Backbone(NONE, None, schema=False, embedded=False)
    if name.startswith(PREFIX):
        name, _, adapter = name.partition(_ADAPTED)
        short = name.removeprefix(PREFIX)
        if short not in language_models():
            raise BackboneError(f"no backbone is called {name!r}", hint=f"known: {known_names()}")
        lm = embedded_lm(short, max_tokens or DEFAULT_MAX_TOKENS, adapter)
        return Backbone(name, lm, schema=True, embedded=True, adapter=adapter)
    if not _SHAPE.fullmatch(name):
        raise BackboneError(f"no backbone is called {name!r}", hint=f"known: {known_names()}")
    hosted = _hosted(name, max_tokens, timeout_s)
    return Backbone(name, hosted, schema=bool(hosted.supports_response_schema), embedded=False)


def adapted(name: str, adapter: Path | None) -> str:
    """The name for `resolve` of an embedded backbone that applies an adapter; any other name, or without one, as it is."""
    return name if adapter is None or not name.startswith(PREFIX) else f"{name}{_ADAPTED}{adapter}"


def probe(backbone: Backbone, timeout_s: float) -> str | None:
    """Ask for one word. None when the backbone answers in time, otherwise why not, on one line."""
    if backbone.lm is None:
        return None
    reason: list[str | None] = []
    worker = threading.Thread(target=lambda: reason.append(_ping(backbone, timeout_s)), daemon=True)
    worker.start()
    worker.join(timeout_s)
    return reason[0] if reason else f"{backbone.name}: no answer in {timeout_s:g} s"


def _ping(backbone: Backbone, timeout_s: float) -> str | None:
    assert backbone.lm is not None
    own_engine = not isinstance(getattr(backbone.lm, "engine", "auto"), str)
    lm = backbone.lm.copy(num_retries=0, cache=False, **({} if own_engine else {"timeout": timeout_s}))
    try:
        with dspy.context(disable_history=True):
            lm("Say ok.", **(_ONE_WORD if backbone.embedded else {} if lm.supports_reasoning else {"max_tokens": _FEW_TOKENS}))
    except LMError as error:
        return fault_of(error, backbone.name).message
    except (ValueError, TypeError, ImportError) as error:  # what DSPy raises before it reaches the server
        return f"{backbone.name}: {type(error).__name__}"
    return None


def _hosted(name: str, max_tokens: int | None, timeout_s: float) -> dspy.LM:
    provider = name.split("/", 1)[0]
    if not _known_provider(provider):
        raise BackboneError(f"no provider is called {provider!r}", hint=f"known: {known_names()}")
    common: dict[str, Any] = {"cache": False, "timeout": timeout_s, "num_retries": HOSTED_RETRIES}
    if provider == "ollama_chat" and (base := os.environ.get("OLLAMA_API_BASE")):
        common["api_base"] = f"{base.rstrip('/').removesuffix('/v1')}/v1"
    try:
        lm = _HostedLM(name, temperature=0.0, max_tokens=max_tokens or HOSTED_MAX_TOKENS, **common)
    except LMConfigurationError:  # OpenAI's reasoning models fix the temperature and want their own limit
        return _HostedLM(name, temperature=None, max_tokens=None, **common)
    except ValueError as error:
        raise BackboneError(f"no backbone is called {name!r}", hint=f"known: {known_names()}") from error
    # A model that thinks counts its thinking as output: a limit made for the reply alone would leave no reply.
    return lm.copy(max_tokens=THINKING_MAX_TOKENS) if lm.supports_reasoning and max_tokens is None else lm


def _known_provider(provider: str) -> bool:
    if provider in _NATIVE or any(provider in entry.definition.spellings for entry in registered_providers()):
        return True
    import litellm

    return provider in {str(getattr(known, "value", known)) for known in litellm.provider_list}
