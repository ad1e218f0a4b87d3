"""The embedded brains as DSPy engines: llama.cpp in this process, one server a brain, one slot a node.

The engine lays out the prompt itself and calls the server's completion entry in process: measured twice as fast as
its chat entry, which also ignores the compact form of a schema. The server's loopback port is locked by a random key.
"""

import asyncio
import atexit
import os
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import dspy
from dspy import lm15

from data.errors import BackboneError
from program.lm.brains import brain, language_models, require
from program.lm.environment import private_defaults
from program.lm.slots import SLOTS, current_node, current_slot
from program.lm.untrusted import defuse_template

PREFIX = "embedded/"
CONTEXT_TOKENS = 2048
DEFAULT_MAX_TOKENS = 256
ADAPTED_NODE: Final = "understand"
"""The only node whose calls an adapter is applied to: it was trained on that node's prompt."""
# llguidance's switch for JSON without optional whitespace; a small model wanders in it otherwise.
_COMPACT = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
_PARAMS = frozenset({"temperature", "max_tokens", "top_p", "top_k", "seed", "stop", "response_format"})

_servers: dict[tuple[int, str, str], Any] = {}
_starting = threading.Lock()


def server(name: str, adapter: str = "") -> Any:
    """The brain's running server in this process, started at the first call (about a second).

    Args:
        adapter: a LoRA adapter (GGUF) that it applies; each has a server of its own.

    Raises:
        BackboneError: the brain is unknown, not installed, or does not load.
    """
    key = (os.getpid(), name, adapter)  # a forked child does not have its parent's threads
    with _starting:
        if key not in _servers:
            _servers[key] = _start(name, adapter)
        return _servers[key]


def stop_all() -> None:
    """Stop this process's servers and free their memory; also runs at exit."""
    with _starting:
        for key in [key for key in _servers if key[0] == os.getpid()]:
            del _servers[key]


def _start(name: str, adapter: str) -> Any:
    path = require(name)
    private_defaults()
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_parallel = len(SLOTS)
    params.n_ctx = len(SLOTS) * CONTEXT_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = free_cores()
    params.verbosity = -1  # llama.cpp logs to the terminal otherwise
    params.swa_full = True  # keeps the prefix of models with a sliding window reusable
    params.cache_ram_mib = 0  # the slots are the cache
    params.api_keys = [secrets.token_urlsafe(24)]
    params.ui = params.endpoint_slots = False
    if adapter:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(adapter, 1.0)]
    try:
        started = xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        brought = " with the adapter of its bundle" if adapter else ""
        raise BackboneError(f"the brain {name}{brought} does not load: {error}") from error
    atexit.register(stop_all)
    return started


def free_cores() -> int:
    """Cores that nothing else keeps busy right now, at least one.

    llama.cpp's threads wait for each other at every layer: with every core taken, one busy neighbour stalls them all.
    """
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 1.0
    return max(1, min(_cores(), _cores() - int(busy)))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class EmbeddedEngine:
    """DSPy's engine contract (`complete(Request) -> Response`) over one brain. adapter: the file of a LoRA adapter, or none."""

    brain_name: str
    adapter: str = ""
    supports_response_schema = True
    supports_function_calling = False
    supports_reasoning = False
    supported_params = _PARAMS

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Decode one reply, under the request's JSON schema if it has one.

        Raises:
            lm15.LM15Error: every failure, as DSPy's engine contract wants it.
        """
        try:
            adapter = self.adapter if current_node() == ADAPTED_NODE else ""
            raw = server(self.brain_name, adapter).handle_completions(_body(self.brain_name, request))
        except BackboneError as error:
            raise lm15.ConfigurationError(error.one_line()) from error
        except (RuntimeError, ValueError, TypeError) as error:
            raise lm15.InvalidRequestError(f"{self.brain_name}: {error}") from error
        return _response(self.brain_name, request, raw)

    def dump_state(self) -> dict[str, str]:
        """The brain's name; weights are pinned by hash."""
        return {"brain_name": self.brain_name}

    @classmethod
    def load_state(cls, state: dict[str, str]) -> "EmbeddedEngine":
        """The engine that `dump_state` described."""
        return cls(brain_name=state["brain_name"])


