from __future__ import annotations

import pytest

from program.grounding.items import FacetItem, Item, RangeItem
from program.grounding.times import time_items
from program.grounding.tokens import tokenize


def longest(request: str) -> Item | None:
    return max(time_items(tokenize(request), request, 2026), key=lambda item: (item.last - item.first, item.score), default=None)


def test_one_decade_is_a_facet_value() -> None:
    """Where the vocabulary has it."""
    item = longest("rock de los años ochenta")

    assert isinstance(item, FacetItem)
    assert (item.first, item.last, item.facet, item.concept_id) == (2, 5, "era", "1980s")


@pytest.mark.parametrize(
    ("request_text", "bounds"),
    [
        ("samba dos anos 30 e 40", ("1930", "1949")),
        ("rap of the last ten years", ("2016", "2026")),
        ("90年代到现在", ("1990", "")),
        ("piano of the 19th century", ("1800", "1899")),
    ],
)
def test_anything_longer_is_a_range(request_text: str, bounds: tuple[str, str]) -> None:
    """An open end is an empty string."""
    item = longest(request_text)

    assert isinstance(item, RangeItem)
    assert (item.low, item.high, item.facet) == (*bounds, "era")


def test_a_phrase_in_the_middle_of_a_word_is_none() -> None:
    """A phrase covers whole tokens, and a decade that no vocabulary has is a range."""
    assert longest("the 1980sx sound") is None
    assert isinstance(longest("années 1910"), RangeItem)
