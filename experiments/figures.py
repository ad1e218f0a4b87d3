"""A figure as results carry it: value, 95 % interval over requests, spread over runs, and what it rests on.

The input is a block of shape (runs, requests, columns): what each request adds to each column in each run. Runs of one
request are summed before requests are resampled, so the interval speaks of other requests, and `sd` of other runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict

from experiments.stats import Estimate, Numbers, Statistic, bootstrap, mcnemar_exact, mean, paired_bootstrap, quantile_bootstrap

_DECIMALS = 6


class Figure(BaseModel):
    """A measured quantity.

    Attributes:
        value, lo, hi: None where nothing was there to be measured.
        n: requests that it rests on. sd: over the runs, None for one run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None
    lo: float | None
    hi: float | None
    n: int
    runs: int
    sd: float | None = None

    def metric(self) -> dict[str, float | int | None]:
        """Without the spread, as `melo evaluate` prints it."""
        return self.model_dump(exclude={"sd"})


class Difference(Figure):
    """First minus second on the same requests.

    Attributes:
        only_first, only_second: requests that only one of the two has; p: of McNemar's exact test over them. Both are None
            where the quantity is no yes or no.
    """

    only_first: int | None = None
    only_second: int | None = None
    p: float | None = None


@dataclass(frozen=True)
class Drawn:
    """How figures are drawn: the bootstrap's seed and number of resamplings."""

    seed: int = 0
    draws: int = 10_000

    def figure(self, block: ArrayLike, statistic: Statistic = mean) -> Figure:
        """One figure of a block, shape (runs, requests, columns)."""
        values = _block(block)
        runs, n = len(values), _resting_on(values)
        if not n:
            return Figure(value=None, lo=None, hi=None, n=0, runs=runs)
        found = bootstrap(values.sum(axis=0), statistic, seed=self.seed, draws=self.draws)
        return Figure(**_rounded(found), n=n, runs=runs, sd=_spread(values, statistic))

    def difference(self, first: ArrayLike, second: ArrayLike, statistic: Statistic = mean) -> Difference:
        """The paired difference of two blocks over the same requests."""
        one, other = _block(first), _block(second)
        runs, n = min(len(one), len(other)), min(_resting_on(one), _resting_on(other))
        if not n:
            return Difference(value=None, lo=None, hi=None, n=0, runs=runs)
        found = paired_bootstrap(one.sum(axis=0), other.sum(axis=0), statistic, seed=self.seed, draws=self.draws)
        sd = _spread(np.concatenate([one[:runs], other[:runs]], axis=-1), _minus(statistic, one.shape[-1]))
        return Difference(**_rounded(found), n=n, runs=runs, sd=sd)

    def tested(self, first: ArrayLike, second: ArrayLike) -> Difference:
        """The paired difference of two yes-or-no blocks of shape (runs, requests), with McNemar's test.

        A request counts for the test as most of its runs do.
        """
        one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
        found = self.difference(shares(one), shares(other))
        if not found.n:
            return found
        yes, also = one.mean(axis=0) > 0.5, other.mean(axis=0) > 0.5
        pairs = {"only_first": int((yes & ~also).sum()), "only_second": int((also & ~yes).sum())}
        return found.model_copy(update={**pairs, "p": round(mcnemar_exact(yes, also), _DECIMALS)})

    def quantile(self, values: Sequence[Sequence[float]], level: float) -> Figure:
        """A quantile of single measurements, one sequence a run; requests are drawn run by run.

        Args:
            level: 0.5 is the median.
        """
        single = np.concatenate([np.asarray(run, dtype=np.float64) for run in values]) if values else np.zeros(0)
        if not len(single):
            return Figure(value=None, lo=None, hi=None, n=0, runs=len(values))
        found = quantile_bootstrap(single, level, seed=self.seed, draws=self.draws)
        per_run = [float(np.quantile(run, level)) for run in values if len(run)]
        sd = float(np.std(per_run, ddof=1)) if len(per_run) > 1 else None
        rounded = None if sd is None else round(sd, _DECIMALS)
        return Figure(**_rounded(found), n=len(single), runs=len(values), sd=rounded)


def shares(values: ArrayLike, weights: ArrayLike | None = None) -> Numbers:
    """Values of shape (runs, requests) as a block for `mean`; a request of weight 0 does not count."""
    column = np.asarray(values, dtype=np.float64)
    weight = np.ones_like(column) if weights is None else np.asarray(weights, dtype=np.float64)
    return np.stack([column * weight, weight], axis=-1)


def known_shares(values: Sequence[Sequence[float | None]]) -> Numbers:
    """As `shares`, where None says that a request has nothing to measure."""
    known = [[0.0 if value is None else float(value) for value in run] for run in values]
    return shares(known, [[0.0 if value is None else 1.0 for value in run] for run in values])


def _block(block: ArrayLike) -> Numbers:
    values = np.asarray(block, dtype=np.float64)
    if values.ndim != 3:
        raise ValueError(f"a block of (runs, requests, columns) is needed, not one of shape {values.shape}")
    return values


def _resting_on(block: Numbers) -> int:
    """Requests that add anything to a column."""
    return int((block != 0).any(axis=(0, 2)).sum())


def _spread(block: Numbers, statistic: Statistic) -> float | None:
    if len(block) < 2:
        return None
    per_run = np.asarray([float(statistic(run.sum(axis=0))) for run in block])
    known = per_run[~np.isnan(per_run)]
    return round(float(np.std(known, ddof=1)), _DECIMALS) if len(known) > 1 else None


def _minus(statistic: Statistic, columns: int) -> Callable[[Numbers], Numbers]:
    return lambda sums: np.asarray(statistic(sums[..., :columns]) - statistic(sums[..., columns:]))


def _rounded(found: Estimate) -> dict[str, Any]:
    numbers = {"value": found.value, "lo": found.lo, "hi": found.hi}
    return {name: None if math.isnan(number) else round(number, _DECIMALS) for name, number in numbers.items()}
