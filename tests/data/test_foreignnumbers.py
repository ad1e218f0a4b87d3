from __future__ import annotations

import pytest

from data.foreignnumbers import foreign_number_words, foreign_to_digits
from data.names import name_form


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("zwei unlimited", "2 unlimited"),
        ("null acht neun", "0 8 9"),
        ("neunundneunzig luftballons", "99 luftballons"),
        ("einundzwanzig", "21"),
        ("dreißig", "30"),
        ("quatre-vingt-dix-neuf francs", "99 francs"),
        ("soixante et onze", "60 and onze"),
        ("vingt et un", "21"),
        ("soixante-douze", "72"),
        ("veintiuno", "21"),
        ("treinta y siete", "37"),
        ("ventotto", "28"),
        ("trentatre", "33"),
        ("vinte e um", "21"),
        ("eenentwintig", "21"),
        ("tweeënzestig", "62"),
        ("五月天", "5月天"),
        ("二零零二年", "2002年"),
        ("十二楼", "12楼"),
        ("三十六", "36"),
        ("一百零一", "101"),
        ("兩隻老虎", "2只老虎"),
    ],
)
def test_digits(text: str, digits: str) -> None:
    """Number words of other languages become digits: compounds, runs of words, and Chinese by place or by digit."""
    assert foreign_to_digits(name_form(text)) == digits


@pytest.mark.parametrize("form", ["", "once upon a time", "sei mein", "elf", "otto", "un", "love", "vierzehner", "music"])
def test_no_number(form: str) -> None:
    """Words that are something else in another language stay, and so do letters inside other words."""
    assert foreign_to_digits(form) == form


def test_first_words() -> None:
    """A form can only hold a number when one of the first words is in it."""
    assert {"zwei", "quatre", "treinta", "ventuno"} <= foreign_number_words()
    assert foreign_number_words().isdisjoint({"love", "once", "the"})
