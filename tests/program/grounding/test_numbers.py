from __future__ import annotations

import pytest

from program.grounding.items import RangeItem, SizeItem
from program.grounding.numbers import MAX_SIZE, number_items
from program.grounding.tokens import tokenize

Found = tuple[str, str, str]


def items(request: str) -> list[RangeItem | SizeItem]:
    found = number_items(tokenize(request), request)
    return [item for item in found if isinstance(item, RangeItem | SizeItem)]


def longest(request: str, facet: str) -> tuple[str, str]:
    """Bounds of the best-scored range of a facet."""
    ranges = [item for item in items(request) if isinstance(item, RangeItem) and item.facet == facet]
    best = max(ranges, key=lambda item: item.score)
    return best.low, best.high


@pytest.mark.parametrize(
    ("request_", "low", "high"),
    [
        ("1985", "1985", "1985"),
        ("after 1985", "1986", ""),
        ("since 1985", "1985", ""),
        ("nothing before 1985", "1985", ""),
        ("no earlier than 1985", "1985", ""),
        ("before 1985", "", "1984"),
        ("older than 1985", "", "1984"),
        ("prior to 1985", "", "1984"),
        ("until 1985", "", "1985"),
        ("up to 1985", "", "1985"),
        ("nothing after 1985", "", "1985"),
        ("no later than 1985", "", "1985"),
        ("between 1975 and 1982", "1975", "1982"),
        ("from 1975 to 1982", "1975", "1982"),
        ("1975 to 1982", "1975", "1982"),
        ("1975-1982", "1975", "1982"),
        ("1975 – 1982", "1975", "1982"),
        ("from 1975-1982", "1975", "1982"),
        ("early 90s", "1990", "1993"),
        ("mid 1980s", "1984", "1986"),
        ("late 70s", "1977", "1979"),
        ("early nineties", "1990", "1993"),
        ("1990年后", "1990", ""),
        ("1990以后", "1990", ""),
        ("1990年之后", "1990", ""),
        ("2000年前", "", "1999"),
        ("2000之前", "", "1999"),
        ("2000年以前", "", "1999"),
        ("从1990到1999", "1990", "1999"),
    ],
)
def test_years(request_: str, low: str, high: str) -> None:
    """Cues before a year (after it, in Chinese) make it an open or closed range; `after` and `before` leave it out."""
    assert longest(request_, "era") == (low, high)


@pytest.mark.parametrize("request_", ["1499", "2100s", "track 12", "21 pilots", "early morning", "after party", "007"])
def test_no_years(request_: str) -> None:
    """Other numbers, and cues without a year, are no years."""
    assert [item for item in items(request_) if isinstance(item, RangeItem)] == []


@pytest.mark.parametrize(
    ("request_", "low", "high"),
    [
        ("120 bpm", "115", "125"),
        ("around 120 bpm", "115", "125"),
        ("bpm of 120", "115", "125"),
        ("under 80 bpm", "", "80"),
        ("bpm under 80", "", "80"),
        ("slower than 80 bpm", "", "80"),
        ("over 140 bpm", "140", ""),
        ("bpm above 140", "140", ""),
        ("at least 140 bpm", "140", ""),
        ("between 100 and 120 bpm", "100", "120"),
        ("100-120 bpm", "100", "120"),
        ("nothing over 120 bpm", "", "120"),
    ],
)
def test_tempo(request_: str, low: str, high: str) -> None:
    """A number beside `bpm` is a tempo: a bound, or five beats to either side."""
    assert longest(request_, "tempo") == (low, high)


@pytest.mark.parametrize("request_", ["bpm", "low bpm", "1985 bpm words"])
def test_no_tempo(request_: str) -> None:
    """`bpm` without a number of up to three digits says nothing here."""
    assert [item for item in items(request_) if isinstance(item, RangeItem) and item.facet == "tempo"] == []


@pytest.mark.parametrize(
    ("request_", "size"),
    [
        ("10 songs", 10),
        ("ten songs", 10),
        ("1 song", 1),
        ("one track", 1),
        ("100 tracks", MAX_SIZE),
        ("twenty five songs", 25),
        ("五首", 5),
        ("十五首歌", 15),
        ("二十首", 20),
        ("五十首", 50),
        ("十二首", 12),
        ("10首", 10),
    ],
)
def test_sizes(request_: str, size: int) -> None:
    """A number before a word for tracks is how many are asked for."""
    found = [item for item in items(request_) if isinstance(item, SizeItem)]

    assert max(found, key=lambda item: item.score).size == size


@pytest.mark.parametrize("request_", ["0 songs", "songs 10", "10 years", "一首", "10", "ten"])
def test_no_size(request_: str) -> None:
    """Other numbers are no sizes; 一首 is an article, not a number."""
    assert [item for item in items(request_) if isinstance(item, SizeItem)] == []
