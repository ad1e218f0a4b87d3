from __future__ import annotations

import tomllib
from collections import Counter
from importlib import resources
from itertools import pairwise

import pytest

from data.names import name_key
from data.vocab.loader import FACET_FILES, Concept, Vocabulary, facet_words, load_vocabularies

FACETS = pytest.mark.parametrize("facet", sorted(FACET_FILES))
KEYS = frozenset("label parents near en zh year_from year_to years_back bpm_min bpm_max percentile_min percentile_max".split())


def make(*concepts: Concept) -> Vocabulary:
    return Vocabulary("genre", {concept.concept_id: concept for concept in concepts})


def concept(concept_id: str, *parents: str, words: tuple[str, ...] = ()) -> Concept:
    return Concept("genre", concept_id, concept_id.title(), parents, (), (concept_id.title(), *words), {})


@FACETS
def test_links_lead_somewhere(facet: str) -> None:
    """Every parent and neighbour is a concept of the same facet, and none is its own."""
    concepts = load_vocabularies()[facet].concepts
    for item in concepts.values():
        assert set(item.parents) | set(item.near) <= set(concepts), item.concept_id
        assert item.concept_id not in (*item.parents, *item.near)
        assert len(item.near) == len(set(item.near)), item.concept_id


@FACETS
def test_no_concept_is_wider_than_itself(facet: str) -> None:
    """Parents form no circle."""
    vocabulary = load_vocabularies()[facet]

    assert [name for name in vocabulary.concepts if name in vocabulary.ancestors(name)] == []


@FACETS
def test_a_word_names_one_concept(facet: str) -> None:
    """Within a facet no word stands for two concepts, so none is silently lost."""
    vocabulary = load_vocabularies()[facet]
    keys = Counter(key for item in vocabulary.concepts.values() for key in {name_key(word) for word in item.words} if key)

    assert [key for key, count in keys.items() if count > 1] == []


@FACETS
def test_tables_hold_known_keys(facet: str) -> None:
    """A misspelt key in a TOML table would be ignored; there is none, and lists hold words."""
    tables = tomllib.loads((resources.files("data.vocab") / FACET_FILES[facet]).read_text(encoding="utf-8"))
    for name, table in tables.items():
        assert set(table) <= KEYS, name
        lists = [table[key] for key in ("parents", "near", "en", "zh") if key in table]
        assert all(isinstance(item, str) and item == item.strip() and item for words in lists for item in words), name


@FACETS
def test_ids_do_not_name_another_concept(facet: str) -> None:
    """An id is found as itself, never as a word of another concept."""
    vocabulary = load_vocabularies()[facet]

    assert [name for name in vocabulary.concepts if vocabulary.find(name) != name] == []


@pytest.mark.parametrize(
    ("facet", "words", "found"),
    [
        ("genre", "Post-Punk", "post-punk"),
        ("genre", "post punk", "post-punk"),
        ("genre", "后朋克", "post-punk"),
        ("genre", "polka from mars", None),
        ("region", "Icelandic", "IS"),
        ("region", "is", "IS"),
        ("region", "臺灣", "TW"),
        ("language", "sung in Icelandic", "is"),
        ("mood", "傷感", "sad"),
        ("era", "the 80s", "1980s"),
        ("tempo", "slow", "slow"),
        ("vocal", "women", "female"),
        ("popularity", "hidden gems", "niche"),
        ("activity", "GYM", "workout"),
        ("instrument", "electric guitar", "electric-guitar"),
    ],
)
def test_find(facet: str, words: str, found: str | None) -> None:
    """A catalog's field finds its concept by word or id, whatever its case, accents, hyphens and script."""
    assert load_vocabularies()[facet].find(words) == found


def test_ids_are_no_words() -> None:
    """In running text `is`, `no` and `it` are English words; only a catalog's field may use ids."""
    words = load_vocabularies()["region"].by_word

    assert not {"is", "no", "it", "in"} & set(words)
    assert words["iceland"] == "IS"


def test_wider_and_narrower() -> None:
    """Ancestors come nearest first and once; descendants are their mirror image."""
    vocabulary = make(
        concept("rock"), concept("punk", "rock"), concept("art", "rock"), concept("post", "punk", "art"), concept("cold", "post")
    )

    assert vocabulary.ancestors("cold") == ("post", "punk", "art", "rock")
    assert vocabulary.descendants("punk") == ("post", "cold")
    assert (vocabulary.ancestors("rock"), vocabulary.descendants("cold")) == ((), ())
    assert (vocabulary.ancestors("none"), vocabulary.descendants("none")) == ((), ())


@pytest.mark.parametrize(
    ("facet", "concept_id", "wider"),
    [
        ("genre", "coldwave", ("post-punk", "rock")),
        ("region", "IS", ("nordic", "europe")),
        ("region", "TW", ("east-asia", "asia")),
        ("instrument", "electric-guitar", ("guitar",)),
    ],
)
def test_known_chains(facet: str, concept_id: str, wider: tuple[str, ...]) -> None:
    """The chains that relaxation widens along."""
    assert load_vocabularies()[facet].ancestors(concept_id) == wider


@FACETS
def test_ancestors_mirror_descendants(facet: str) -> None:
    """A concept is below all that is above it."""
    vocabulary = load_vocabularies()[facet]
    pairs = {(wide, name) for name in vocabulary.concepts for wide in vocabulary.ancestors(name)}

    assert pairs == {(name, narrow) for name in vocabulary.concepts for narrow in vocabulary.descendants(name)}


def test_label_and_membership() -> None:
    """An unknown id is its own label and no member."""
    genres = load_vocabularies()["genre"]

    assert (genres.label("post-punk"), "post-punk" in genres) == ("Post-punk", True)
    assert (genres.label("x"), "x" in genres) == ("x", False)


@pytest.mark.parametrize(
    ("facet", "low", "high"),
    [("era", "year_from", "year_to"), ("tempo", "bpm_min", "bpm_max"), ("popularity", "percentile_min", "percentile_max")],
)
def test_numeric_concepts_have_bounds(facet: str, low: str, high: str) -> None:
    """Each concept of a numeric facet has a bound, and its bounds are in order."""
    for item in load_vocabularies()[facet].concepts.values():
        numbers = item.numbers
        assert numbers, item.concept_id
        assert numbers.get(low, float("-inf")) < numbers.get(high, float("inf")), item.concept_id


def test_decades_touch() -> None:
    """Decades neither overlap nor leave a year out."""
    eras = load_vocabularies()["era"].concepts
    decades = sorted((item.numbers["year_from"], item.numbers["year_to"]) for name, item in eras.items() if name[:1].isdigit())

    assert all(left[1] + 1 == right[0] for left, right in pairwise(decades))
    assert decades[-1][1] == 2029


def test_facet_words_keep_all_meanings() -> None:
    """A word that several facets hold keeps every one of them."""
    words = facet_words()

    assert set(words["icelandic"]) == {("region", "IS"), ("language", "is")}
    assert words["postpunk"] == (("genre", "post-punk"),)
    assert "is" not in words


def test_read_once() -> None:
    """The files are read once a process."""
    assert load_vocabularies() is load_vocabularies()
