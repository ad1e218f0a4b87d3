"""Spans of time such as "last week", resolved to moments in the listener's own time zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

Window = tuple[float, float]
"""Seconds since 1970: from (included) to (left out)."""


def window(period: str, now: float) -> Window | None:
    """The moments that a period covers; None for no period.

    Args:
        period: a year in four digits, or an id of `data/vocab/periods.toml`.
        now: seconds since 1970.

    Raises:
        ValueError: the period is none that is known.
    """
    if not period:
        return None
    today = datetime.fromtimestamp(now).date()
    if period.isdigit() and len(period) == 4:
        return _between(date(int(period), 1, 1), date(int(period) + 1, 1, 1))
    if period == "last-night":
        evening = datetime.combine(today - timedelta(days=1), time(18))
        return evening.timestamp(), (evening + timedelta(hours=12)).timestamp()
    if period in _WEEKDAYS:
        day = today - timedelta(days=(today.weekday() - _WEEKDAYS.index(period)) % 7 or 7)
        return _between(day, day + timedelta(days=1))
    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    last_month = (first - timedelta(days=1)).replace(day=1)
    tomorrow = today + timedelta(days=1)
    named = {
        "today": (today, tomorrow),
        "yesterday": (today - timedelta(days=1), today),
        "this-week": (monday, tomorrow),
        "last-week": (monday - timedelta(days=7), monday),
        "this-month": (first, tomorrow),
        "last-month": (last_month, first),
        "this-year": (today.replace(month=1, day=1), tomorrow),
        "last-year": (date(today.year - 1, 1, 1), date(today.year, 1, 1)),
    }
    if period not in named:
        raise ValueError(f"no period is called {period}")
    return _between(*named[period])


_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _between(first: date, end: date) -> Window:
    return datetime.combine(first, time()).timestamp(), datetime.combine(end, time()).timestamp()
