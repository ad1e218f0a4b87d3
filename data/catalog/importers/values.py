"""Typed reads of one loose row: text, numbers, years, lists and switches from whatever a source wrote in a cell."""

from __future__ import annotations

import ast
import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from data.errors import RowError

MAX_WORD, MAX_ITEMS, MAX_LYRICS = 500, 500, 100_000
"""Longest entry of a list (characters), longest list (entries) and longest lyrics (characters) of a row."""

# controls, lone surrogates, byte order mark, and the marks that reorder shown text; joiners (200C, 200D) stay
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]")
_UNSEEN_IN_LINES = re.compile(_UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))
_YEAR_FIRST = re.compile(r"(\d{4})(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|\D.*)?", re.DOTALL)
_YEAR_WITHIN = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,3}):([0-5]\d(?:\.\d+)?)")
_FLAGS = {"true": True, "yes": True, "y": True, "t": True, "1": True, "1.0": True}
_FLAGS |= {"false": False, "no": False, "n": False, "f": False, "0": False, "0.0": False}
_NAME_KEYS = ("name", "title", "artist_name", "label")
_NOTHING = frozenset({"", "nan", "none", "null", "n/a", "na", "-"})
_SECONDS_LIMIT = 10_000.0


def clean(text: str) -> str:
    """`text` in NFC, single spaces, without control and reordering characters."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFC", " ".join(text.split()))).split())


def clean_lines(text: str) -> str:
    """`text` like `clean`, with its line breaks kept."""
    lines = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(_UNSEEN_IN_LINES.sub("", line).rstrip() for line in lines).strip()


def _listed(text: str) -> list[Any] | None:
    """The list that `text` spells out the way Python or JSON does ("['a', 'b']"), or None."""
    if not (text.startswith("[") and text.endswith("]") and len(text) <= MAX_LYRICS):
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list) else None


class FieldReader:
    """Reads the fields of one row; every complaint is a `RowError` that names the row and the field.

    Args:
        found: cells by canonical field name; empty cells left out.
        row: the row's 1-based number.
    """

    __slots__ = ("found", "row")

    def __init__(self, found: Mapping[str, Any], row: int) -> None:
        self.found = found
        self.row = row

    def bad(self, field: str, reason: str) -> RowError:
        """The error to raise about `field`. `reason` must not hold the value: rows are counted by it."""
        return RowError(reason, row=self.row, field=field)

    def _text_of(self, value: object, field: str) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, bytes):
            try:
                return value.decode("utf-8")
            except UnicodeDecodeError:
                raise self.bad(field, "not UTF-8") from None
        if isinstance(value, Mapping):
            named = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
            if named is not None:
                return str(named)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            if isinstance(value, float) and value.is_integer():
                return str(int(value))
            return "" if isinstance(value, float) and math.isnan(value) else str(value)
        raise self.bad(field, "not text")

    def text(self, field: str) -> str | None:
        """The cell as one line of clean text; None when nothing is left."""
        value = self.found.get(field)
        return (clean(self._text_of(value, field)) or None) if value is not None else None

    def named(self, item: object, field: str) -> str:
        """One entry of a list as clean text; of an object, its name."""
        return clean(self._text_of(item, field))

    def lines(self, field: str) -> str | None:
        """The cell as clean text of several lines, at most `MAX_LYRICS` characters."""
        value = self.found.get(field)
        if value is None:
            return None
        text = clean_lines(self._text_of(value, field))
        if len(text) > MAX_LYRICS:
            raise self.bad(field, f"over {MAX_LYRICS} characters")
        return text or None

    def items(self, field: str, separators: str = "|") -> list[Any]:
        """The cell as a list: a list as it is, text split at any of `separators`, anything else alone."""
        value = self.found.get(field)
        if value is None:
            return []
        if isinstance(value, str):
            listed = _listed(value.strip())
            value = re.split(f"[{re.escape(separators)}]", value) if listed is None else listed
        elif not isinstance(value, list | tuple):
            value = [value]
        if len(value) > MAX_ITEMS:
            raise self.bad(field, f"over {MAX_ITEMS} entries")
        return [item for item in value if item is not None]

    def words(self, field: str, separators: str = "|") -> list[str]:
        """The cell as a list of clean, non-empty texts without repeats, in order."""
        words = [self.named(item, field) for item in self.items(field, separators)]
        if any(len(word) > MAX_WORD for word in words):
            raise self.bad(field, f"an entry over {MAX_WORD} characters")
        return list(dict.fromkeys(filter(None, words)))

    def number(self, field: str) -> float | None:
        """The cell as a finite number; None for an empty cell and for NaN."""
        value = self.found.get(field)
        if isinstance(value, str):
            if value.strip().casefold() in _NOTHING:
                return None
            try:
                value = float(value)
            except ValueError:
                raise self.bad(field, "not a number") from None
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise self.bad(field, "not a number")
        return self._finite(value, field)

    def _finite(self, value: float | Decimal, field: str) -> float | None:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        except ValueError:  # a signalling NaN
            number = math.nan
        if math.isinf(number):
            raise self.bad(field, "not a finite number")
        return None if math.isnan(number) else number

    def positive(self, field: str) -> float | None:
        """Like `number`, with 0 read as unknown: sources write it for a tempo or length they do not have."""
        return self.number(field) or None

    def seconds(self, field: str) -> float | None:
        """A length from a column that does not name its unit: "3:45", seconds, or milliseconds from 10,000 on."""
        value = self.found.get(field)
        if isinstance(value, str) and (clock := _CLOCK.fullmatch(value.strip())):
            hours, minutes, seconds = clock.groups()
            return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds) or None
        number = self.positive(field)
        return number / 1000 if number is not None and number >= _SECONDS_LIMIT else number

    def year(self, field: str) -> int | None:
        """The year of a year or date in any usual spelling; None for an empty cell and for 0."""
        value = self.found.get(field)
        if isinstance(value, date):
            return value.year
        if isinstance(value, str):
            text = value.strip()
            if text.casefold() in _NOTHING or text.strip("0-") == "":
                return None
            match = _YEAR_FIRST.fullmatch(text) or _YEAR_WITHIN.search(text)
            if match:
                return int(match.group(1)) or None
        number = self.number(field)
        if number is None:
            return None
        if number >= 10_000_000 and (match := _YEAR_FIRST.fullmatch(str(int(number)))):
            return int(match.group(1))
        if not number.is_integer():
            raise self.bad(field, "not a year")
        return int(number) or None

    def flag(self, field: str) -> bool | None:
        """The cell as yes or no."""
        value = self.found.get(field)
        if value is None or isinstance(value, bool):
            return value
        text = self._text_of(value, field).strip().casefold()
        if text in _NOTHING - {"-"}:
            return None
        if text not in _FLAGS:
            raise self.bad(field, "neither yes nor no")
        return _FLAGS[text]
