from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.grounding.tokens import quoted_spans, tokenize


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("play some jazz", ["play", "some", "jazz"]),
        ("Toto's Africa", ["Toto's", "Africa"]),
        ("guns n' roses", ["guns", "n'", "roses"]),
        ("P!nk so what", ["P!nk", "so", "what"]),
        ("Ke$ha and A$AP Rocky", ["Ke$ha", "and", "A$AP", "Rocky"]),
        ("AC/DC", ["AC", "DC"]),
        ("post-punk", ["post", "punk"]),
        ("R.E.M. please", ["R.E.M.", "please"]),
        ("blink-182", ["blink", "182"]),
        ("!!!", ["!!!"]),
        ("songs by !!!", ["songs", "by", "!!!"]),
        ("play + by Ed Sheeran", ["play", "+", "by", "Ed", "Sheeran"]),
        ("simon & garfunkel", ["simon", "&", "garfunkel"]),
        ("hello!", ["hello"]),
        ("what? yes.", ["what", "yes"]),
        ("- dash -", ["dash"]),
        ("周杰伦的晴天", list("周杰伦的晴天")),
        ("日本city pop", ["日", "本", "city", "pop"]),
        ("プラスティック・ラヴ", list("プラスティックラヴ")),
        ("방탄소년단 노래", ["방탄소년단", "노래"]),
        ("Sigur Rós", ["Sigur", "Rós"]),
        ("  ", []),
        ("", []),
        ("🎵 🎶", []),
    ],
)
def test_words(request_: str, words: list[str]) -> None:
    """Words keep the signs inside them, Chinese and Japanese fall into characters, lone signs may be names."""
    assert [token.text for token in tokenize(request_)] == words


@pytest.mark.parametrize(
    ("request_", "clauses"),
    [
        ("no rock, no metal", [0, 0, 1, 1]),
        ("rock. jazz", [0, 1]),
        ("rock; jazz: soul", [0, 1, 2]),
        ("rock\njazz", [0, 1]),
        ("rock! jazz", [0, 1]),
        ("摇滚，爵士", [0, 0, 1, 1]),
        ("rock and jazz", [0, 0, 0]),
        ("Mr. Blue", [0, 0]),
        ("St. Vincent", [0, 0]),
        ("feat. Drake", [0, 0]),
        ("J. Cole", [0, 0]),
        ("rock - jazz", [0, 0]),
    ],
)
def test_clauses(request_: str, clauses: list[int]) -> None:
    """Punctuation ends a clause; the dot of an abbreviation or an initial does not."""
    assert [token.clause for token in tokenize(request_)] == clauses


def test_offsets_and_keys() -> None:
    """A token knows where it stands, its key, and whether it is a character of its own."""
    kept = [(token.start, token.end, token.key, token.cjk) for token in tokenize("Rós, 倫!")]

    assert kept == [(0, 3, "ros", False), (5, 6, "伦", True)]


@pytest.mark.parametrize(
    ("request_", "quoted"),
    [
        ('play "Hello" now', ["Hello"]),
        ("“Yesterday” by The Beatles", ["Yesterday"]),
        ("《晴天》和「稻香」", ["晴天", "稻香"]),
        ('"one" and "two"', ["one", "two"]),
        ('an open " quote', []),
        ('""', []),
        ("it's toto's", []),
    ],
)
def test_quotes(request_: str, quoted: list[str]) -> None:
    """Quoted text is found without its quotes; an apostrophe quotes nothing."""
    assert [request_[first:last] for first, last in quoted_spans(request_)] == quoted


@given(st.text(max_size=60))
def test_any_text(request_: str) -> None:
    """Tokens lie in order inside the request, are what the request says there, and clauses only grow."""
    tokens = tokenize(request_)

    assert all(request_[token.start : token.end] == token.text for token in tokens)
    assert all(left.end <= right.start for left, right in pairwise(tokens))
    assert [token.clause for token in tokens] == sorted(token.clause for token in tokens)
