"""The facet words of other languages: every concept exists, forms are spelled out, and only their own requests see them."""

from __future__ import annotations

import pytest

from data.names import name_key
from data.vocab.loader import _local_words, facet_words, inflected, load_vocabularies, local_files, local_words

FILES = local_files()


def test_there_are_files_for_the_languages_whose_commands_are_known() -> None:
    """The request's own words and its facet words come in the same languages."""
    assert {"de", "es", "fr", "it", "pt", "nl", "tr", "ja", "ko", "ru", "pl", "sv"} <= set(FILES)


@pytest.mark.parametrize("locale", FILES)
def test_every_concept_is_of_its_vocabulary(locale: str) -> None:
    """A word that names nothing would silently be lost."""
    vocabularies = load_vocabularies()
    unknown = [
        f"{facet} {concept}"
        for facet, concepts in _local_words(locale).items()
        for concept in concepts
        if facet not in vocabularies or concept not in vocabularies[facet]
    ]
    assert unknown == []


@pytest.mark.parametrize("locale", FILES)
def test_every_word_has_a_key(locale: str) -> None:
    """Each form leaves something to look for."""
    entries = [word for concepts in _local_words(locale).values() for words in concepts.values() for word in words]
    assert entries and all(name_key(form) for word in entries for form in inflected(word))


@pytest.mark.parametrize(
    ("entry", "forms"),
    [
        ("klavier", ("klavier",)),
        ("ruhig//e/er", ("ruhig", "ruhige", "ruhiger")),
        ("calm/o/a/os/as", ("calmo", "calma", "calmos", "calmas")),
    ],
)
def test_forms(entry: str, forms: tuple[str, ...]) -> None:
    """An empty ending is the stem itself; without a slash the word stands alone."""
    assert inflected(entry) == forms


@pytest.mark.parametrize(
    ("locale", "word", "meaning"),
    [
        ("de", "ruhige", ("mood", "calm")),
        ("fr", "douces", ("mood", "calm")),
        ("it", "per dormire", ("activity", "sleep")),
        ("ja", "眠れる", ("activity", "sleep")),
        ("ko", "발라드", ("genre", "ballad")),
        ("tr", "hüzünlü", ("mood", "sad")),
        ("ru", "грустную", ("mood", "sad")),
        ("pl", "smutne", ("mood", "sad")),
        ("sv", "sorgligt", ("mood", "sad")),
    ],
)
def test_a_word_counts_in_its_own_language_only(locale: str, word: str, meaning: tuple[str, str]) -> None:
    """An English request is read as before."""
    assert meaning in facet_words(locale)[name_key(word)]
    assert meaning not in facet_words("en").get(name_key(word), ())


@pytest.mark.parametrize(
    ("locale", "word", "there", "in_english"),
    [
        ("fr", "électro", ("genre", "electronic"), ("genre", "electro")),
        ("pt", "saudade", ("mood", "nostalgic"), ("mood", "bittersweet")),
    ],
)
def test_a_language_has_its_own_sense_of_a_word(
    locale: str, word: str, there: tuple[str, str], in_english: tuple[str, str]
) -> None:
    """Of one facet, what a word means in the request's language is all that it means."""
    assert in_english in facet_words("en")[name_key(word)]
    assert [meaning for meaning in facet_words(locale)[name_key(word)] if meaning[0] == there[0]] == [there]


def test_a_strange_locale_adds_nothing() -> None:
    """Neither an unknown language nor a path."""
    assert facet_words("../../x") == facet_words("en") == facet_words("xx")


def test_words_that_tell_a_language() -> None:
    """A word of one language's file names that language; a word that English has as well names none."""
    words = local_words()

    assert words[name_key("portekizce")] == frozenset({"tr"})
    assert name_key("jazz") not in words


@pytest.mark.parametrize("locale", FILES)
def test_endings_hold_no_space(locale: str) -> None:
    """What follows a space would belong to the last ending only."""
    entries = [word for concepts in _local_words(locale).values() for words in concepts.values() for word in words]

    assert [word for word in entries if any(" " in ending for ending in word.split("/")[1:])] == []
