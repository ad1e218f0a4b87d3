"""The span metric on answers that can be counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizers.spans import NamedSpan, f1, plain, precision, recall, tallies, tally


def _spans(*pairs: tuple[str, str]) -> list[NamedSpan]:
    return [NamedSpan(text=text, type=kind) for text, kind in pairs]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Don't Stop", "dont stop"),
        ("  AC/DC ", "ac dc"),
        ("Curtain Call: The Hits", "curtain call the hits"),
        ("Sigur Rós", "sigur rós"),
        ("!!!", "!!!"),
    ],
)
def test_plain(text: str, key: str) -> None:
    """Case and punctuation do not count, accents do, and a name of signs only is not lost."""
    assert plain(text) == key


@given(st.text())
def test_plain_twice_is_plain_once(text: str) -> None:
    """A plain text stays as it is."""
    assert plain(plain(text)) == plain(text)


def test_tally_wants_text_and_type() -> None:
    """The same words under another type are one false positive and one miss."""
    gold = _spans(("Zorn Hollow", "Artist"), ("Glass Tide", "WoA"))
    found = _spans(("zorn hollow", "Artist"), ("Glass Tide", "Artist"), ("Tide", "WoA"))

    assert tally(gold, found).tolist() == [1, 2, 1]
    assert tally(gold, found, {"Artist"}).tolist() == [1, 1, 0]
    assert tally(gold, found, {"WoA"}).tolist() == [0, 1, 1]


def test_tally_counts_a_name_as_often_as_it_is_said() -> None:
    """Spans are a multiset: one answer for two labels leaves one missed."""
    twice = _spans(("Vex", "Artist"), ("Vex", "Artist"))

    assert tally(twice, twice[:1]).tolist() == [1, 0, 1]
    assert tally(twice[:1], twice).tolist() == [1, 1, 0]


def test_rates_of_known_counts() -> None:
    """6 right, 2 wrong, 4 missed; and a row of nothing at all is 0, not an error."""
    counts = np.array([[6.0, 2.0, 4.0], [0.0, 0.0, 0.0]])

    assert precision(counts).tolist() == [0.75, 0.0]
    assert recall(counts).tolist() == [0.6, 0.0]
    assert f1(counts) == pytest.approx([2 * 0.75 * 0.6 / 1.35, 0.0])


def test_tallies_of_no_requests() -> None:
    """An empty set has a table without rows, of the usual width."""
    assert tallies([], []).shape == (0, 3)
