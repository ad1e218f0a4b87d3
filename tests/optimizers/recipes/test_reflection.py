"""What comes back from a reflection LM, and how much is sent to it."""

from __future__ import annotations

import pytest

from optimizers.recipes.reflection import lesson, new_instructions, new_rule, usable
from tests.scripted import ScriptedLM, scripted_lm
from tests.sessions import scripted

_OLD = "Choose the retrieval tools for a music request, the most useful first."
_NEW = "Choose exact search for names and conditions, and search by meaning for atmosphere. Give the most useful tool first."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (_NEW, _NEW),
        (f"```\n{_NEW}\n```", _NEW),
        (f"Here it is:\n```text\n{_NEW}\n```\nGood luck!", _NEW),
        (f"New instructions: {_NEW}", _NEW),
        (_OLD, None),
        ("", None),
        ("Be good.", None),
        ("{}[]();=" * 20, None),
        ("\n\n".join(["The request is a request for a music request."] * 4), None),
        ("the music of the music and " * 12, None),
        (_NEW * 60, None),
    ],
)
def test_usable(text: str, found: str | None) -> None:
    """Fences and labels go; what is too short, too long, no words, in circles or nothing new is no instruction."""
    assert usable(text, _OLD) == found


def test_prompts_keep_to_their_size() -> None:
    """As many lessons as fit, the first ones first; the old instructions always."""
    lm, engine = scripted([(lambda text: "Improve the instructions" in text, _NEW)])
    lessons = [lesson({"intent": f"number {number} " + "x" * 200}, {"routes": ["t0"]}, "It was wrong.") for number in range(30)]

    assert new_instructions(lm, _OLD, lessons, chars=1_500) == _NEW
    assert len(engine.prompts[0].last) <= 1_500
    assert _OLD in engine.prompts[0].last
    assert "number 0" in engine.prompts[0].last and "number 29" not in engine.prompts[0].last


def test_a_rule_is_added() -> None:
    """The old instructions stay, with one sentence more."""
    lm, _ = scripted([(lambda text: "Write one rule" in text, "Prefer  exact search\nfor names.")])

    assert new_rule(lm, _OLD, "good", "bad", chars=2_000) == f"{_OLD}\n\nPrefer exact search for names."


def test_a_refused_prompt_gives_nothing() -> None:
    """A model that refuses ends no search."""
    from dspy import lm15

    lm = scripted_lm([(lambda text: True, lm15.ContextLengthError("too long"))])

    assert isinstance(lm.engine, ScriptedLM)
    assert new_instructions(lm, _OLD, [], chars=500) is None
