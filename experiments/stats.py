"""Statistics of results: percentile bootstrap over requests, paired differences, McNemar's exact test.

A table has one row a request and columns that add up (hits and asked, counts of spans). A statistic is computed from the
columns' sums, so one resampling serves every figure, micro averages included. Pure functions; the seed decides the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Statistic = Callable[[Numbers], Numbers]
"""Column sums, shape (..., columns) → values, shape (...)."""

DRAWS = 10_000
LEVEL = 0.95
_BLOCK = 500


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval. n: requests that it rests on."""

    value: float
    lo: float
    hi: float
    n: int


def mean(sums: Numbers) -> Numbers:
    """The statistic of a table of two columns, (amount, weight): their ratio; NaN where the weight is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def mean_table(values: ArrayLike) -> Numbers:
    """One value a request as a table for `mean`, shape (requests, 2)."""
    column = np.asarray(values, dtype=np.float64)
    return np.stack([column, np.ones_like(column)], axis=1)


def bootstrap_all(
    table: ArrayLike, statistics: Mapping[str, Statistic], *, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> dict[str, Estimate]:
    """Each statistic over all rows and its percentile interval over resampled requests; all see the same draws.

    Raises:
        ValueError: the table has no row.
    """
    rows = np.asarray(table, dtype=np.float64)
    if rows.ndim != 2 or not len(rows):
        raise ValueError(f"a table of at least one row is needed, not one of shape {rows.shape}")
    drawn = np.concatenate([weights @ rows for weights in _weights(len(rows), seed, draws)])
    whole = rows.sum(axis=0)
    return {name: _estimate(float(of(whole)), np.asarray(of(drawn)), level, len(rows)) for name, of in statistics.items()}


def bootstrap(table: ArrayLike, statistic: Statistic, *, seed: int, draws: int = DRAWS, level: float = LEVEL) -> Estimate:
    """One statistic, as `bootstrap_all`."""
    return bootstrap_all(table, {"": statistic}, seed=seed, draws=draws, level=level)[""]


def paired_bootstrap(
    first: ArrayLike, second: ArrayLike, statistic: Statistic, *, seed: int, draws: int = DRAWS, level: float = LEVEL
) -> Estimate:
    """The difference first - second of two systems on the same requests, resampled together.

    Raises:
        ValueError: the tables have no row or not the same shape.
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape:
        raise ValueError(f"paired tables need the same requests: {one.shape} and {other.shape}")
    columns = one.shape[-1]
    return bootstrap(
        np.concatenate([one, other], axis=-1),
        lambda sums: statistic(sums[..., :columns]) - statistic(sums[..., columns:]),
        seed=seed, draws=draws, level=level,
    )  # fmt: skip


def quantile_bootstrap(values: ArrayLike, level: float, *, seed: int, draws: int = DRAWS, interval: float = LEVEL) -> Estimate:
    """A quantile of single values and its percentile interval over resampled values.

    Args:
        level: which quantile, 0..1; interpolated linearly.

    Raises:
        ValueError: there is no value.
    """
    single = np.asarray(values, dtype=np.float64)
    if single.ndim != 1 or not len(single):
        raise ValueError(f"a row of at least one value is needed, not one of shape {single.shape}")
    rng, n, drawn = np.random.default_rng(seed), len(single), []
    for first in range(0, draws, _BLOCK):
        picked = rng.integers(n, size=(min(_BLOCK, draws - first), n))
        drawn.append(np.quantile(single[picked], level, axis=1))
    return _estimate(float(np.quantile(single, level)), np.concatenate(drawn), interval, n)


def mcnemar_exact(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided exact p of McNemar's test for two systems that are right or wrong on the same requests.

    Args:
        first, second: booleans, one a request.

    Raises:
        ValueError: not the same number of requests.
    """
    one, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if one.shape != other.shape:
        raise ValueError(f"paired answers need the same requests: {one.shape} and {other.shape}")
    only_first, only_second = int((one & ~other).sum()), int((other & ~one).sum())
    differing, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(differing, k) for k in range(fewer + 1))
    return min(1.0, float(Fraction(2 * tail, 2**differing)))


def _weights(n: int, seed: int, draws: int) -> Iterator[Numbers]:
    """How often each row is drawn, in blocks of shape (block, n)."""
    rng = np.random.default_rng(seed)
    for first in range(0, draws, _BLOCK):
        size = min(_BLOCK, draws - first)
        picked = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        yield np.bincount(picked.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def _estimate(value: float, drawn: Numbers, level: float, n: int) -> Estimate:
    """NaN draws (nothing of the kind was drawn) are left out; without any other the interval is NaN."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Estimate(value, math.nan, math.nan, n)
    outside = (1 - level) / 2
    lo, hi = np.quantile(known, [outside, 1 - outside])
    return Estimate(value, float(lo), float(hi), n)
