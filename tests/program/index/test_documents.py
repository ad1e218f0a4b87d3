from __future__ import annotations

import pytest

from program.index.documents import text_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Purple  Rain", ["purple", "rain"]),
        ("AC/DC – Back in Black", ["ac", "dc", "back", "in", "black"]),
        ("Sigur Rós", ["sigur", "ros"]),
        ("晴天 Live", ["晴", "天", "live"]),
        ("周杰倫", ["周", "杰", "伦"]),
        ("方탄", ["方", "탄"]),
        ("", []),
    ],
)
def test_text_words(text: str, words: list[str]) -> None:
    """Full text is folded as names are, and split by words, or by characters where a script has no spaces."""
    assert text_words(text).split() == words
