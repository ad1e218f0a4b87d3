"""Prompts to the reflection LM: short enough for a small context, and a check on what comes back.

DSPy's own proposers send program code and whole trajectories, which a small model's context does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import dspy
from dspy.utils.exceptions import LMError

_FENCE = re.compile(r"```(?:\w+\n)?(.*?)```", re.DOTALL)
_LABEL = re.compile(r"\A\s*(?:new instructions?|instructions?)\s*:\s*", re.IGNORECASE)
_LEAST_CHARS, _MOST_CHARS = 40, 4_000
_FEWEST_LETTERS = 0.5
_CIRCLES, _NEW_WORDS = 3, 0.25
_ANSWER_TOKENS = 500
_SHOWN = 320
"""Characters of one example."""
_TEMPERATURE = 0.7


def new_instructions(lm: dspy.LM, old: str, lessons: Iterable[str], *, chars: int, tip: str = "") -> str | None:
    """Instructions that the LM makes of the old ones and of what happened under them; None when it gave nothing usable.

    Args:
        lessons: one text an example, the most telling first; as many are shown as fit.
        chars: of the whole prompt.
    """
    head = "Improve the instructions of one step of a music assistant.\n\nInstructions now:\n" + old
    wanted = "Write the whole new instructions and nothing else. Keep the rules that work. Words in braces stay as they are."
    tail = f"\n\n{wanted} {tip}".rstrip()
    answer = _ask(lm, _fitted(head, lessons, tail, chars))
    return usable(answer, old)


def new_rule(lm: dspy.LM, old: str, better: str, worse: str, *, chars: int) -> str | None:
    """The old instructions with one more rule that tells a good reply from a bad one; None without a usable one."""
    head = "Instructions of one step of a music assistant:\n" + old
    tail = "\n\nWrite one rule, in one sentence, that would have made the worse reply better. Nothing else."
    answer = _ask(lm, _fitted(head, [f"Better: {better}", f"Worse: {worse}"], tail, chars))
    rule = " ".join((answer or "").split())
    return usable(f"{old}\n\n{rule[:_SHOWN]}", old) if rule else None


def lesson(inputs: Mapping[str, Any], reply: Mapping[str, Any], feedback: str) -> str:
    """One example as a line: what was asked, what was answered, what that was worth."""
    asked = "; ".join(f"{name}: {_short(value)}" for name, value in inputs.items())
    told = ", ".join(f"{name}={value}" for name, value in reply.items())
    return f"- {asked}\n  reply: {_short(told)}\n  {_short(feedback)}"


def usable(text: str | None, old: str) -> str | None:
    """Instructions as they were meant: without fences, of a sane length, in words, and not the old ones."""
    if not text:
        return None
    fenced = _FENCE.search(text)
    cleaned = _LABEL.sub("", fenced.group(1) if fenced else text).strip()
    letters = sum(char.isalpha() or char.isspace() for char in cleaned)
    sane = _LEAST_CHARS <= len(cleaned) <= _MOST_CHARS and letters >= _FEWEST_LETTERS * len(cleaned)
    return cleaned if sane and not _repeats(cleaned) and cleaned != old.strip() else None


def _repeats(text: str) -> bool:
    """Whether a small model went round in circles: a line that comes three times, or hardly any new word."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    words = text.casefold().split()
    return any(lines.count(line) >= _CIRCLES for line in set(lines)) or len(set(words)) < _NEW_WORDS * len(words)


def _ask(lm: dspy.LM, prompt: str) -> str | None:
    """The LM's answer. One that it refuses (a prompt too long) is no answer; what ends the search goes on its way."""
    asked = lm.copy(temperature=_TEMPERATURE, max_tokens=_ANSWER_TOKENS) if lm.kwargs.get("temperature") is not None else lm
    try:
        answers = asked(prompt)
    except LMError:
        return None
    first = answers[0] if answers else None
    return first.get("text") if isinstance(first, dict) else first


def _fitted(head: str, lessons: Iterable[str], tail: str, chars: int) -> str:
    left = chars - len(head) - len(tail)
    shown: list[str] = []
    for text in lessons:
        if len(text) + 1 > left:
            break
        shown.append(text)
        left -= len(text) + 1
    seen = "\n\nWhat happened under them:\n" + "\n".join(shown) if shown else ""
    return head + seen + tail


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