@dataclass(frozen=True)
class AsyncEmbeddedEngine(EmbeddedEngine):
    """The same for `acall`: decoding runs in a worker thread and does not stop when the caller is cancelled."""

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """Like `EmbeddedEngine.complete`."""
        return await asyncio.to_thread(EmbeddedEngine(self.brain_name, self.adapter).complete, request)


def embedded_lm(name: str, max_tokens: int = DEFAULT_MAX_TOKENS, adapter: str = "") -> dspy.LM:
    """The brain as a DSPy LM at temperature 0 without DSPy's cache. Starts nothing yet.

    Args:
        name: without the prefix.
        max_tokens: default limit of one reply. adapter: the file of a LoRA adapter, or none.

    Raises:
        BackboneError: no embedded language model has this name, or it is not installed.
    """
    if name not in language_models():
        raise BackboneError(f"no embedded brain is called {name!r}", hint=f"known: {', '.join(language_models())}")
    require(name)
    return dspy.LM(
        PREFIX + name,
        engine=EmbeddedEngine(name, adapter),
        async_engine=AsyncEmbeddedEngine(name, adapter),
        temperature=0.0,
        max_tokens=max_tokens,
        cache=False,
        num_retries=0,
    )


def _body(name: str, request: lm15.Request) -> dict[str, Any]:
    config = request.config
    body: dict[str, Any] = {
        "prompt": _prompt(name, request),
        "max_tokens": config.max_tokens or DEFAULT_MAX_TOKENS,
        "temperature": config.temperature or 0.0,
        "cache_prompt": True,
        "id_slot": current_slot(),
        "n_probs": 1,
    }
    options = {"top_p": config.top_p, "top_k": config.top_k, "seed": config.seed, "stop": list(config.stop) or None}
    body.update({key: value for key, value in options.items() if value is not None})
    format_ = config.response_format or {}
    if "schema" in format_:
        body["json_schema"] = {**format_["schema"], "x-guidance": _COMPACT}
    elif brain(name).chat == "plain":
        body.setdefault("stop", ["\n\n"])
    return body


def _prompt(name: str, request: lm15.Request) -> str:
    turns = [(message.role, message.text or "") for message in request.messages]
    system = request.system if isinstance(request.system, str) else "".join(p.text for p in request.system or ())
    return laid_out(name, system, turns)


def laid_out(name: str, system: str, turns: Sequence[tuple[str, str]]) -> str:
    """The text that a brain reads, up to where its reply begins. turns: role and text, none of which can pass for markup."""
    turns = [(role, defuse_template(text)) for role, text in turns]
    if brain(name).chat == "chatml":
        turns = [("system", defuse_template(system)), *turns] if system else turns
        joined = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in turns)
        return f"{joined}<|im_start|>assistant\n"
    parts = [system] if system else []
    parts += [f"answer: {text}" if role == "assistant" else text for role, text in turns]
    return "\n\n".join(parts) + "\n\nanswer:"


def _response(name: str, request: lm15.Request, raw: dict[str, Any]) -> lm15.Response:
    if "error" in raw:
        message = f"{name}: {raw['error'].get('message', 'failed')}"
        if raw["error"].get("type") == "exceed_context_size_error":
            raise lm15.ContextLengthError(message)
        raise lm15.ServerError(message)
    choice, usage = raw["choices"][0], raw["usage"]
    return lm15.Response(
        id=None,
        model=request.model,
        message=lm15.Message.assistant(choice["text"] or " "),
        finish_reason="length" if choice["finish_reason"] == "length" else "stop",
        usage=lm15.Usage(
            input_tokens=usage["prompt_tokens"],
            output_tokens=usage["completion_tokens"],
            total_tokens=usage["total_tokens"],
            cache_read_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
        ),
        logprobs=_logprobs(choice.get("logprobs") or {}),
    )


def _logprobs(told: dict[str, Any]) -> tuple[lm15.TokenLogprob, ...]:
    """What the model gave each token of the reply before the schema left it fewer to choose from."""
    return tuple(lm15.TokenLogprob(one["token"], float(one["logprob"])) for one in told.get("content") or ())
