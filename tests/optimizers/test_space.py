"""The dials of the search: each is a real setting, inside its own bounds, and the constraints can be kept."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from optimizers.space import CONSTRAINTS, DIALS, Dial, turned, values_of
from program.settings import GroundingSettings, Settings


@pytest.mark.parametrize("dial", DIALS, ids=lambda dial: dial.name)
def test_dials_are_settings(dial: Dial) -> None:
    """Both ends of the range are allowed, the default lies between them, and integers are turned as integers."""
    default = getattr(GroundingSettings(), dial.name)

    for end in (dial.low, dial.high):
        assert getattr(turned(Settings(), {dial.name: end}).grounding, dial.name) == end
    assert dial.low <= default <= dial.high
    assert dial.whole == isinstance(default, int)
    assert dial.rounded(default) == default


def test_the_defaults_keep_the_constraints() -> None:
    """The search starts from settings that are allowed, and each constraint can be broken within the dials' ranges."""
    lows = turned(Settings(), {dial.name: dial.low for dial in DIALS}).grounding
    crossed = lows.model_copy(update={"p_lo": 0.5, "fuzzy_min_chars": 9})

    assert all(constraint.holds(GroundingSettings()) for constraint in CONSTRAINTS)
    assert not any(constraint.holds(crossed) for constraint in CONSTRAINTS)


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.312, 0.3), (0.338, 0.35), (0.0, 0.3), (2.0, 0.95), (0.8249, 0.825), (0.1 + 0.2, 0.3)]
)
def test_rounding(value: float, rounded: float) -> None:
    """A value becomes the nearest step inside the range, without the dust of binary fractions."""
    assert Dial("p_hi", 0.3, 0.95, 0.025).rounded(value) == rounded


def test_whole_dials_give_integers() -> None:
    """An integer setting is never given a fraction."""
    value = Dial("fuzzy_max_spans", 0, 6, 1, whole=True).rounded(2.6)

    assert (value, type(value)) == (3, int)


def test_a_dial_widens_to_what_it_starts_from() -> None:
    """Settings outside the usual range can be started from; the steps stay where they are."""
    wide = Dial("p_hi", 0.3, 0.95, 0.025).covering(0.1)

    assert (wide.low, wide.high, wide.step) == (0.1, 0.95, 0.025)


def test_turning_changes_only_what_is_named() -> None:
    """Other groups and other grounding settings stay as they are; a value that is not allowed is refused."""
    base = Settings().model_copy(update={"head_shortcut": False})
    new = turned(base, {"p_hi": 0.7})

    assert new.grounding == base.grounding.model_copy(update={"p_hi": 0.7})
    assert new.model_copy(update={"grounding": base.grounding}) == base
    assert values_of(new, DIALS)["p_hi"] == 0.7
    with pytest.raises(ValidationError):
        turned(base, {"p_hi": 1.5})
