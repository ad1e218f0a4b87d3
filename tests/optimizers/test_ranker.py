"""The pairwise ranker on pairs whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from data.contracts import Candidate
from optimizers.ranker import LEARNED, LEAST_PAIRS, Shown, differences, evenly, fit, learned


def _candidate(number: int, **features: float) -> Candidate:
    given = dict.fromkeys(LEARNED, 0.0) | {"constraints": 1.0, "lead": 0.0} | features
    return Candidate(track_id=f"t{number}", score=0.0, route_ranks={}, features=given)


def _shown(liked: set[int], *candidates: Candidate) -> Shown:
    return Shown("s", candidates, frozenset(f"t{number}" for number in liked), by_meaning=False)


def test_pairs() -> None:
    """A row for each liked and passed-over track, liked minus passed over; only tracks that hold what was asked equally."""
    shown = _shown({0}, _candidate(0, relevance=0.9), _candidate(1, relevance=0.4, affinity=0.5), _candidate(2, constraints=0.5))

    assert differences([shown]).round(3).tolist() == [[0.5, 0.0, 0.0, -0.5]]
    assert differences([]).shape == (0, len(LEARNED))


def test_every_request_counts_the_same() -> None:
    """Three pairs of one request weigh as much as the one pair of another."""
    many = _shown({0}, *(_candidate(number) for number in range(4)))
    few = _shown({0}, _candidate(0), _candidate(1))

    assert evenly([many, few]).round(3).tolist() == [0.667, 0.667, 0.667, 2.0]


def test_it_learns_what_decides() -> None:
    """Likes follow the affinity, against fame: the signs come out, and what never differs stays at 0."""
    rng = np.random.default_rng(0)
    pairs = rng.normal(size=(2_000, len(LEARNED)))
    pairs[:, LEARNED.index("original")] = 0.0
    lean = 2.0 * pairs[:, LEARNED.index("affinity")] - 1.0 * pairs[:, LEARNED.index("popularity")]
    wins = rng.random(2_000) < 1 / (1 + np.exp(-lean))
    pairs[~wins] *= -1
    weights = fit(pairs, np.ones(2_000))

    assert weights["affinity"] == pytest.approx(2.0, abs=0.25)
    assert weights["popularity"] == pytest.approx(-1.0, abs=0.2)
    assert weights["original"] == 0.0
    assert abs(weights["relevance"]) < 0.15


def test_too_few_pairs_teach_nothing() -> None:
    """Below the least number of pairs the hand-set weights stay; above it, those that are not learned are kept."""
    one = _shown({0}, _candidate(0, affinity=0.9), _candidate(1, affinity=0.1))
    kept = {"constraints": 2.5, "relevance": 1.0}

    assert learned([one] * (LEAST_PAIRS - 1), kept) == ({}, LEAST_PAIRS - 1)
    weights, pairs = learned([one] * LEAST_PAIRS, kept)
    assert (pairs, weights["constraints"], weights["affinity"] > 1) == (LEAST_PAIRS, 2.5, True)
