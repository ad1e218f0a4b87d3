"""Labelled rows over the tiny catalog at which nodes ask a model, and a writer that does well only when it is shown how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from data.labelled import LabelledRow
from tests.labelled import row

GOOD = {"title": "Icelandic post-punk", "description": "Post-punk songs from Iceland in the catalog."}
POOR = {"title": "Music", "description": "Post-punk songs. From Iceland. In the catalog, a list."}
"""Its title is too short, and it has a sentence too many."""
IMPROVED = "Give the playlist a title of two words, such as its style and its place, and describe it in one short sentence."
_REQUESTS = ("niche Icelandic post-punk", "obscure Icelandic post-punk", "niche post-punk from Iceland")


def thin_rows(count: int, start: int = 0) -> list[LabelledRow]:
    """Rows that find too little: REFLECT is asked about them, then SYNTHESIZE. The region may be widened, the genre not."""
    genre = {"field": "genre", "values": ["post-punk"]}
    rules = [
        {"grade": 3, "where": [genre, {"field": "region", "values": ["IS"]}]},
        {"grade": 2, "where": [genre, {"field": "region", "values": ["nordic"]}]},
    ]
    constraints = [
        {"facet": "genre", "op": "is", "values": ["post-punk"], "strength": "core", "relaxable": False},
        {"facet": "region", "op": "is", "values": ["IS"]},
        {"facet": "popularity", "op": "is", "values": ["niche"]},
    ]
    made = []
    for number in range(start, start + count):
        words = _REQUESTS[number % len(_REQUESTS)] + ", please" * (number // len(_REQUESTS))
        made.append(
            row(
                words, qid=f"longtail-{number + 1:03d}", set="longtail", kind="multi_constraint", retry=["relaxed"],
                constraints=constraints, quality={"rules": rules, "least": 10, "size": 20},
            )
        )  # fmt: skip
    return made


def shown_how(prompt: str) -> bool:
    """Whether the prompt holds a demo or the better instructions."""
    return "assistant:" in prompt or IMPROVED in prompt


def writes(when: Callable[[str], bool] = shown_how) -> Callable[[str], dict[str, Any]]:
    """SYNTHESIZE's replies: good when `when` says so of the prompt."""
    return lambda prompt: GOOD if when(prompt) else POOR


def asks_for_instructions(prompt: str) -> bool:
    """A prompt of the reflection LM."""
    return "Improve the instructions" in prompt


def asks_for_rule(prompt: str) -> bool:
    """A prompt of the reflection LM that wants one rule."""
    return "Write one rule" in prompt
