"""The most that one run may spend, of an experiment or of a search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """None: no limit. Answers that were written down before cost nothing.

    Attributes:
        seconds: wall time.
    """

    calls: int | None = None
    seconds: float | None = None
    usd: float | None = None
