"""Spans of time as the listener's clock counts them."""

from __future__ import annotations

from datetime import datetime

import pytest

from data.vocab.periods import I_PLAYED, MOST_PLAYED, period_patterns
from program.users.periods import window
from tests.listeners import NOON


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        ("today", "2026-03-18 00:00", "2026-03-19 00:00"),
        ("yesterday", "2026-03-17 00:00", "2026-03-18 00:00"),
        ("last-night", "2026-03-17 18:00", "2026-03-18 06:00"),
        ("this-week", "2026-03-16 00:00", "2026-03-19 00:00"),
        ("last-week", "2026-03-09 00:00", "2026-03-16 00:00"),
        ("this-month", "2026-03-01 00:00", "2026-03-19 00:00"),
        ("last-month", "2026-02-01 00:00", "2026-03-01 00:00"),
        ("this-year", "2026-01-01 00:00", "2026-03-19 00:00"),
        ("last-year", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("2019", "2019-01-01 00:00", "2020-01-01 00:00"),
        ("monday", "2026-03-16 00:00", "2026-03-17 00:00"),
        ("wednesday", "2026-03-11 00:00", "2026-03-12 00:00"),
        ("sunday", "2026-03-15 00:00", "2026-03-16 00:00"),
    ],
)
def test_windows(period: str, first: str, last: str) -> None:
    """On a Wednesday noon in March; a day of the week is the last one that is over."""
    found = window(period, NOON)
    assert found is not None

    assert [datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M") for at in found] == [first, last]


def test_every_period_of_the_vocabulary_is_known() -> None:
    """No word of it leads to an error later."""
    assert all(window(name, NOON) for name in period_patterns() if name not in (MOST_PLAYED, I_PLAYED))
    assert window("", NOON) is None
