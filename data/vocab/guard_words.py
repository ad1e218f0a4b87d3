"""Words of instructions to a model, and of claims that no playlist text may make, from `guard_words.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_CLAUSE = r"[^.!?。！？\n]"
_APART = 48
"""Characters between two parts of an instruction, at most (own choice)."""


@dataclass(frozen=True)
class Instruction:
    """How one language tells a model what to do. verb tells quickly that a text holds none of it."""

    verb: re.Pattern[str]
    whole: re.Pattern[str]


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((resources.files("data.vocab") / "guard_words.toml").read_text(encoding="utf-8"))


def override_languages() -> frozenset[str]:
    """ISO 639-1 codes of the languages whose instructions are known."""
    return frozenset(_tables()["override"])


@cache
def instructions() -> tuple[Instruction, ...]:
    """One pattern a language, over casefolded text."""
    return tuple(_instruction(words) for words in _tables()["override"].values())


@cache
def instruction_phrases() -> re.Pattern[str]:
    """Phrases that are instructions, or ask for them, by themselves."""
    words = [phrase for table in _tables()["override"].values() for phrase in table["phrases"]]
    return re.compile(rf"(?:{'|'.join(map(_starting, words))})\w*")


@cache
def risky_claims() -> re.Pattern[str]:
    """Words that a text about a playlist must not hold, over casefolded text."""
    words = [word.casefold() for listed in _tables()["risky"].values() for word in listed]
    return re.compile("|".join(map(_starting, words)))


def _instruction(words: dict[str, list[str]]) -> Instruction:
    verb, which, noun = (f"(?:{'|'.join(map(_starting, words[name]))})" for name in ("verbs", "which", "nouns"))
    gap = f"{_CLAUSE}{{0,{_APART}}}?"
    orders = (f"{verb}{gap}{which}{gap}{noun}", f"{which}{gap}{noun}{gap}{verb}", f"{verb}{gap}{noun}{gap}{which}")
    return Instruction(re.compile(verb), re.compile(rf"(?:{'|'.join(orders)})\w*"))


def _starting(word: str) -> str:
    """A pattern of the word at the start of a word; scripts without spaces anywhere."""
    return (r"(?<!\w)" if word[:1].isascii() or (word[:1].isalpha() and ord(word[0]) < 0x2E80) else "") + re.escape(word)
