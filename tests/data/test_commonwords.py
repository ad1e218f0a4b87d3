from __future__ import annotations

import pytest

from data.commonwords import zipf


def test_everyday_words_are_far_above_names() -> None:
    """The scale tells talk from names, which is what it is for."""
    assert zipf("the") > zipf("love") > 5 > zipf("thunder") > zipf("radiohead") > 0


@pytest.mark.parametrize(("word", "language"), [("qzxv", "en"), ("love", "xx"), ("", "en")])
def test_what_is_not_listed_is_zero(word: str, language: str) -> None:
    """An unknown word and an unknown language have no frequency, and are no error."""
    assert zipf(word, language) == 0.0


def test_each_language_has_its_own_list() -> None:
    """A German word is common in German only."""
    assert zipf("nicht", "de") > 6 > zipf("nicht", "en")
