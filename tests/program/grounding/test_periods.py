"""When an own set was liked or played, and where the same words are a title, a time of day or a year of release."""

from __future__ import annotations

import pytest

from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings


def _said(index: EmbeddedIndex, text: str) -> str:
    known = understand_by_code(text, index, Settings())
    intent = known.best.intent
    facets = [f"{c.facet}={'-'.join(c.values)}" for c in intent.constraints]
    names = [f"{entity.role}:{entity.name}" for entity in intent.entities]
    order = [intent.order] if intent.order != "relevance" else []
    open_ = [] if known.best.complete else ["open"]
    return " ".join([intent.personal, *filter(None, [intent.period]), *order, *facets, *names, *open_])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what I listened to last week", "history last-week"),
        ("what was i listening to yesterday", "history yesterday"),
        ("jazz I listened to last month", "history last-month genre=jazz"),
        ("songs i played in 2019", "history 2019"),
        ("songs i played to death in 2019", "history 2019 most_played"),
        ("my most played songs this year", "history this-year most_played"),
        ("what I played on friday", "history friday"),
        ("my liked songs from the 90s", "liked era=1990s"),
        ("my liked songs by Adele", "liked target:Adele"),
        ("my history from the 80s", "history era=1980s"),
        ("songs i liked last month", "liked last-month"),
        ("昨天晚上我听的", "history last-night"),
        ("我去年听得最多的", "history last-year most_played"),
        ("mis canciones favoritas", "liked"),
        ("i miei preferiti", "liked"),
    ],
)
def test_of_an_own_set(tiny_index: EmbeddedIndex, text: str, said: str) -> None:
    """The time is the listener's, all other words stay conditions, and nothing is left open."""
    assert _said(tiny_index, text).removesuffix(" open") == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("songs for last night", "none"),
        ("music from 1982", "none era=1982-1982"),
        ("All Night Long", "none target:All Night Long"),
    ],
)
def test_anywhere_else(tiny_index: EmbeddedIndex, text: str, said: str) -> None:
    """Without an own set the words mean what they always meant."""
    found = _said(tiny_index, text)

    assert found.startswith(said.split(" target")[0])
    assert "last-night" not in found.split()


def test_spans_keep_their_offsets(tiny_index: EmbeddedIndex) -> None:
    """What is taken out leaves blanks, so a condition's span still points at its words."""
    text = "last week what i listened to, only jazz"
    known = understand_by_code(text, tiny_index, Settings())
    (jazz,) = known.best.intent.constraints

    assert text[slice(*jazz.span)] == "jazz"
    assert known.best.intent.period == "last-week"
