"""Confidence, thresholds, calibration: arithmetic with known answers."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.trust import NodeRecord, Signal
from program.lm.calls import probability_of
from program.settings import BreakerSettings
from program.trust.breaker.calibration import Calibration, Curve, fitted, packaged
from program.trust.breaker.confidence import Assessment, confidence, own_alone
from program.trust.breaker.tasks import TASKS
from program.trust.breaker.thresholds import is_cold, judged, moved, starting

SETTINGS = BreakerSettings()


def _signal(score: float, name: str = "x") -> Signal:
    return Signal(name=name, score=score)


@pytest.mark.parametrize(
    ("found", "final"),
    [
        (Assessment(1.0, (_signal(1.0),)), 1.0),
        (Assessment(0.9, (_signal(1.0), _signal(0.2))), 0.4 * 0.9 + 0.6 * 0.2),
        (Assessment(None, (_signal(1.0),)), 0.4 * 0.5 + 0.6),
        (Assessment(0.8), 0.4 * 0.8 + 0.6),
        (Assessment(1.0, (_signal(1.0),), (_signal(0.5),)), 0.5),
        (Assessment(1.0, (_signal(0.5),), (_signal(0.0),)), 0.0),
    ],
)
def test_confidence(found: Assessment, final: float) -> None:
    """0.4 own + 0.6 of the validator's lowest signal, times the consumer's; a missing own score is 0.5."""
    assert confidence(found, SETTINGS).final == pytest.approx(final)


def test_switches() -> None:
    """Without the validator own counts alone, without the consumer its look does not."""
    found = Assessment(0.9, (_signal(0.1),), (_signal(0.5),))
    assert confidence(found, BreakerSettings(validator=False)).final == pytest.approx(0.45)
    assert confidence(found, BreakerSettings(consumer=False)).final == pytest.approx(0.42)
    assert (own_alone(found).final, own_alone(found).validator) == (0.9, None)


def test_a_low_task_match_trips_whatever_the_producer_says() -> None:
    """Source: A-06."""
    sure = confidence(Assessment(1.0, (_signal(0.2),)), SETTINGS).final
    assert all(sure < starting(node, SETTINGS) for node in TASKS)


def test_thresholds_by_kind_of_task() -> None:
    """Source: A-07."""
    assert {node: starting(node, SETTINGS) for node in TASKS} == {
        "understand": 0.75, "plan": 0.75, "execute": 0.8, "reflect": 0.8, "synthesize": 0.6,
    }  # fmt: skip


def test_outcomes_move_a_threshold() -> None:
    """0.05 down where a retry mended, up where not; people's verdicts the other way round."""
    assert moved(0.75, "plan", mended=True, settings=SETTINGS) == 0.7
    assert moved(0.75, "plan", mended=False, settings=SETTINGS) == 0.8
    assert judged(0.75, "plan", right=True, settings=SETTINGS) == 0.8
    assert judged(0.75, "plan", right=False, settings=SETTINGS) == 0.7


@given(st.lists(st.booleans(), max_size=60), st.sampled_from(sorted(TASKS)), st.floats(0, 0.5))
def test_a_threshold_stays_within_its_bounds(outcomes: list[bool], node: str, reach: float) -> None:
    """Whatever happens, and never further than it may reach from where it began."""
    settings = BreakerSettings(reach=reach)
    threshold = starting(node, settings)
    for mended in outcomes:
        threshold = moved(threshold, node, mended=mended, settings=settings)
        assert settings.floor <= threshold <= settings.ceiling
        assert abs(threshold - starting(node, settings)) <= reach + 1e-4


def test_cold_start() -> None:
    """A hundred artifacts are seen before any is stopped."""
    assert is_cold(None, SETTINGS)
    assert is_cold(NodeRecord(node="plan", node_version="1", seen=99), SETTINGS)
    assert not is_cold(NodeRecord(node="plan", node_version="1", seen=100), SETTINGS)
    assert not is_cold(None, BreakerSettings(cold_start=0))


def test_a_curve_is_found_again() -> None:
    """Answers drawn from a curve give it back, and it rises."""
    rng = random.Random(1)
    true = Curve(slope=1.5, offset=-0.5, n=0)
    scores = [rng.uniform(0.05, 0.95) for _ in range(4_000)]
    curve = fitted(scores, [rng.random() < true.at(score) for score in scores])
    assert curve.slope == pytest.approx(1.5, abs=0.15)
    assert curve.offset == pytest.approx(-0.5, abs=0.15)
    shares = [curve.at(score / 100) for score in range(101)]
    assert shares == sorted(shares)


@pytest.mark.parametrize("right", [True, False])
def test_a_curve_stays_finite(right: bool) -> None:
    """Where all were right, or none."""
    curve = fitted([0.1, 0.5, 1.0, 0.0], [right] * 4)
    assert all(math.isfinite(curve.at(score)) for score in (0.0, 0.5, 1.0))
    assert (curve.at(0.5) > 0.5) == right


def test_a_score_that_says_less_the_higher_it_is() -> None:
    """The curve is flat at the share that is right."""
    curve = fitted([0.1, 0.2, 0.8, 0.9], [True, True, True, False])
    assert curve.slope == 0.0
    assert curve.at(0.1) == pytest.approx(0.75, abs=0.01)


def test_only_known_makers_are_calibrated() -> None:
    """Others are taken as they are; the packaged curves can be read and never fall."""
    calibration = Calibration(curves={"plan:code": Curve(slope=0.0, offset=0.0, n=9)})
    assert (calibration.of("plan", "code", 0.9), calibration.of("plan", "other", 0.9)) == (0.5, 0.9)
    assert all(curve.slope >= 0 for curve in packaged().curves.values())


def test_probability_of_a_reply() -> None:
    """The geometric mean over what the model chose, not over what holds the JSON together."""
    tokens = [SimpleNamespace(token=token, logprob=logprob) for token, logprob in (
        ('{"', -9.0), ("title", math.log(0.9)), ('":"', -9.0), ("Night", math.log(0.4)), ("曲", math.log(0.1)), ('"}', -9.0),
    )]  # fmt: skip
    assert probability_of(tokens) == pytest.approx((0.9 * 0.4 * 0.1) ** (1 / 3), abs=1e-4)
    assert probability_of(tokens[::2][:1]) is None
    assert probability_of(None) is None
    assert probability_of([SimpleNamespace(token="a", logprob=float("-inf"))]) == pytest.approx(0.0, abs=1e-6)
