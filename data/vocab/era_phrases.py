"""Times of music as languages speak of them: decades, spans of decades, the last years, centuries. From `era_phrases.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_DIGIT_OR_CJK = re.compile(rf"\d|{_CJK.pattern}")
_FOUR, _DIGITS = r"(?:19|20)\d0", r"\d0"
_CENTURY, _COUNT = r"(?:1[5-9]|2[01])", r"\d{1,2}"
_OF_DECADES = "['’]?s|er|年代|년대|-?[хе]|['’]?l[ae]r(?:[iı]n|d[ae]n?)?"
"""How the last of several decades may end."""
_YEAR = r"(?:1[5-9]|20)\d\d"
_YEAR_KINDS = ("since_year", "after_year", "until_year", "before_year", "between_years")
_NUMBERS = ("tens", "two_tens", "numbers", "centuries")
_THIS_CENTURY = 2000
_LATEST = 20
"""Two digits up to here are of this century ("the 10s"); 20 alone is left to the listed words."""


@dataclass(frozen=True, slots=True)
class EraPhrase:
    """Characters [start, end) of a request that name a time; low, high: years, None is open."""

    start: int
    end: int
    low: int | None
    high: int | None

    @property
    def decade(self) -> str | None:
        """The decade's id in the vocabulary, where it is one whole decade."""
        is_one = self.low is not None and self.high == self.low + 9 and self.low % 10 == 0
        return f"{self.low}s" if is_one else None


@dataclass(frozen=True)
class _Grammar:
    """One language's patterns, compiled; `None` where it has none of the kind."""

    decades: re.Pattern[str]
    last: tuple[tuple[re.Pattern[str], int], ...]
    century: re.Pattern[str] | None
    this_century: re.Pattern[str] | None
    years: tuple[tuple[re.Pattern[str], str], ...]
    tens: dict[str, int]
    two_tens: dict[str, list[int]]
    numbers: dict[str, int]
    centuries: dict[str, int]


def era_phrases(request: str, year: int) -> list[EraPhrase]:
    """Every phrase of a time in a request; they may overlap.

    Args:
        year: the current one, from which "the last ten years" are counted.
    """
    if not _may_tell_a_time(request):
        return []
    found = [phrase for grammar in _grammars() for phrase in _of(grammar, request, year)]
    return list(dict.fromkeys(found))


def _of(grammar: _Grammar, request: str, year: int) -> Iterator[EraPhrase]:
    for match in grammar.decades.finditer(request):
        low, high = _decades(grammar, match)
        yield EraPhrase(*match.span(), low, None if match["since"] else high)
    for pattern, unit in grammar.last:
        for match in pattern.finditer(request):
            count = _number(match.groupdict().get("n") or "1", grammar.numbers)
            yield EraPhrase(*match.span(), year - count * unit, year)
    if grammar.century:
        for match in grammar.century.finditer(request):
            low = (_number(match["c"] or match["c2"], grammar.centuries) - 1) * 100
            yield EraPhrase(*match.span(), low, low + 99 if low < _THIS_CENTURY else None)
    for pattern, kind in grammar.years:
        for match in pattern.finditer(request):
            yield EraPhrase(*match.span(), *_bounds(kind, int(match["y"]), match.groupdict().get("y2")))
    if grammar.this_century:
        yield from (EraPhrase(*match.span(), _THIS_CENTURY, None) for match in grammar.this_century.finditer(request))


def _bounds(kind: str, year: int, other: str | None) -> tuple[int | None, int | None]:
    """First and last year of what is said about one year or two."""
    if kind == "between_years" and other:
        return min(year, int(other)), max(year, int(other))
    if kind in ("since_year", "after_year"):
        return year + (kind == "after_year"), None
    return None, year - (kind == "before_year")


def _decades(grammar: _Grammar, match: re.Match[str]) -> tuple[int, int]:
    first = match["d"] or match["d2"]
    if first.casefold() in grammar.two_tens:
        low, high = (1900 + ten for ten in grammar.two_tens[first.casefold()])
        return low, high + 9
    low = _decade(first, grammar.tens)
    last = match.groupdict().get("last")
    high = _decade(last, grammar.tens) if last else low
    return min(low, high), max(low, high) + 9


def _decade(text: str, tens: dict[str, int]) -> int:
    number = _number(text, tens)
    if number >= 1000:
        return number
    return 2000 + number if number < _LATEST else 1900 + number


