"""How sure one may be of an artifact: its producer's own score, an independent validator's, and its consumer's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.contracts import Confidence
from data.trust import Signal
from program.settings import BreakerSettings

MISSING_OWN = 0.5
"""Source: A-03."""


@dataclass(frozen=True)
class Assessment:
    """What was found about one artifact.

    Attributes:
        own: the producer's score, 0..1; None where it has none.
        signals: what the validator measured. received: what the consumer's own look at it says.
    """

    own: float | None
    signals: tuple[Signal, ...] = ()
    received: tuple[Signal, ...] = ()

    def worst(self) -> tuple[Signal, ...]:
        """All signals, the lowest first."""
        return tuple(sorted((*self.received, *self.signals), key=lambda signal: signal.score))


def confidence(found: Assessment, settings: BreakerSettings) -> Confidence:
    """0.4 own + 0.6 validator, times what the consumer makes of it.

    A validator is as sure as its lowest signal: a mean would hide one broken part among many whole ones. Source: A-03, A-05.
    """
    own = MISSING_OWN if found.own is None else found.own
    validator = lowest(found.signals) if settings.validator else None
    factor = lowest(found.received) if settings.consumer else 1.0
    base = own if validator is None else settings.own_weight * own + (1 - settings.own_weight) * validator
    return Confidence(
        own=round(own, 4), validator=None if validator is None else round(validator, 4), final=round(base * factor, 4)
    )


def own_alone(found: Assessment) -> Confidence:
    """Without a validator (degrade mode, A-30): only what the producer says of itself."""
    own = MISSING_OWN if found.own is None else found.own
    return Confidence(own=round(own, 4), final=round(own, 4))


def lowest(signals: Sequence[Signal]) -> float:
    """The lowest score; 1 without signals."""
    return min((signal.score for signal in signals), default=1.0)
