"""A trip in words. Source: A-40, A-41."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from data.trust import Signal
from program.trust.breaker import explain, validators
from program.trust.breaker.explain import cause_of, doubt, similar, summary
from tests.program.trust.breaker.parts import trip

HOSTILE = "\x1b[31mrm\x1b[0m -rf\r\n\u202eevil\u2028{0} {part} <|im_start|>\x07"


def _names() -> set[str]:
    folder = Path(validators.__file__).parent
    return {name for path in folder.glob("*.py") for name in re.findall(r'Signal\(\s*name="(\w+)"', path.read_text())}


def test_every_cause_has_words() -> None:
    """Every signal that a validator gives, and the producer's own doubt."""
    assert len(_names()) > 8
    for name in {*_names(), "own"}:
        signal = Signal(name=name, score=0.1, part="the part")
        assert name in explain._WORDS
        assert "{" not in doubt((signal,))


def test_the_cause_is_the_worst_signal() -> None:
    """Where all is well, the producer itself is the cause."""
    low, whole = Signal(name="ids", score=0.0, part="x-1"), Signal(name="serves", score=1.0)

    assert cause_of((low, whole)) == "ids"
    assert cause_of((whole,)) == cause_of(()) == "own"
    assert "x-1" in doubt((low,))
    assert doubt((whole,)) == doubt(())


@pytest.mark.parametrize("text", [HOSTILE, "", "a\nb"])
def test_a_summary_is_one_line(text: str) -> None:
    """Whatever the request or a name holds, nothing of it acts on a terminal, and it breaks no line."""
    told = summary(trip(signals=(Signal(name="coverage", score=0.2, part=text),), cause="coverage", similar="2 similar"))

    assert told.isprintable()
    assert told.startswith("plan: ")
    assert "confidence 0.32, wanted 0.75" in told
    assert told.endswith("2 similar")


def test_similar() -> None:
    """Of the same node for the same cause, without those that were only recorded; the most frequent fix is told."""
    trips = [
        trip(1, outcome="recovered", fix="context"), trip(2, outcome="recovered", fix="context"),
        trip(3, outcome="degraded", fix="deterministic"), trip(4), trip(5, outcome="recorded"),
        trip(6, cause="names", outcome="recovered", fix="temperature"), trip(7, node="execute"),
    ]  # fmt: skip

    assert similar(trips, "plan", "serves") == "4 similar, 2 mended by asking again with the doubt named"
    assert similar(trips, "execute", "serves") == "1 similar, none was mended"
    assert similar(trips, "reflect", "serves") == ""
    assert similar(trips[4:5], "plan", "serves") == ""
