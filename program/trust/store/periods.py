"""The stretches of time that partitions are made for, by name: `2026-12` a month, `2026-w49` an ISO week, all in UTC."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Literal

Period = Literal["none", "month", "week"]
EVERYTHING = ""
"""The name of the partition that is not bound to a time: that of `none`, and the one file of earlier versions."""
_NAME = re.compile(r"(\d{4})-(?:(\d\d)|w(\d\d))")


def name_of(at: float, period: Period) -> str:
    """The partition that `at` (seconds since 1970) belongs to."""
    if period == "none":
        return EVERYTHING
    day = datetime.fromtimestamp(at, UTC)
    if period == "month":
        return f"{day:%Y-%m}"
    year, week, _ = day.isocalendar()
    return f"{year:04d}-w{week:02d}"


def span(name: str) -> tuple[float, float] | None:
    """First second of a partition and first second after it; None where the name is no partition's."""
    if name == EVERYTHING:
        return -math.inf, math.inf
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    year, month, week = (int(part) if part else 0 for part in found.groups())
    try:
        if week:
            first = datetime.fromisocalendar(year, week, 1).replace(tzinfo=UTC)
            after = first + timedelta(days=7)
        else:
            first = datetime(year, month, 1, tzinfo=UTC)
            after = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    except ValueError:
        return None
    return first.timestamp(), after.timestamp()
