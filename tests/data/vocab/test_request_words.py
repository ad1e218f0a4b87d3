from __future__ import annotations

import tomllib
from importlib import resources
from typing import get_args

import pytest

from data.names import name_key
from data.vocab.loader import facet_words
from data.vocab.request_words import RequestRole, opening_words, request_words


def tables() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((resources.files("data.vocab") / "request_words.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("word", "role"),
    [
        ("Play", "command"),
        ("I'd like to hear", "command"),
        ("來一首", "command"),
        ("give me", "ask"),
        ("推薦", "ask"),
        ("songs", "head"),
        ("歌单", "head"),
        ("the", "filler"),
        ("without", "negation"),
        ("除了", "negation"),
        ("similar to", "similar"),
        ("類似", "similar"),
        ("nothing but", "only"),
        ("by", "by"),
        ("的", "by"),
        ("my liked songs", "liked"),
        ("最近播放", "history"),
        ("the album", "album_word"),
        ("專輯", "album_word"),
        ("the song", "track_word"),
        ("the band", "artist_word"),
        ("since", "after"),
        ("nothing after", "before"),
        ("between", "between"),
    ],
)
def test_roles(word: str, role: str) -> None:
    """Words are found by their name key, in English and in both Chinese scripts."""
    assert role in request_words()[name_key(word)]


def test_every_role_has_words_in_both_languages() -> None:
    """No role of the type is without words, and the file holds no role that the type does not name."""
    found = tables()

    assert set(found) == set(get_args(RequestRole))
    assert [role for role, words in found.items() if not words.get("en")] == []
    assert [role for role, words in found.items() if not words.get("zh") and role != "greeting"] == []


def test_words_are_written_plainly() -> None:
    """Words are lower case and none is blank; languages are codes, beside them only the parts of places."""
    for role, languages in tables().items():
        parts = {"rooms", "devices", "services"} if role == "place" else set()
        assert all(len(language) == 2 for language in set(languages) - parts), role
        for word in (word for words in languages.values() for word in words):
            assert word == word.lower().strip() and word, (role, word)


@pytest.mark.parametrize(
    ("word", "locale", "role"),
    [("spiele", "de", "command"), ("canciones", "es", "head"), ("の", "ja", "by"), ("sans", "fr", "negation")],
)
def test_other_languages_count_in_their_own_requests(word: str, locale: str, role: str) -> None:
    """A German word is a command in a German request and no word of an English one."""
    assert role in request_words(locale)[name_key(word)]
    assert name_key(word) not in request_words()


def test_places_are_combined() -> None:
    """Every room and device is known with the words around it."""
    words = request_words()

    assert all("place" in words[name_key(text)] for text in ("in the kitchen", "on the kitchen speaker", "on my headphones"))


def test_a_command_tells_the_language() -> None:
    """A first word that only one language uses as a command names it; English ones name none."""
    assert opening_words()["spiele"] == "de"
    assert "play" not in opening_words()


def test_roles_are_ordered_and_distinct() -> None:
    """A word with several roles has each of them once, in the order of the type."""
    order = list(get_args(RequestRole))
    for roles in request_words().values():
        assert list(roles) == sorted(set(roles), key=order.index)


def test_a_word_with_several_roles_keeps_them() -> None:
    """`from` leads to an artist, opens a range of years, or says nothing."""
    assert set(request_words()["from"]) >= {"by", "between", "filler"}


def test_heads_are_no_facets() -> None:
    """A negation or a command is no facet word: it would be read as both what to do and what to do it with."""
    facets = set(facet_words())
    clashes = {word for word, roles in request_words().items() if word in facets and {"negation", "by", "only"} & set(roles)}

    assert clashes == set()
