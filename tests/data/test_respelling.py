from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.names import key_variants, name_form, name_key
from data.respelling import asked_as, loosened, may_be_asked_otherwise


@pytest.mark.parametrize(
    ("form", "loose"),
    [
        ("grey theatre", "gray theater"),
        ("led zeppelin iv", "led zeppelin 4"),
        ("rocky iv theme", "rocky 4 theme"),
        ("malcolm x", "malcolm 10"),
        ("symphony xii", "symphony 12"),
        ("xii", "xii"),
        ("x", "x"),
        ("you and i", "you and i"),
        ("part i", "part 1"),
        ("mr tambourine", "mister tambourine"),
        ("vol 2", "volume 2"),
        ("3rd eye", "third eye"),
        ("tonite", "tonight"),
        ("plain words", "plain words"),
        ("zwei unlimited", "2 unlimited"),
    ],
)
def test_loosened(form: str, loose: str) -> None:
    """British becomes American, short long, and numerals digits where they stand for a number."""
    assert loosened(form) == loose


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("one republic", "OneRepublic"),
        ("led zeppelin four", "Led Zeppelin IV"),
        ("led zeppelin iv", "Led Zeppelin 4"),
        ("led zeppelin vier", "Led Zeppelin IV"),
        ("the color purple", "The Colour Purple"),
        ("the colour purple", "The Color Purple"),
        ("another brick part two", "Another Brick, Pt. II"),
        ("another brick pt 2", "Another Brick, Part II"),
        ("zwei unlimited", "2 Unlimited"),
        ("2 unlimited", "Zwei Unlimited"),
        ("null acht neun", "089"),
        ("Jörg", "Joerg"),
        ("joerg", "Jörg"),
        ("3rd eye blind", "Third Eye Blind"),
        ("twentyone pilots", "Twenty One Pilots"),
        ("5月天", "五月天"),
        ("五月天", "5月天"),
        ("mister big", "Mr. Big"),
        ("grey theatre", "Gray Theater"),
    ],
)
def test_a_request_meets_the_name(asked: str, name: str) -> None:
    """Whichever way either is written, one of the request's keys is one of the name's."""
    assert not {name_key(asked), *asked_as(asked)}.isdisjoint(key_variants(name))


@pytest.mark.parametrize("word", ["play", "metallica", "love", "songs", "晴"])
def test_most_words_have_one_spelling(word: str) -> None:
    """Nothing is tried for a word that is written in one way only."""
    assert asked_as(word) == []
    assert not may_be_asked_otherwise(word)


@pytest.mark.parametrize("word", ["one", "iv", "part", "Jörg", "zwei", "colour", "五"])
def test_words_that_may_be_otherwise(word: str) -> None:
    """A word that is written in more than one way is known by itself."""
    assert may_be_asked_otherwise(word)


@given(st.text(alphabet="abiivx2 éöЖ周一", max_size=20))
def test_loosening_ends(text: str) -> None:
    """A spelling is never empty, and another spelling never has the words' own key."""
    form = name_form(text)
    loose = loosened(form)

    assert bool(loose) == bool(form)
    assert name_key(text) not in asked_as(text)
