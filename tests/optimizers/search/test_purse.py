"""The budget around the LM: hard limits, shares of them, what is asked once, what is an outage."""

from __future__ import annotations

from pathlib import Path

import dspy
import pytest
from dspy import lm15

from data.errors import InputError
from optimizers.limits import Limits
from optimizers.search.book import AnswerBook
from optimizers.search.purse import Outage, Purse, Spent, Unpriced, pursed
from program.lm.backbones import Backbone
from tests.scripted import dead_lm, scripted_lm


def _lm(
    inner: dspy.LM, purse: Purse, book: AnswerBook | None = None, *, endpoint: str = "here", embedded: bool = True
) -> dspy.LM:
    backbone = Backbone("scripted/script", inner, schema=True, embedded=embedded)
    made = pursed(backbone, endpoint, purse, book or AnswerBook(None)).lm
    assert isinstance(made, dspy.LM)
    return made


def _yes() -> dspy.LM:
    return scripted_lm([(lambda text: "?" in text, "yes")])


def test_calls_are_a_hard_limit() -> None:
    """The call that would pass the limit is not made, and no `except Exception` catches what ends the search."""
    inner, purse = _yes(), Purse(Limits(calls=2))
    lm = _lm(inner, purse)
    lm("one?")
    lm("two?")

    with pytest.raises(Spent, match="2 calls"):
        lm("three?")
    assert len(inner.engine.prompts) == purse.calls == 2
    assert not issubclass(Spent, Exception)


def test_the_same_prompt_is_asked_once_at_temperature_0() -> None:
    """At another temperature every time is another draw."""
    inner, purse = _yes(), Purse(Limits(calls=10))
    lm = _lm(inner, purse)
    lm("one?")
    lm("one?")
    lm("one?", temperature=0.7)
    lm("one?", temperature=0.7)

    assert len(inner.engine.prompts) == purse.calls == 3


def test_a_book_plays_back(tmp_path: Path) -> None:
    """Played back calls count as calls, and ask nobody; another endpoint's answers are not taken."""
    path = tmp_path / "book.jsonl"
    _lm(_yes(), Purse(Limits(calls=3)), AnswerBook(path))("one?", temperature=0.7)
    inner, purse = _yes(), Purse(Limits(calls=3))
    answer = _lm(inner, purse, AnswerBook(path))("one?", temperature=0.7)
    elsewhere = _yes()
    _lm(elsewhere, Purse(Limits(calls=3)), AnswerBook(path), endpoint="there")("one?", temperature=0.7)

    assert answer == ["yes"]
    assert (len(inner.engine.prompts), purse.calls, purse.remembered) == (0, 1, 1)
    assert len(elsewhere.engine.prompts) == 1


def test_a_cut_off_line_is_left_out(tmp_path: Path) -> None:
    """A book whose last line was being written serves the others."""
    path = tmp_path / "book.jsonl"
    _lm(_yes(), Purse(Limits(calls=3)), AnswerBook(path))("one?")
    path.write_bytes(path.read_bytes() + b'{"key":"abc","answ')

    assert AnswerBook(path).held == 1


def test_shares_nest() -> None:
    """Half of half of what is left, and all of it again outside."""
    purse = Purse(Limits(calls=8))
    lm = _lm(_yes(), purse)
    with purse.capped(0.5), purse.capped(0.5):
        lm("1?")
        lm("2?")
        with pytest.raises(Spent, match="share"):
            lm("3?")
    for number in range(4, 10):
        lm(f"{number}?")

    assert purse.calls == 8


def test_time_is_a_hard_limit() -> None:
    """No call is made after the time is up."""
    now = [0.0]
    lm = _lm(_yes(), Purse(Limits(seconds=5), clock=lambda: now[0]))
    lm("one?")
    now[0] = 5.0

    with pytest.raises(Spent, match="time"):
        lm("two?")


def test_an_outage_ends_the_search() -> None:
    """Three calls in a row without an answer."""
    inner, purse = dead_lm(), Purse(Limits(calls=10))
    lm = _lm(inner, purse)
    for _ in range(2):
        with pytest.raises(dspy.utils.exceptions.LMError):
            lm("one?")

    with pytest.raises(Outage, match="no connection"):
        lm("one?")
    assert purse.calls == inner.engine.calls == 3


def test_a_refused_prompt_is_no_outage() -> None:
    """A prompt too long is a bad proposal, however often."""
    inner = scripted_lm([(lambda text: True, lm15.ContextLengthError("too long"))])
    lm = _lm(inner, Purse(Limits(calls=10)))
    for _ in range(5):
        with pytest.raises(dspy.utils.exceptions.LMError):
            lm("one?")

    assert len(inner.engine.prompts) == 5


def test_money_needs_a_price() -> None:
    """A limit in money is not kept by a backbone whose price nobody knows; an embedded one is free."""
    with pytest.raises(Unpriced):
        _lm(_yes(), Purse(Limits(usd=1.0)), embedded=False)("one?")
    assert _lm(_yes(), Purse(Limits(usd=1.0)))("one?") == ["yes"]


def test_none_cannot_be_tuned() -> None:
    """There is no prompt to improve without a model."""
    with pytest.raises(InputError, match="language model"):
        pursed(Backbone("none", None, schema=False, embedded=False), "", Purse(Limits(calls=1)), AnswerBook(None))
