"""What a measurement is reduced to: a named figure with its number of runs, minimum, median and 99th percentile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["ms", "s", "GB", "tokens"]
_DECIMALS = {"ms": 2, "s": 2, "GB": 2, "tokens": 0}


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured quantity; lower is better.

    Attributes:
        name: unique within a part; targets refer to it.
        p99: the smallest value that at least 99 % of the runs do not exceed, so with fewer than 100 runs the largest one.
        sd: standard deviation of the runs.
    """

    name: str
    unit: Unit
    n: int
    minimum: float
    p50: float
    p99: float
    maximum: float
    sd: float

    def text(self, value: float) -> str:
        """`value` as the table shows it."""
        return f"{value:,.{_DECIMALS[self.unit]}f}"


def figure(name: str, unit: Unit, values: Sequence[float]) -> Figure:
    """Reduce the runs of one quantity.

    Raises:
        ValueError: there is no run.
    """
    if not values:
        raise ValueError(f"{name}: nothing was measured")
    ordered = sorted(values)
    mean = sum(ordered) / len(ordered)
    sd = math.sqrt(sum((value - mean) ** 2 for value in ordered) / len(ordered))
    p50 = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    numbers = (ordered[0], p50, nearest_rank(ordered, 0.99), ordered[-1], sd)
    return Figure(name, unit, len(ordered), *(round(number, 4) for number in numbers))


def nearest_rank(ordered: Sequence[float], share: float) -> float:
    """The smallest of the ascending values that at least `share` (0..1) of them do not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
