from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from data.catalog.importers.values import MAX_ITEMS, MAX_LYRICS, MAX_WORD, FieldReader, clean, clean_lines
from data.errors import RowError


def reader(value: Any) -> FieldReader:
    return FieldReader({"cell": value}, 7)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  two   words ", "two words"),
        ("tab\tand\nline", "tab and line"),
        ("bell\x07 and null\x00", "bell and null"),
        ("Cafe\u0301", "Café"),
        ("\ufeffmark", "mark"),
        ("right\u202eleft", "rightleft"),
        ("lone \ud800 half", "lone half"),
        ("a\u200d\u200cb", "a\u200d\u200cb"),
        ("非常　好", "非常 好"),
        ("\x00\x01", ""),
    ],
)
def test_clean(text: str, cleaned: str) -> None:
    """Text is one line of NFC without controls; joiners that scripts need stay."""
    assert clean(text) == cleaned


def test_clean_lines_keeps_breaks() -> None:
    """Lyrics keep their lines and lose their controls."""
    assert clean_lines(" one \r\ntwo\x00\rthree\n\n") == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"),
        (1999, "1999"),
        (1999.0, "1999"),
        (2.5, "2.5"),
        (Decimal("7"), "7"),
        (b"caf\xc3\xa9", "café"),
        ({"name": "Toto", "id": 1}, "Toto"),
        (float("nan"), None),
        ("  ", None),
        (None, None),
    ],
)
def test_text(value: Any, text: str | None) -> None:
    """Numbers, bytes and named objects read as text; nothing reads as None."""
    assert reader(value).text("cell") == text


@pytest.mark.parametrize(
    ("method", "value", "reason"),
    [
        ("text", True, "not text"),
        ("text", ["a"], "not text"),
        ("text", {"x": 1}, "not text"),
        ("text", b"\xff", "not UTF-8"),
        ("number", "fast", "not a number"),
        ("number", True, "not a number"),
        ("number", [1], "not a number"),
        ("number", "inf", "not a finite number"),
        ("number", 1e999, "not a finite number"),
        ("number", 10**400, "not a finite number"),
        ("year", "soon", "not a number"),
        ("year", 1985.5, "not a year"),
        ("flag", "maybe", "neither yes nor no"),
        ("flag", 7, "neither yes nor no"),
        ("flag", [], "not text"),
        ("words", "x" * (MAX_WORD + 1), f"an entry over {MAX_WORD} characters"),
        ("words", ["a"] * (MAX_ITEMS + 1), f"over {MAX_ITEMS} entries"),
        ("lines", "x" * (MAX_LYRICS + 1), f"over {MAX_LYRICS} characters"),
    ],
)
def test_refused(method: str, value: Any, reason: str) -> None:
    """What cannot be read is an error with the row, the field and a reason without the value."""
    with pytest.raises(RowError) as caught:
        getattr(reader(value), method)("cell")

    assert (caught.value.row, caught.value.field, caught.value.message) == (7, "cell", reason)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("a|b | a||", ["a", "b"]),
        (["a", " b "], ["a", "b"]),
        ("['a', 'b|c']", ["a", "b|c"]),
        ('["a"]', ["a"]),
        ("[]", []),
        ("[ingenting]", ["[ingenting]"]),
        ([{"name": "a"}, None, 3], ["a", "3"]),
        (("a",), ["a"]),
        (5, ["5"]),
        (None, []),
    ],
)
def test_words(value: Any, words: list[str]) -> None:
    """Lists come as lists, with bars between, or spelled out; repeats and empty entries go."""
    assert reader(value).words("cell") == words


@pytest.mark.parametrize(
    ("value", "number"),
    [("120", 120.0), (" 1.5e2 ", 150.0), (Decimal("2.5"), 2.5), (0, 0.0), ("NaN", None), ("null", None), (None, None)],
)
def test_number(value: Any, number: float | None) -> None:
    """Numbers come as numbers or text; the ways to write "nothing" are nothing."""
    assert reader(value).number("cell") == number


@pytest.mark.parametrize(
    ("value", "year"),
    [
        (1985, 1985),
        ("1985", 1985),
        ("1985.0", 1985),
        (1985.0, 1985),
        ("1985-03-02", 1985),
        ("1985-03-02T00:00:00Z", 1985),
        ("02.03.1985", 1985),
        ("March 2, 1985", 1985),
        ("19850302", 1985),
        (19850302, 1985),
        ("1985年", 1985),
        (date(1985, 3, 2), 1985),
        (datetime(1985, 3, 2, tzinfo=UTC), 1985),
        (0, None),
        ("0", None),
        ("0000-00-00", None),
        ("", None),
        ("19855", 19855),
        (850, 850),
        (-5, -5),
        ("12345678", 12345678),
    ],
)
def test_year(value: Any, year: int | None) -> None:
    """The year is found in every usual date; 0 is unknown, and what is out of range is left to the schema."""
    assert reader(value).year("cell") == year


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3:45", 225.0),
        ("1:02:03", 3723.0),
        (225, 225.0),
        (225_000, 225.0),
        ("225000", 225.0),
        (0, None),
        ("0:00", None),
    ],
)
def test_seconds(value: Any, seconds: float | None) -> None:
    """A length without a unit is a clock, seconds, or milliseconds when it is large."""
    assert reader(value).seconds("cell") == seconds


@pytest.mark.parametrize(
    ("value", "flag"),
    [(True, True), ("no", False), (1, True), (0.0, False), ("Y", True), ("", None), ("nan", None), (None, None)],
)
def test_flag(value: Any, flag: bool | None) -> None:
    """Yes and no in their usual spellings."""
    assert reader(value).flag("cell") is flag
