"""Popularity as a percentile within its type, whatever scale the catalog used."""

from __future__ import annotations

from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.float64]]


def mid_rank_percentiles(values: Numbers) -> Numbers:
    """Share of values below each value, ties counted half; shape as given, each in (0, 1)."""
    if len(values) == 0:
        return values
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    return np.asarray((below + counts / 2) / len(values))[inverse]


def percentiles(values: Numbers, fallback: Numbers) -> Numbers:
    """Percentiles of `values` (NaN = unknown); unknown ones take their `fallback` value's, halved towards the middle.

    Args:
        fallback: same shape, no NaN, e.g. how many tracks an artist has.
    """
    known = ~np.isnan(values)
    proxy = mid_rank_percentiles(fallback)
    if not known.any():
        return proxy
    out = 0.25 + proxy / 2
    out[known] = mid_rank_percentiles(values[known])
    return out
