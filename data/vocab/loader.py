"""The facet vocabularies: concepts with labels, synonyms, parents and neighbours, read from the TOML files beside this one.

A vocabulary answers three questions: which concept do these words name, what is one step wider, and what lies near.
It must not know the catalog.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from data.names import name_key

FACET_FILES: dict[str, str] = {
    "genre": "genres.toml",
    "mood": "moods.toml",
    "activity": "activities.toml",
    "instrument": "instruments.toml",
    "region": "regions.toml",
    "language": "languages.toml",
    "era": "eras.toml",
    "tempo": "tempo.toml",
    "vocal": "vocals.toml",
    "popularity": "popularity.toml",
    "version": "versions.toml",
}
_NUMBERS = ("year_from", "year_to", "years_back", "bpm_min", "bpm_max", "percentile_min", "percentile_max")


@dataclass(frozen=True)
class Concept:
    """One value of a facet.

    Attributes:
        concept_id: unique within its facet; what catalogs and constraints store.
        parents: one step wider. near: neighbours, nearest first.
        words: every way to name it (label first), English and Chinese, as written.
        numbers: bounds of numeric concepts (`year_from`, `bpm_max`, `percentile_min`, …).
    """

    facet: str
    concept_id: str
    label: str
    parents: tuple[str, ...]
    near: tuple[str, ...]
    words: tuple[str, ...]
    numbers: dict[str, float]


class Vocabulary:
    """All concepts of one facet."""

    def __init__(self, facet: str, concepts: dict[str, Concept]) -> None:
        self.facet = facet
        self.concepts = concepts

    def __contains__(self, concept_id: object) -> bool:
        return concept_id in self.concepts

    def label(self, concept_id: str) -> str:
        """The concept's label; the id itself when the vocabulary does not hold it."""
        concept = self.concepts.get(concept_id)
        return concept.label if concept else concept_id

    @cached_property
    def by_word(self) -> dict[str, str]:
        """Name key of every word → concept id, for running text: ids such as `is` or `US` are not words there."""
        return {
            key: concept.concept_id for concept in self.concepts.values() for word in concept.words if (key := name_key(word))
        }

    @cached_property
    def _by_key(self) -> dict[str, str]:
        return self.by_word | {name_key(concept_id): concept_id for concept_id in self.concepts}

    def find(self, words: str) -> str | None:
        """The concept id that a catalog's field names by word or by id (case, accents, hyphens, script ignored), or None."""
        return self._by_key.get(name_key(words))

    def ancestors(self, concept_id: str) -> tuple[str, ...]:
        """Every wider concept, nearest first, without the concept itself."""
        found: dict[str, None] = {}
        queue = list(self.concepts[concept_id].parents) if concept_id in self.concepts else []
        while queue:
            parent = queue.pop(0)
            if parent not in found:
                found[parent] = None
                queue.extend(self.concepts[parent].parents)
        return tuple(found)

    @cached_property
    def _children(self) -> dict[str, tuple[str, ...]]:
        children: dict[str, list[str]] = {}
        for concept in self.concepts.values():
            for parent in concept.parents:
                children.setdefault(parent, []).append(concept.concept_id)
        return {parent: tuple(ids) for parent, ids in children.items()}

    def descendants(self, concept_id: str) -> tuple[str, ...]:
        """Every narrower concept, without the concept itself."""
        found: dict[str, None] = {}
        queue = list(self._children.get(concept_id, ()))
        while queue:
            child = queue.pop(0)
            if child not in found:
                found[child] = None
                queue.extend(self._children.get(child, ()))
        return tuple(found)


def _concept(facet: str, concept_id: str, table: dict[str, object]) -> Concept:
    def strings(name: str) -> tuple[str, ...]:
        value = table.get(name, [])
        return tuple(str(item) for item in value) if isinstance(value, list) else ()

    label = str(table.get("label", concept_id))
    numbers = {name: float(str(table[name])) for name in _NUMBERS if name in table}
    words = (label, *strings("en"), *strings("zh"))
    return Concept(facet, concept_id, label, strings("parents"), strings("near"), words, numbers)


@cache
def load_vocabularies() -> dict[str, Vocabulary]:
    """All vocabularies by facet name, read once per process."""
    folder = resources.files("data.vocab")
    vocabularies = {}
    for facet, file_name in FACET_FILES.items():
        tables = tomllib.loads((folder / file_name).read_text(encoding="utf-8"))
        vocabularies[facet] = Vocabulary(facet, {name: _concept(facet, name, table) for name, table in tables.items()})
    return vocabularies


@cache
def facet_words(locale: str = "en") -> dict[str, tuple[tuple[str, str], ...]]:
    """Name key of a word → every (facet, concept id) that it names, over all vocabularies.

    Args:
        locale: ISO 639-1; adds the words of that language (`facet_words/LOCALE.toml`, where there is one) to the English
            and Chinese ones. Within a facet what a word means there goes before what it means in English: "électro".
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for facet, vocabulary in load_vocabularies().items():
        for key, concept_id in vocabulary.by_word.items():
            found.setdefault(key, []).append((facet, concept_id))
    for key, meanings in _local_meanings(locale).items():
        facets = {facet for facet, _ in meanings}
        found[key] = [*(meaning for meaning in found.get(key, ()) if meaning[0] not in facets), *meanings]
    return {key: tuple(concepts) for key, concepts in found.items()}


def facet_phrases(facet: str, locale: str = "en") -> list[tuple[str, str]]:
    """(concept id, words as written) of every phrase of a facet: English, Chinese and those of one more language."""
    named = [(concept.concept_id, words) for concept in load_vocabularies()[facet].concepts.values() for words in concept.words]
    local = _local_words(locale).get(facet, {})
    return named + [(concept_id, inflected(words)[0]) for concept_id, entries in local.items() for words in entries]


def _local_meanings(locale: str) -> dict[str, dict[tuple[str, str], None]]:
    """Name key of a word of one language → its (facet, concept id), each once, in the file's order."""
    found: dict[str, dict[tuple[str, str], None]] = {}
    for facet, concepts in _local_words(locale).items():
        for concept_id, words in concepts.items():
            for key in {name_key(form) for word in words for form in inflected(word)}:
                found.setdefault(key, {})[facet, concept_id] = None
    return found


def inflected(word: str) -> tuple[str, ...]:
    """The forms that an entry of a locale's file stands for: `ruhig//e/er` is ruhig, ruhige, ruhiger."""
    stem, *endings = word.split("/")
    return tuple(stem + ending for ending in endings) if endings else (stem,)


@cache
def local_words() -> dict[str, frozenset[str]]:
    """Name key of a word → the languages in whose facet words it stands; what English and Chinese ones hold is left out."""
    found: dict[str, set[str]] = {}
    for locale in local_files():
        for key in _local_meanings(locale):
            found.setdefault(key, set()).add(locale)
    known = facet_words()
    return {key: frozenset(locales) for key, locales in found.items() if key not in known}


def local_files() -> tuple[str, ...]:
    """The locales that have facet words of their own."""
    folder = resources.files("data.vocab") / "facet_words"
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


@cache
def _local_words(locale: str) -> dict[str, dict[str, list[str]]]:
    """Facet → concept id → words, in one language; empty where there is no file."""
    if locale not in local_files():  # also keeps a strange locale away from the file system
        return {}
    return tomllib.loads((resources.files("data.vocab") / "facet_words" / f"{locale}.toml").read_text(encoding="utf-8"))
