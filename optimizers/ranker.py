"""A small pairwise ranker: logistic regression on the differences of the ranking features of liked and passed-over tracks.

A weight says how many log-odds of being preferred one unit of a feature is worth. Only pairs count that hold what was asked
equally well, since the ranker orders no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.contracts import Candidate

LEARNED = ("relevance", "popularity", "original", "affinity")
"""The features that are weighed; what was asked (`constraints`, `lead`) is kept by hand."""
LEAST_PAIRS = 200
_MOST_LOST = 50
_STEPS, _ENOUGH = 50, 1e-8
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Shown:
    """One request's candidates as they were ranked.

    Attributes:
        session: requests of one session are not independent. liked: which of `ranked` the listener liked.
        by_meaning: how the candidates were found.
    """

    session: str
    ranked: tuple[Candidate, ...]
    liked: frozenset[str]
    by_meaning: bool


def differences(shown: Sequence[Shown]) -> Numbers:
    """Liked minus passed over, a row a pair, shape (pairs, features).

    Of each liked track at most `_MOST_LOST` others, spread over the list: the first ones alone would teach that a high place
    is a bad sign.
    """
    return np.concatenate([_pairs(one) for one in shown]) if shown else np.zeros((0, len(LEARNED)))


def _pairs(shown: Shown) -> Numbers:
    rows: list[list[float]] = []
    for won in (candidate for candidate in shown.ranked if candidate.track_id in shown.liked):
        equal = [lost for lost in shown.ranked if lost.track_id not in shown.liked and _asked(lost) == _asked(won)]
        for lost in equal[:: 1 + len(equal) // _MOST_LOST]:
            rows.append([won.features.get(name, 0.0) - lost.features.get(name, 0.0) for name in LEARNED])
    return np.asarray(rows, dtype=np.float64).reshape(-1, len(LEARNED))


def evenly(shown: Sequence[Shown]) -> Numbers:
    """The weight of each row of `differences`: every request with a pair counts the same, 1 a pair on average."""
    sizes = [size for one in shown if (size := len(_pairs(one)))]
    each = np.concatenate([np.full(size, 1 / size) for size in sizes]) if sizes else np.zeros(0)
    return np.asarray(each * (len(each) / max(1, len(sizes))))


def fit(pairs: Numbers, counts: Numbers, strength: float = 1.0) -> dict[str, float]:
    """The weights that explain the pairs best, by Newton's method; deterministic.

    Args:
        pairs: as `differences` gives them. counts: how much each of them counts.
        strength: of the pull towards 0 (ridge); it keeps a feature that never differs at 0.
    """
    weights = np.zeros(pairs.shape[1])
    for _ in range(_STEPS):
        wrong = 1 / (1 + np.exp(pairs @ weights))
        slope = pairs.T @ (counts * wrong) - strength * weights
        bend = (pairs * (counts * wrong * (1 - wrong))[:, None]).T @ pairs + strength * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights += step
        if float(np.abs(step).max(initial=0.0)) < _ENOUGH:
            break
    return {name: round(float(weight), 4) for name, weight in zip(LEARNED, weights, strict=True)}


def learned(shown: Sequence[Shown], kept: Mapping[str, float], strength: float = 1.0) -> tuple[dict[str, float], int]:
    """Weights for one way of finding, with those of `kept` for what is not learned, and the number of pairs.

    Empty where there are fewer than `LEAST_PAIRS`.
    """
    pairs = differences(shown)
    if len(pairs) < LEAST_PAIRS:
        return {}, len(pairs)
    rest = {name: weight for name, weight in kept.items() if name not in LEARNED}
    return {**rest, **fit(pairs, evenly(shown), strength)}, len(pairs)


def _asked(candidate: Candidate) -> tuple[float, float]:
    return round(candidate.features.get("constraints", 0.0), 4), candidate.features.get("lead", 0.0)
