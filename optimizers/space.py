"""The settings that a search for thresholds may turn, their ranges, and what must hold between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from program.settings import GroundingSettings, Settings

Values = Mapping[str, float]
"""Name of a grounding setting → its value."""

_DECIMALS = 6


@dataclass(frozen=True)
class Dial:
    """One grounding setting that is searched.

    Attributes:
        low, high: inclusive. step: what a value is rounded to. whole: the setting is an integer.
    """

    name: str
    low: float
    high: float
    step: float
    whole: bool = False

    def covering(self, value: float) -> Dial:
        """The same dial, widened so that `value` lies in its range."""
        return replace(self, low=min(self.low, value), high=max(self.high, value))

    def rounded(self, value: float) -> float:
        """The nearest multiple of the step that lies in the range."""
        near = round(round(value / self.step) * self.step, _DECIMALS)
        inside = min(max(near, self.low), self.high)
        return int(inside) if self.whole else inside


@dataclass(frozen=True)
class Constraint:
    """What must hold between dials. words: as it is shown to a person."""

    words: str
    holds: Callable[[GroundingSettings], bool]


DIALS: tuple[Dial, ...] = (
    Dial("p_hi", 0.3, 0.95, 0.025),
    Dial("p_lo", 0.0, 0.5, 0.025),
    Dial("ambiguity_margin", 0.0, 0.4, 0.02),
    Dial("shortcut_margin", 0.0, 0.6, 0.025),
    Dial("everyday_zipf", 3.5, 7.0, 0.1),
    Dial("fuzzy_min_chars", 3, 9, 1, whole=True),
    Dial("fuzzy_two_edits_chars", 6, 20, 1, whole=True),
    Dial("fuzzy_max_spans", 0, 6, 1, whole=True),
)
"""Ranges: own choice. `fuzzy_max_spans` ends where looking for spelling errors costs as much as the rest of a look-up: no part
of the objective counts time (0.6 ms of processor time a request with 0, 1.0 with 3, 1.3 with 6; n = 1,200 of music_ner)."""

CONSTRAINTS: tuple[Constraint, ...] = (
    Constraint("p_lo < p_hi", lambda g: g.p_lo < g.p_hi),
    Constraint("fuzzy_min_chars < fuzzy_two_edits_chars", lambda g: g.fuzzy_min_chars < g.fuzzy_two_edits_chars),
)


def values_of(settings: Settings, dials: Sequence[Dial]) -> dict[str, float]:
    """How the dials stand in some settings."""
    return {dial.name: getattr(settings.grounding, dial.name) for dial in dials}


def turned(settings: Settings, values: Values) -> Settings:
    """`settings` with other grounding values.

    Raises:
        pydantic.ValidationError: a value lies outside what the setting allows.
    """
    grounding = GroundingSettings.model_validate({**settings.grounding.model_dump(), **values})
    return settings.model_copy(update={"grounding": grounding})
