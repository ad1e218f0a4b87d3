"""LM answers are remembered by backbone, endpoint, prompt, temperature and replay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dspy
import pytest

from data.errors import StoreError
from experiments.lm_cache import AnswerStore, RememberingEngine, Tally
from experiments.replays import endpoint_of, replayed, temperature_of
from program.lm.backbones import resolve
from tests.scripted import dead_lm, scripted_lm


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    """An empty store."""
    opened = AnswerStore(tmp_path / "answers.sqlite")
    yield opened
    opened.close()


def _lm(inner: dspy.LM, store: AnswerStore | None, tally: Tally, temperature: float = 0.0, **about: str | int) -> dspy.LM:
    engine = RememberingEngine(inner, {"backbone": "b", "endpoint": "e", "replay": 0, **about}, store, tally)
    return dspy.LM(inner.model, engine=engine, cache=False, num_retries=0, temperature=temperature, max_tokens=50)


def _script() -> dspy.LM:
    return scripted_lm([(lambda text: True, lambda text: f"said to {len(text)}")])


def test_the_same_call_is_made_once(store: AnswerStore) -> None:
    """The second call brings the same text and is counted as remembered."""
    inner, tally = _script(), Tally()
    lm = _lm(inner, store, tally)

    assert lm("hello") == lm("hello")
    assert (tally.calls, tally.remembered, len(inner.engine.prompts)) == (1, 1, 1)


@pytest.mark.parametrize("other", [{"backbone": "c"}, {"endpoint": "f"}, {"replay": 1}, {"temperature": 0.3}])
def test_what_tells_answers_apart(store: AnswerStore, other: dict[str, object]) -> None:
    """Another backbone, endpoint, replay or temperature is another answer."""
    inner, tally = _script(), Tally()
    _lm(inner, store, tally)("hello")
    _lm(inner, store, tally, **other)("hello")  # type: ignore[arg-type]

    assert (tally.calls, tally.remembered) == (2, 0)


def test_another_prompt_is_another_answer(store: AnswerStore) -> None:
    """So is a prompt that differs in one character."""
    tally = Tally()
    lm = _lm(_script(), store, tally)
    lm("hello")
    lm("hello!")

    assert (tally.calls, tally.remembered) == (2, 0)


def test_a_remembered_answer_brings_its_tokens(store: AnswerStore) -> None:
    """What it cost when it was given is on the history entry again."""
    lm = _lm(_script(), store, Tally())
    entries: list[dict[str, object]] = []
    lm.update_history = entries.append
    with dspy.context(disable_history=False):
        lm("one two three")
        lm("one two three")

    assert entries[0]["usage"] == entries[1]["usage"] != {}


def test_errors_keep_their_kind_and_are_not_remembered(store: AnswerStore) -> None:
    """A refused connection stays one, so that a node knows the LM is down."""
    tally = Tally()
    with pytest.raises(dspy.utils.exceptions.LMTransportError):
        _lm(dead_lm(), store, tally)("hello")

    assert (tally.calls, tally.remembered) == (0, 0)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """One error of our own."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError):
        AnswerStore(tmp_path / "file" / "answers.sqlite")


def test_no_lm_stays_no_lm() -> None:
    """The LM-free path is not wrapped."""
    assert replayed(0, 0.3, None, Tally())("none").lm is None


def test_a_hosted_backbone_keeps_its_abilities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Temperature changes, schema support does not; the address tells servers apart."""
    plain = resolve("openai/gpt-4o-mini")
    wrapped = replayed(2, 0.3, None, Tally())("openai/gpt-4o-mini")
    here = endpoint_of(plain)
    monkeypatch.setenv("OPENAI_API_BASE", "http://localhost:9/v1")

    assert wrapped.lm is not None
    assert wrapped.lm.kwargs["temperature"] == 0.3
    assert wrapped.lm.supports_response_schema == plain.schema == wrapped.schema
    assert endpoint_of(plain) != here


def test_temperatures() -> None:
    """One run is asked as the product asks, several at the temperature of the paper."""
    assert (temperature_of(1), temperature_of(3)) == (0.0, 0.3)
