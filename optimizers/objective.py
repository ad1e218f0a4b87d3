"""What a search of numbers maximises: a weighted mean of figures, each computed from one row per example.

The rows come from a callable, settings → table, so that a search knows neither requests nor catalogs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from program.settings import Settings

Table = NDArray[np.float64]
"""One row an example, columns that add up; shape (examples, columns)."""


@dataclass(frozen=True)
class Part:
    """One figure of an objective.

    Attributes:
        words: what it is, for a person. examples: names what it is computed from; parts with the same name have the same
            examples in the same order.
        weight: more than 0, relative to the other parts.
        rows: the examples' table under some settings; always the same examples in the same order.
        statistic: column sums, shape (..., columns) → figure, shape (...), 0..1, higher is better.
    """

    name: str
    words: str
    examples: str
    weight: float
    rows: Callable[[Settings], Table]
    statistic: Callable[[Table], Table]


class Objective:
    """A weighted mean of parts.

    Raises:
        ValueError: there is no part, or a weight is not more than 0.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        if not parts or any(part.weight <= 0 for part in parts):
            raise ValueError("an objective needs parts, each with a weight of more than 0")
        self.parts = tuple(parts)

    @property
    def shares(self) -> dict[str, float]:
        """Part → its weight, all of them adding up to 1."""
        whole = sum(part.weight for part in self.parts)
        return {part.name: part.weight / whole for part in self.parts}

    def tables(self, settings: Settings) -> dict[str, Table]:
        """Each part's table under some settings."""
        return {part.name: part.rows(settings) for part in self.parts}

    def figures(self, settings: Settings) -> dict[str, float]:
        """Each part's figure over all of its examples."""
        tables = self.tables(settings)
        return {part.name: float(part.statistic(tables[part.name].sum(axis=0))) for part in self.parts}

    def score(self, figures: Mapping[str, float]) -> float:
        """The weighted mean of the parts' figures, 0..1, higher is better."""
        return sum(share * figures[name] for name, share in self.shares.items())

    def words(self) -> str:
        """Such as "0.50 × names (…) + 0.50 × field (…)"."""
        shares = self.shares
        return " + ".join(f"{shares[part.name]:.2f} × {part.name} ({part.words})" for part in self.parts)
