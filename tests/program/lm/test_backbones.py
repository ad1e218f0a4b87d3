"""Backbones by name."""

import threading
from pathlib import Path

import dspy
import pytest

from data.errors import BackboneError
from program.lm.backbones import Backbone, probe, resolve
from tests.scripted import dead_lm, scripted_lm


def test_none_is_the_lm_free_path() -> None:
    """No LM, and nothing to probe."""
    backbone = resolve("none")

    assert backbone == Backbone("none", None, schema=False, embedded=False)
    assert probe(backbone, 1.0) is None


@pytest.mark.parametrize("name", ["", "gpt-4", "embedded/x", "embedded/", "openai/", "../etc/pass", "Openai/x", "a/ b"])
def test_names_without_a_known_shape_are_told_the_known_ones(name: str) -> None:
    """One line that lists what there is."""
    with pytest.raises(BackboneError) as caught:
        resolve(name)

    assert "none, embedded/smollm2-135m, embedded/gemma3-270m" in caught.value.one_line()


def test_a_brain_that_is_not_installed_is_told_how(home: Path) -> None:
    """The error carries the command."""
    with pytest.raises(BackboneError) as caught:
        resolve("embedded/smollm2-135m")

    assert caught.value.hint == "melo brain install smollm2-135m"


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("openai/gpt-4o-mini", True),
        ("openai/unheard-of", False),
        ("hosted_vllm/any", True),
        ("ollama_chat/any", True),
        ("deepseek/deepseek-chat", False),
    ],
)
def test_hosted_models_get_safe_defaults(name: str, schema: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Timeout, one retry, temperature 0, no cache; the key stays in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    backbone = resolve(name, max_tokens=99)

    assert backbone.lm is not None
    assert backbone.schema is schema
    assert backbone.lm.kwargs == {"temperature": 0.0, "max_tokens": 99, "timeout": 30.0}
    assert (backbone.lm.num_retries, backbone.lm.cache) == (1, False)
    assert "sk-secret" not in repr(vars(backbone.lm))


def test_thinking_models_keep_room_to_think() -> None:
    """OpenAI's fix their own limits; others get a larger one."""
    openai = resolve("openai/o3").lm
    kimi = resolve("moonshot/kimi-k2.5").lm

    assert openai is not None
    assert openai.kwargs["max_completion_tokens"] is None
    assert kimi is not None
    assert kimi.kwargs["max_tokens"] == 8000


def test_the_address_of_a_local_server_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """DSPy's native route does not read it."""
    monkeypatch.setenv("OLLAMA_API_BASE", "http://box:11434/")
    lm = resolve("ollama_chat/any").lm

    assert lm is not None
    assert lm.kwargs["api_base"] == "http://box:11434/v1"


def test_probe_tells_why_on_one_line() -> None:
    """None when it answers; it never raises and never waits longer than it was told to."""
    slow = threading.Event()

    def wait(_: str) -> str:
        slow.wait(5.0)
        return "ok"

    def backbone(lm: dspy.LM) -> Backbone:
        return Backbone(lm.model, lm, schema=True, embedded=False)

    alive = probe(backbone(scripted_lm([(lambda _: True, "ok")])), 5.0)
    dead = probe(backbone(dead_lm()), 5.0)
    late = probe(backbone(scripted_lm([(lambda _: True, wait)])), 0.05)
    slow.set()

    assert alive is None
    assert dead == "dead/server: no connection, or no answer in time"
    assert late == "scripted/script: no answer in 0.05 s"
