from __future__ import annotations

import pytest

from data.catalog.importers.facets import FacetWords, Sorted
from data.vocab.loader import Vocabulary


@pytest.mark.parametrize(
    ("field", "words", "expected"),
    [
        ("genres", ["Rock", "RAP", "rap"], {"genres": ["rock", "hip-hop"]}),
        ("genres", ["摇滚", "zydeco"], {"genres": ["rock"], "tags": ["zydeco"]}),
        ("genres", ["Hip-Hop/Rap"], {"genres": ["hip-hop"]}),
        ("genres", ["Rock, Zydeco; Polka"], {"genres": ["rock"], "tags": ["Zydeco", "Polka"]}),
        ("genres", ["Folk, World"], {"tags": ["Folk, World"]}),
        ("genres", ["gym"], {"activities": ["workout"]}),
        ("moods", ["joyful"], {"moods": ["happy"]}),
        ("tags", ["keys", "Rock music", "b-side"], {"instruments": ["piano"], "genres": ["rock"], "tags": ["b-side"]}),
    ],
)
def test_sort(vocabularies: dict[str, Vocabulary], field: str, words: list[str], expected: dict[str, list[str]]) -> None:
    """Words become ids of the field's vocabulary, else of another's, else tags as written."""
    found: Sorted = {}
    FacetWords(vocabularies).sort(field, words, found)

    assert {name: list(ids) for name, ids in found.items()} == expected


def test_single_words(vocabularies: dict[str, Vocabulary]) -> None:
    """Region, language, voice and version words that mean nothing to us are kept as tags."""
    found: Sorted = {}
    facets = FacetWords(vocabularies)

    assert [facets.region(word, found) for word in ("Sweden", "Narnia")] == ["SE", None]
    assert [facets.language(word, found) for word in ("Swedish", "elvish", "zxx")] == ["sv", None, None]
    assert [facets.vocal(word, found) for word in ("F", "女声", "Duet", "choir")] == ["female", "female", "mixed", None]
    assert [facets.version(word, found) for word in ("LIVE", "re recording", "radio edit")] == [
        "live",
        "re-recording",
        None,
    ]
    assert list(found["tags"]) == ["Narnia", "elvish", "choir", "radio edit"]


def test_no_vocabulary() -> None:
    """Without vocabularies every facet word is a tag."""
    found: Sorted = {}
    FacetWords({}).sort("genres", ["Rock"], found)

    assert found == {"tags": {"Rock": None}}
