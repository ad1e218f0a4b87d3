"""Names that are nearly the same: small slips, more of them allowed in a longer name."""

from __future__ import annotations

from rapidfuzz.distance import DamerauLevenshtein

_ONE_SLIP, _TWO_SLIPS = 5, 8
"""Least characters of a name in which one slip, or two, are forgiven (as in word correction)."""


def is_near(said: str, held: str) -> bool:
    """Whether two keys differ by at most one edit (from five characters) or two (from eight); a swap is one edit."""
    shorter = min(len(said), len(held))
    allowed = 2 if shorter >= _TWO_SLIPS else 1 if shorter >= _ONE_SLIP else 0
    return allowed > 0 and DamerauLevenshtein.distance(said, held, score_cutoff=allowed) <= allowed
