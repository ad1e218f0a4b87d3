from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.index.ranks import mid_rank_percentiles, percentiles

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        ([], []),
        ([7], [0.5]),
        ([1, 2], [0.25, 0.75]),
        ([3, 1, 2, 2], [0.875, 0.125, 0.5, 0.5]),
        ([5, 5, 5], [0.5, 0.5, 0.5]),
        ([1e9, 0], [0.75, 0.25]),
    ],
)
def test_mid_ranks(values: list[float], ranks: list[float]) -> None:
    """The share of values below each, ties counted half, in the order given."""
    assert mid_rank_percentiles(np.array(values, dtype=np.float64)).tolist() == ranks


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=12))
def test_mid_ranks_keep_the_order(values: list[float]) -> None:
    """Ranks lie inside (0, 1), average to a half, and order as the values do."""
    ranks = mid_rank_percentiles(np.array(values))

    assert 0 < ranks.min() <= ranks.max() < 1
    assert ranks.mean() == pytest.approx(0.5)
    assert [ranks[i] < ranks[j] for i in range(len(values)) for j in range(len(values))] == [
        a < b for a in values for b in values
    ]


def test_unknown_values_stay_near_the_middle() -> None:
    """An unknown value takes its fallback's rank, halved towards the middle; known ones are ranked among themselves."""
    ranks = percentiles(np.array([10.0, NAN, 30.0, NAN]), np.array([1.0, 1.0, 1.0, 9.0]))

    assert ranks.tolist() == [0.25, 0.25 + 0.375 / 2, 0.75, 0.25 + 0.875 / 2]


def test_nothing_known() -> None:
    """Without any known value the fallback alone ranks."""
    assert percentiles(np.array([NAN, NAN]), np.array([1.0, 2.0])).tolist() == [0.25, 0.75]
