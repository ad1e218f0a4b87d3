"""Own scores as shares of right answers: a logistic curve for each node and maker, fitted on the dev split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib import resources

import orjson
from pydantic import Field

from data.contracts import Contract

_FILE = "calibration.json"
_EDGE = 0.01
_ROUNDS = 60
_MOST = 30.0
_RIDGE = 1.0
"""Keeps a curve finite where every answer was right."""


class Curve(Contract):
    """p(right) = 1 / (1 + exp(-(slope * logit(score) + offset))). n: answers that it was fitted on."""

    slope: float
    offset: float
    n: int = Field(ge=0)

    def at(self, score: float) -> float:
        """The share that is right of what has this score."""
        return _share(self.slope * _logit(score) + self.offset)


class Calibration(Contract):
    """Curves by `node:maker`; a score without one is taken as it is."""

    curves: dict[str, Curve] = Field(default_factory=dict)

    def of(self, node: str, maker: str, score: float) -> float:
        """The calibrated score."""
        curve = self.curves.get(f"{node}:{maker}")
        return score if curve is None else round(curve.at(score), 4)


@cache
def packaged() -> Calibration:
    """The curves that come with the project."""
    return Calibration.model_validate(orjson.loads((resources.files("program.trust.breaker") / _FILE).read_bytes()))


def fitted(scores: Sequence[float], right: Sequence[bool]) -> Curve:
    """Logistic regression of right on the logit of the score, by Newton's method with a small ridge. Source: Platt 1999.

    A score that says less the higher it is says nothing: the curve is then flat at the share that is right.
    """
    xs = [_logit(score) for score in scores]
    slope, offset = 1.0, 0.0
    for _ in range(_ROUNDS):
        ps = [_share(slope * x + offset) for x in xs]
        gap = [p - float(y) for p, y in zip(ps, right, strict=True)]
        weight = [max(p * (1 - p), 1e-9) for p in ps]
        g_slope = sum(g * x for g, x in zip(gap, xs, strict=True)) + _RIDGE * (slope - 1)
        g_offset = sum(gap) + _RIDGE * offset
        h11 = sum(w * x * x for w, x in zip(weight, xs, strict=True)) + _RIDGE
        h12 = sum(w * x for w, x in zip(weight, xs, strict=True))
        h22 = sum(weight) + _RIDGE
        det = h11 * h22 - h12 * h12
        slope -= (h22 * g_slope - h12 * g_offset) / det
        offset -= (h11 * g_offset - h12 * g_slope) / det
    if slope < 0:
        slope, offset = 0.0, _logit(sum(right) / len(right))
    return Curve(slope=round(slope, 4), offset=round(offset, 4), n=len(xs))


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-min(_MOST, max(-_MOST, log_odds))))


def _logit(score: float) -> float:
    kept = min(1 - _EDGE, max(_EDGE, score))
    return math.log(kept / (1 - kept))
