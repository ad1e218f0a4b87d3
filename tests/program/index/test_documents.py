from __future__ import annotations

import pytest

from program.index.documents import text_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Purple  Rain", ["purple", "rain"]),
        ("AC/DC – Back in Black", ["ac", "dc", "back", "in", "black"]),
        ("Sigur Rós", ["sigur", "ros"]),
        pytest.param(
            "晴天 Live",
            ["晴", "天", "live"],
            marks=pytest.mark.xfail(strict=True, reason="the parts are joined with blanks, so Latin letters are split too"),
        ),
        ("周杰倫", ["周", "杰", "伦"]),
        ("方탄", ["方", "탄"]),
        ("", []),
    ],
)
def test_text_words(text: str, words: list[str]) -> None:
    """Full text is folded as names are, and split by words, or by characters where a script has no spaces."""
    assert text_words(text).split() == words
