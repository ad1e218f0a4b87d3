"""The targets, in one place. Source: issues 2, 5 and 7, for two cores; index figures at a million tracks.

Those of the trace store are for a million artifacts; figures over fewer have other names. 5,000 artifacts written a second
are 10,000 in 2 s, in the slowest of a hundred such blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from experiments.bench.figures import Figure, Unit

TARGET_TRACKS = 1_000_000
_NEARLY = 0.99
"""A catalog of this share of the tracks, or more, is of the target's size: a few rows may have been rejected."""
Catalog = Literal["demo", "synth"]


@dataclass(frozen=True, slots=True)
class Target:
    """An upper limit on one statistic of one figure.

    Attributes:
        on: the catalogs that it holds for; the synthetic one with `TARGET_TRACKS` tracks.
    """

    figure: str
    statistic: Literal["p50", "p99"]
    limit: float
    unit: Unit
    on: tuple[Catalog, ...] = ("demo", "synth")


TARGETS = (
    Target("index open", "p50", 300, "ms"),
    Target("index build", "p50", 120, "s"),
    Target("index build peak memory", "p50", 3, "GB"),
    Target("look_up", "p50", 2, "ms"),
    Target("look_up", "p99", 10, "ms"),
    Target("EXECUTE", "p50", 15, "ms"),
    Target("EXECUTE", "p99", 60, "ms"),
    Target("relaxations", "p50", 20, "ms"),
    Target("shortcut answer", "p50", 40, "ms"),
    Target("store write, one month", "p99", 2_000, "ms", on=("demo",)),
    Target("store write, twelve months", "p99", 2_000, "ms", on=("demo",)),
    Target("store forward, one month", "p99", 5, "ms", on=("demo",)),
    Target("store forward, twelve months", "p99", 5, "ms", on=("demo",)),
    Target("store reverse, one month", "p99", 5, "ms", on=("demo",)),
    Target("store reverse, twelve months", "p99", 5, "ms", on=("demo",)),
    Target("SmolLM2 answer", "p50", 4_000, "ms", on=("demo",)),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target beside one figure. at_scale: False when the synthetic catalog is not the target's size."""

    target: Target
    value: float
    met: bool
    at_scale: bool

    def text(self) -> str:
        """As the table shows it."""
        words = "met" if self.met else "NOT MET"
        return (
            f"{self.target.statistic.upper()} ≤ {self.target.limit:g} {self.target.unit}: {words}{'' if self.at_scale else '*'}"
        )


def verdicts(found: Figure, catalog: Catalog, tracks: int) -> list[Verdict]:
    """Every target of a figure that was measured on `catalog` with `tracks` tracks."""
    at_scale = catalog == "demo" or tracks >= _NEARLY * TARGET_TRACKS
    return [
        Verdict(target, value, value <= target.limit, at_scale)
        for target in TARGETS
        if target.figure == found.name and catalog in target.on
        for value in [found.p50 if target.statistic == "p50" else found.p99]
    ]
