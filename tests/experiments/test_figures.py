"""Figures of blocks with known answers: value, n, spread over runs, paired tests, quantiles."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.figures import Drawn, known_shares, shares

DRAWN = Drawn(seed=0, draws=400)


def test_a_share_over_runs() -> None:
    """The value is the mean over requests and runs, sd that of the runs' own shares, n the requests."""
    found = DRAWN.figure(shares([[1, 1, 0, 0], [1, 0, 0, 0]]))

    assert (found.value, found.n, found.runs) == (0.375, 4, 2)
    assert found.sd == pytest.approx(np.std([0.5, 0.25], ddof=1), abs=1e-6)
    assert found.lo is not None
    assert found.hi is not None
    assert found.lo < 0.375 < found.hi


def test_one_run_has_no_spread() -> None:
    """Without a second run nothing is known of the spread, which is not the same as none."""
    assert DRAWN.figure(shares([[1, 0]])).sd is None


def test_requests_that_a_figure_does_not_speak_of() -> None:
    """None leaves a request out of value and n; where all are left out there is no figure."""
    assert DRAWN.figure(known_shares([[True, None, False, None]])).metric() == {
        "value": 0.5, "lo": 0.0, "hi": 1.0, "n": 2, "runs": 1,
    }  # fmt: skip
    assert DRAWN.figure(known_shares([[None, None]])).metric() == {"value": None, "lo": None, "hi": None, "n": 0, "runs": 1}


def test_a_zero_is_something_to_rest_on() -> None:
    """A request with value 0 counts."""
    assert DRAWN.figure(shares([[0, 0, 0]])).n == 3


def test_tested_pairs() -> None:
    """Discordant pairs are counted by side; eight to none is McNemar's exact p of 1/128."""
    found = DRAWN.tested([[1] * 8 + [1, 0]], [[0] * 8 + [1, 0]])

    assert (found.value, found.only_first, found.only_second) == (0.8, 8, 0)
    assert found.p == pytest.approx(1 / 128, abs=1e-6)


def test_a_request_counts_as_most_of_its_runs_do() -> None:
    """Right in two of three runs is right; in one of three it is not."""
    found = DRAWN.tested([[1, 1], [1, 0], [0, 0]], [[0, 0], [0, 0], [0, 0]])

    assert (found.only_first, found.only_second) == (1, 0)


def test_quantile() -> None:
    """The median of single measurements and its interval; sd over the runs' own medians."""
    found = DRAWN.quantile([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]], 0.5)

    assert (found.value, found.n, found.runs) == (3.0, 6, 2)
    assert found.sd == pytest.approx(np.std([2.0, 4.0], ddof=1), abs=1e-6)
    assert DRAWN.quantile([[]], 0.5).value is None


def test_a_block_has_three_axes() -> None:
    """Runs, requests, columns: anything else is a mistake of the caller."""
    with pytest.raises(ValueError, match="runs, requests, columns"):
        DRAWN.figure([[1.0, 1.0]])
