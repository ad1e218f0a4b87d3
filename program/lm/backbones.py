"""Backbones: every language model of the project by one string.

`none` · `embedded/NAME` · any `provider/model` that DSPy knows. Keys come from the environment and stay there.
"""

import re
import threading
from dataclasses import dataclass

import dspy
from dspy.lm15 import registered_providers
from dspy.utils.exceptions import LMConfigurationError, LMError

from data.errors import BackboneError
from program.lm.brains import install_hint, installed, language_models
from program.lm.embedded import PREFIX, embedded_lm
from program.lm.environment import private_defaults
from program.lm.faults import fault_of

NONE = "none"
HOSTED_TIMEOUT_S = 30.0
HOSTED_RETRIES = 1
HOSTED_MAX_TOKENS = 800
_SHAPE = re.compile(r"[a-z][a-z0-9_-]*/[^\s/][^\s]*")
# Providers that DSPy reaches itself; the rest goes through litellm, whose import takes seconds.
_NATIVE = frozenset(
    {"openai", "anthropic", "gemini", "groq", "openrouter", "deepseek", "xai", "moonshot", "azure"}
    | {"ollama", "ollama_chat", "hosted_vllm"}
)
# Self-hosted servers that decode under a JSON schema, which DSPy's model table cannot know.
_SCHEMA_SERVERS = ("hosted_vllm", "ollama_chat")


@dataclass(frozen=True)
class Backbone:
    """A resolved language model.

    Attributes:
        lm: None for `none`.
        schema: replies are decoded under the signature's JSON schema.
        embedded: runs in this process, without a key or a server.
    """

    name: str
    lm: dspy.BaseLM | None
    schema: bool
    embedded: bool


class _SchemaLM(dspy.LM):  # type: ignore[misc]
    """An LM on a server that is known to decode under a schema."""

    @property
    def supports_response_schema(self) -> bool:
        return True


def known_names() -> str:
    """The names to choose from, for messages."""
    return ", ".join([NONE, *(PREFIX + name for name in language_models()), "PROVIDER/MODEL"])


def resolve(name: str, *, max_tokens: int | None = None) -> Backbone:
    """The backbone of this name; nothing is started and nothing is asked.

    Args:
        name: as in the module's docstring.
        max_tokens: default limit of one reply; None for the backbone's usual one.

    Raises:
        BackboneError: the name has no known shape, or the embedded brain is unknown or not installed.
    """
    private_defaults()
    if name == NONE:
        return Backbone(NONE, None, schema=False, embedded=False)
    if name.startswith(PREFIX):
        short = name.removeprefix(PREFIX)
        if short not in language_models():
            raise BackboneError(f"no backbone is called {name!r}", hint=f"known: {known_names()}")
        lm = embedded_lm(short) if max_tokens is None else embedded_lm(short, max_tokens)
        return Backbone(name, lm, schema=True, embedded=True)
    if not _SHAPE.fullmatch(name):
        raise BackboneError(f"no backbone is called {name!r}", hint=f"known: {known_names()}")
    hosted = _hosted(name, max_tokens or HOSTED_MAX_TOKENS)
    return Backbone(name, hosted, schema=bool(hosted.supports_response_schema), embedded=False)


def probe(backbone: Backbone, timeout_s: float) -> str | None:
    """Ask for one word. None when the backbone answers in time, otherwise why not, on one line."""
    if backbone.lm is None:
        return None
    if backbone.embedded and installed(backbone.name.removeprefix(PREFIX)) is None:
        return f"not installed ({install_hint(backbone.name.removeprefix(PREFIX))})"
    reason: list[str | None] = []
    worker = threading.Thread(target=lambda: reason.append(_ping(backbone, timeout_s)), daemon=True)
    worker.start()
    worker.join(timeout_s)
    return reason[0] if reason else f"{backbone.name}: no answer in {timeout_s:g} s"


def _ping(backbone: Backbone, timeout_s: float) -> str | None:
    assert backbone.lm is not None
    settings = {} if backbone.embedded else {"timeout": timeout_s}
    lm = backbone.lm.copy(num_retries=0, cache=False, **settings)
    try:
        with dspy.context(disable_history=True):
            lm("Say ok.")
    except LMError as error:
        return fault_of(error, backbone.name).message
    except (ValueError, TypeError, ImportError) as error:  # what DSPy raises before it reaches the server
        return f"{backbone.name}: {type(error).__name__}"
    return None


def _hosted(name: str, max_tokens: int) -> dspy.LM:
    if not _known_provider(name.split("/", 1)[0]):
        raise BackboneError(f"no provider is called {name.split('/', 1)[0]!r}", hint=f"known: {known_names()}")
    kind = _SchemaLM if name.split("/", 1)[0] in _SCHEMA_SERVERS else dspy.LM
    common = {"cache": False, "timeout": HOSTED_TIMEOUT_S, "num_retries": HOSTED_RETRIES}
    try:
        return kind(name, temperature=0.0, max_tokens=max_tokens, **common)
    except LMConfigurationError:  # reasoning models fix the temperature and count their thinking as output
        return kind(name, temperature=None, max_tokens=None, **common)
    except ValueError as error:
        raise BackboneError(f"no backbone is called {name!r}", hint=f"known: {known_names()}") from error


def _known_provider(provider: str) -> bool:
    if provider in _NATIVE or any(provider in entry.definition.spellings for entry in registered_providers()):
        return True
    import litellm

    return provider in {str(getattr(known, "value", known)) for known in litellm.provider_list}
