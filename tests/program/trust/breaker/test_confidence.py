"""How own score, validator and consumer become one confidence. Source: A-03 … A-06."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.trust import Signal
from program.settings import BreakerSettings
from program.trust.breaker.confidence import MISSING_OWN, Assessment, confidence, lowest, own_alone

SHARES = st.floats(0, 1)


def _found(own: float | None, *signals: float, received: tuple[float, ...] = ()) -> Assessment:
    return Assessment(
        own,
        tuple(Signal(name=f"s{at}", score=score) for at, score in enumerate(signals)),
        tuple(Signal(name=f"r{at}", score=score) for at, score in enumerate(received)),
    )


CASES = {
    "0.4 and 0.6": (_found(1.0, 0.5), 1.0, 0.5, 0.7),
    "the validator weighs more": (_found(0.0, 1.0), 0.0, 1.0, 0.6),
    "no own score counts as half": (_found(None, 1.0), 0.5, 1.0, 0.8),
    "no signals are no complaint": (_found(0.5), 0.5, 1.0, 0.8),
    "the lowest signal counts": (_found(1.0, 1.0, 0.2, 0.9), 1.0, 0.2, 0.52),
    "the consumer multiplies": (_found(1.0, 1.0, received=(0.5,)), 1.0, 1.0, 0.5),
    "a consumer that can do nothing with it": (_found(1.0, 1.0, received=(1.0, 0.0)), 1.0, 1.0, 0.0),
}


@pytest.mark.parametrize(("found", "own", "validator", "final"), CASES.values(), ids=CASES.keys())
def test_confidence(found: Assessment, own: float, validator: float, final: float) -> None:
    """By the weights of the source."""
    told = confidence(found, BreakerSettings())

    assert (told.own, told.validator) == (own, validator)
    assert told.final == pytest.approx(final)


def test_a_low_match_trips_although_the_producer_is_sure() -> None:
    """A-06: no own score, however high, carries an output that does not match its task over any kind's threshold."""
    settings = BreakerSettings()
    final = confidence(_found(1.0, 0.2), settings).final

    assert final < min(settings.factual, settings.analytical, settings.creative)


def test_each_switch_switches() -> None:
    """Without a validator the own score stands alone; without a consumer nothing is multiplied."""
    found = _found(0.9, 0.1, received=(0.5,))

    assert confidence(found, BreakerSettings(validator=False)).final == pytest.approx(0.45)
    assert confidence(found, BreakerSettings(validator=False)).validator is None
    assert confidence(found, BreakerSettings(consumer=False)).final == pytest.approx(0.42)
    assert confidence(found, BreakerSettings(own_weight=1.0, consumer=False)).final == pytest.approx(0.9)


def test_own_alone() -> None:
    """Degraded, only the producer is heard."""
    assert own_alone(_found(0.9, 0.0, received=(0.0,))).final == 0.9
    assert own_alone(_found(None)).final == MISSING_OWN
    assert own_alone(_found(0.9, 0.0)).validator is None


@given(SHARES, st.lists(SHARES, max_size=4), st.lists(SHARES, max_size=3))
def test_bounds(own: float, signals: list[float], received: list[float]) -> None:
    """Confidence is 0..1 and never above what the weights allow; worse signals never raise it."""
    settings = BreakerSettings()
    found = _found(own, *signals, received=tuple(received))
    final = confidence(found, settings).final

    assert 0 <= final <= 1
    assert final <= 0.4 * own + 0.6 * lowest(found.signals) + 1e-4
    assert confidence(_found(own, *signals, 0.0, received=tuple(received)), settings).final <= final


def test_worst_first() -> None:
    """Signals of both sides, the lowest first."""
    found = _found(1.0, 0.9, 0.3, received=(0.1, 1.0))

    assert [signal.score for signal in found.worst()] == [0.1, 0.3, 0.9, 1.0]