def _number(text: str, words: dict[str, int]) -> int:
    return words[text.casefold()] if text.casefold() in words else int(text)


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((resources.files("data.vocab") / "era_phrases.toml").read_text(encoding="utf-8"))


@cache
def _grammars() -> tuple[_Grammar, ...]:
    return tuple(_grammar(table) for table in _tables().values())


@cache
def _triggers() -> frozenset[str]:
    """Words of which a phrase of a time has one at least, where it has no digit and no character of a script without spaces."""
    numbers = {word for table in _tables().values() for kind in _NUMBERS for word in table.get(kind, {})}
    named = " ".join(p for table in _tables().values() for kind in ("this_century", "last_decades") for p in table.get(kind, []))
    return frozenset({*numbers, *re.findall(r"\w{5,}", named)})


def _may_tell_a_time(request: str) -> bool:
    spoken = re.split(r"[^\w-]+", request.casefold())
    return bool(_DIGIT_OR_CJK.search(request)) or not _triggers().isdisjoint(spoken)


def _grammar(table: dict[str, Any]) -> _Grammar:
    tens, two = table.get("tens", {}), table.get("two_tens", {})
    words = _either([*two, *tens])
    ten = f"{_FOUR}|{_DIGITS}" + (f"|{words}" if words else "")
    joined = _either_pattern(table.get("and", []))
    since = _either_pattern(table.get("since", []))
    spaced = not _CJK.search("".join(table["decade"]))
    gap = r"\s+" if spaced else r"\s*"
    more = rf"(?:\s*(?:{joined}|,)\s*(?:the )?'?(?P<last>{ten})(?:{_OF_DECADES})?(?!\d))?" if joined else ""
    goes_on = rf"(?:{gap}(?P<since>{since}))?" if since else r"(?P<since>(?!))?"
    decades = [_with_tens(pattern, name, ten, words) for pattern, name in zip(table["decade"], ("d", "d2"), strict=False)]
    names = "".join(f"(?P<{name}>(?!))?" for name in ("d", "d2")[len(decades) :])
    n = rf"(?P<n>{_COUNT}|{_either(table.get('numbers', {}))})" if table.get("numbers") else rf"(?P<n>{_COUNT})"
    last = [(_whole(p.replace("{n}", n), spaced), 1) for p in table.get("last_years", [])]
    last += [(_whole(p.replace("{n}", n), spaced), 10) for p in table.get("last_decades", [])]
    return _Grammar(
        _whole(f"(?:{'|'.join(decades)}){names}{more}{goes_on}", spaced), tuple(last), _century(table, spaced),
        _whole(_either_pattern(table["this_century"]), spaced) if "this_century" in table else None,
        tuple((_of_years(pattern, spaced), kind) for kind in _YEAR_KINDS for pattern in table.get(kind, [])),
        tens, two, table.get("numbers", {}), table.get("centuries", {}),
    )  # fmt: skip


def _of_years(pattern: str, spaced: bool) -> re.Pattern[str]:
    return _whole(pattern.replace("{y}", rf"(?P<y>{_YEAR})").replace("{y2}", rf"(?P<y2>{_YEAR})"), spaced)


def _with_tens(pattern: str, name: str, ten: str, words: str) -> str:
    return pattern.replace("{d}", rf"(?P<{name}>{ten})").replace("{w}", rf"(?P<{name}>{words})")


def _century(table: dict[str, Any], spaced: bool) -> re.Pattern[str] | None:
    patterns = table.get("century", [])
    if not patterns:
        return None
    words = _either(table.get("centuries", {}))
    number = f"{_CENTURY}|{words}" if words else _CENTURY
    named = [p.replace("{c}", rf"(?P<{name}>{number})") for p, name in zip(patterns, ("c", "c2"), strict=False)]
    empty = "".join(f"(?P<{name}>(?!))?" for name in ("c", "c2")[len(named) :])
    return _whole(f"(?:{'|'.join(named)}){empty}", spaced)


def _either(words: Any) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _either_pattern(patterns: list[str]) -> str:
    return "|".join(f"(?:{pattern})" for pattern in sorted(patterns, key=len, reverse=True))


def _whole(pattern: str, spaced: bool) -> re.Pattern[str]:
    """A pattern of whole words, in a script that has spaces."""
    bounds = (r"(?<![\w'’])", r"(?!\w)") if spaced else (r"(?<!\d)", "")
    return re.compile(f"{bounds[0]}(?:{pattern}){bounds[1]}", re.IGNORECASE)
