"""Own scores as shares of right answers."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.settings import LMSettings
from program.trust.breaker.calibration import Calibration, Curve, fitted, packaged


def _drawn(slope: float, offset: float, many: int) -> tuple[list[float], list[bool]]:
    rng = random.Random(3)
    scores = [rng.uniform(0.02, 0.98) for _ in range(many)]
    true = Curve(slope=slope, offset=offset, n=0)
    return scores, [rng.random() < true.at(score) for score in scores]


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (0.4, 0.7), (2.0, -1.0)])
def test_a_known_curve_is_found(slope: float, offset: float) -> None:
    """From four thousand answers drawn by it."""
    scores, right = _drawn(slope, offset, 4000)
    curve = fitted(scores, right)

    assert curve.slope == pytest.approx(slope, abs=0.2)
    assert curve.offset == pytest.approx(offset, abs=0.2)
    assert curve.n == 4000


@pytest.mark.parametrize("right", [True, False])
def test_all_alike_stays_finite(right: bool) -> None:
    """Where every answer was right, or none, the curve is still one."""
    curve = fitted([0.5, 0.7, 0.9, 0.99] * 10, [right] * 40)

    assert math.isfinite(curve.slope)
    assert (curve.at(0.9) > 0.9) is right


@given(st.floats(0.01, 5), st.floats(-3, 3), st.floats(0, 1), st.floats(0, 1))
def test_monotone(slope: float, offset: float, one: float, other: float) -> None:
    """A higher score is never worth less; every value is a share, at the ends too."""
    curve = Curve(slope=slope, offset=offset, n=1)
    low, high = sorted((one, other))

    assert 0 <= curve.at(low) <= curve.at(high) <= 1


def test_without_a_curve_a_score_stays() -> None:
    """Only the maker that was measured is corrected."""
    calibration = Calibration(curves={"understand:code": Curve(slope=0.0, offset=0.0, n=30)})

    assert calibration.of("understand", "code", 0.9) == 0.5
    assert calibration.of("understand", "embedded/x", 0.9) == 0.9
    assert calibration.of("plan", "code", 0.9) == 0.9


def test_the_packaged_file() -> None:
    """It parses, rises, and names nodes and makers that exist."""
    curves = packaged().curves

    assert curves
    for name, curve in curves.items():
        node, maker = name.split(":")
        assert hasattr(LMSettings(), node)
        assert maker == "code" or "/" in maker
        assert curve.slope >= 0
        assert curve.n >= 15
