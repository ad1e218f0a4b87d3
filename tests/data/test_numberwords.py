from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.numberwords import NUMBER_WORDS, words_to_digits


@pytest.mark.parametrize(
    ("form", "digits"),
    [
        ("one", "1"),
        ("zero", "0"),
        ("twenty", "20"),
        ("twenty one pilots", "21 pilots"),
        ("ninety nine luftballons", "99 luftballons"),
        ("nineteen ninety nine", "1999"),
        ("twenty twenty", "2020"),
        ("eighteen twelve", "1812"),
        ("nineteen hundred", "1900"),
        ("one hundred", "100"),
        ("one hundred and five songs", "105 songs"),
        ("two thousand and one", "2001"),
        ("two thousand", "2000"),
        ("ten thousand maniacs", "10000 maniacs"),
        ("five hundred miles", "500 miles"),
        ("seven eight nine", "7 8 9"),
        ("three little birds", "3 little birds"),
        ("sixty four and more", "64 and more"),
        ("eight oh eight", "8 0 8"),
        ("two o nine", "2 0 9"),
    ],
)
def test_numbers(form: str, digits: str) -> None:
    """Runs of number words become their digits; years are read in pairs."""
    assert words_to_digits(form) == digits


@pytest.mark.parametrize(
    "form", ["", "hundred", "thousand suns", "someone like you", "tennessee", "love and 21", "and", "oh", "oh my"]
)
def test_no_number(form: str) -> None:
    """What is no number stays as it is, letters inside other words included."""
    assert words_to_digits(form) == form


def test_open_hundred() -> None:
    """An `and` that no number follows belongs to the words after it."""
    assert words_to_digits("one hundred and") == "100 and"


@given(st.lists(st.sampled_from([*sorted(NUMBER_WORDS), "and", "love", "21"]), max_size=8).map(" ".join))
def test_never_grows(form: str) -> None:
    """Digits never take more words than the number words did, and other words keep their order."""
    words = words_to_digits(form).split(" ")

    assert len(words) <= len(form.split(" "))
    assert [word for word in words if word == "love"] == [word for word in form.split(" ") if word == "love"]


@given(st.integers(min_value=0, max_value=99), st.integers(min_value=10, max_value=99))
def test_below_hundred_and_years(value: int, year: int) -> None:
    """Every number below 100 and every year from 1910 on is read back."""
    units = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
    units += "seventeen eighteen nineteen".split()
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()

    def spelt(number: int) -> str:
        if number < 20:
            return units[number]
        return tens[number // 10 - 2] + (f" {units[number % 10]}" if number % 10 else "")

    assert words_to_digits(spelt(value)) == str(value)
    assert words_to_digits(f"nineteen {spelt(year)}") == f"19{year}"


def test_an_oh_is_a_zero_only_between_digits() -> None:
    """An "oh" that no digit stands on both sides of is a word."""
    assert words_to_digits("oh two") == "oh 2"
    assert words_to_digits("twenty oh one") == "20 oh 1"


def test_thousands_and_hundreds() -> None:
    """A number may have thousands and hundreds."""
    assert words_to_digits("two thousand five hundred") == "2500"
