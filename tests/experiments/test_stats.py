"""Intervals and tests on data with known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.stats import bootstrap, bootstrap_all, mcnemar_exact, mean, mean_table, paired_bootstrap


def test_interval_of_a_share_is_near_the_normal_one() -> None:
    """For 500 coins, 200 of them heads, the bootstrap agrees with the textbook's ± 1.96 standard errors."""
    found = bootstrap(mean_table([1.0] * 200 + [0.0] * 300), mean, seed=1)
    half = 1.96 * math.sqrt(0.4 * 0.6 / 500)

    assert (found.value, found.n) == (0.4, 500)
    assert found.lo == pytest.approx(0.4 - half, abs=0.006)
    assert found.hi == pytest.approx(0.4 + half, abs=0.006)


def test_the_seed_decides() -> None:
    """The same seed gives the same interval, another seed another."""
    table = mean_table(np.arange(40.0))

    assert bootstrap(table, mean, seed=3) == bootstrap(table, mean, seed=3)
    assert bootstrap(table, mean, seed=3) != bootstrap(table, mean, seed=4)


def test_a_constant_has_no_spread() -> None:
    """Where every request scores the same, the interval is a point."""
    found = bootstrap(mean_table([0.25] * 9), mean, seed=0)

    assert (found.lo, found.hi) == (0.25, 0.25)


def test_micro_average_weighs_requests_by_their_size() -> None:
    """A ratio of sums is not the mean of ratios: 1 of 1 and 1 of 9 make 0.2."""
    assert bootstrap([[1.0, 1.0], [1.0, 9.0]], mean, seed=0).value == 0.2


def test_pairing_removes_what_both_share() -> None:
    """Noise that two systems share cancels: a constant lead has a point for an interval, though each alone is spread."""
    noise = np.random.default_rng(0).normal(size=200)
    ahead = paired_bootstrap(mean_table(noise + 0.1), mean_table(noise), mean, seed=0)
    alone = bootstrap(mean_table(noise), mean, seed=0)

    assert ahead.value == pytest.approx(0.1)
    assert ahead.hi - ahead.lo < 1e-9 < alone.hi - alone.lo


def test_statistics_of_one_call_share_their_draws() -> None:
    """Two figures of one table are resampled together."""
    table = np.column_stack([np.arange(30.0), np.ones(30)])
    both = bootstrap_all(table, {"mean": mean, "double": lambda sums: 2 * mean(sums)}, seed=5)

    assert both["double"].lo == pytest.approx(2 * both["mean"].lo)
    assert both["mean"] == bootstrap(table, mean, seed=5)


def test_draws_without_the_thing_are_left_out() -> None:
    """A rate that only some requests know has an interval; one that none knows has none."""
    some = bootstrap([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]], mean, seed=0)
    none = bootstrap([[0.0, 0.0], [0.0, 0.0]], mean, seed=0)

    assert (some.value, some.lo, some.hi) == (1.0, 1.0, 1.0)
    assert math.isnan(none.lo)
    assert math.isnan(none.hi)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"), [(0, 0, 1.0), (1, 0, 1.0), (5, 5, 1.0), (10, 2, 158 / 4096), (0, 6, 2 / 64)]
)
def test_mcnemar(only_first: int, only_second: int, p: float) -> None:
    """Twice the binomial tail of the smaller side; answers that agree do not count."""
    agree = [True, True, False]
    first = agree + [True] * only_first + [False] * only_second
    second = agree + [False] * only_first + [True] * only_second

    assert mcnemar_exact(first, second) == pytest.approx(p)


def test_what_does_not_fit_is_refused() -> None:
    """No rows, and pairs of unequal length."""
    with pytest.raises(ValueError, match="at least one row"):
        bootstrap(np.zeros((0, 2)), mean, seed=0)
    with pytest.raises(ValueError, match="same requests"):
        paired_bootstrap(mean_table([1.0]), mean_table([1.0, 2.0]), mean, seed=0)
    with pytest.raises(ValueError, match="same requests"):
        mcnemar_exact([True], [True, False])
