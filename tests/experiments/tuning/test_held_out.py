"""Which examples are held out: decided by seed and words alone."""

from __future__ import annotations

import pytest

from data.errors import LabelError
from experiments.tuning.held_out import divided

WORDS = [f"request {number}" for number in range(2_000)]


def test_about_the_share_is_held_out() -> None:
    """Both parts together are everything, in the old order, and nothing is in both."""
    found = divided(WORDS, str, 0.3, 0, "requests")

    assert sorted(found.tuned + found.held_out, key=WORDS.index) == WORDS
    assert list(found.tuned) == sorted(found.tuned, key=WORDS.index)
    assert 0.27 < len(found.held_out) / len(WORDS) < 0.33


def test_the_order_does_not_matter_and_the_seed_does() -> None:
    """A file that is sorted anew, or that grows, holds out the same examples."""
    once = divided(WORDS, str, 0.3, 1, "requests")
    again = divided([*reversed(WORDS), "one more"], str, 0.3, 1, "requests")
    other = divided(WORDS, str, 0.3, 2, "requests")

    assert set(once.held_out) == set(again.held_out) - {"one more"}
    assert set(once.held_out) != set(other.held_out)


def test_examples_of_one_key_stay_together() -> None:
    """Variants of one case never stand on both sides."""
    found = divided(WORDS, lambda word: word[-1], 0.5, 0, "requests")

    assert not {word[-1] for word in found.tuned} & {word[-1] for word in found.held_out}


def test_too_few_to_hold_some_out() -> None:
    """One example cannot be on both sides."""
    with pytest.raises(LabelError, match="1 requests are too few"):
        divided(["one"], str, 0.3, 0, "requests")
