from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from program.index.word_tables import WordCollector
from program.index.words import PREFIX, WordList

LETTERS = "abcdeé"


def listed(folder: Path, words: dict[str, float], common: frozenset[str] = frozenset()) -> WordList:
    """The word list of some words with their popularity."""
    collector = WordCollector(common)
    for word, popularity in words.items():
        collector.add_words([word], popularity)
    collector.write(folder / f"words-{len(list(folder.iterdir()))}")
    return WordList(max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns))


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], WordList]:
    """3,000 words of few letters, so that many are near to each other."""
    rng = Random(1)
    words = sorted({"".join(rng.choice(LETTERS) for _ in range(rng.randrange(4, 13))) for _ in range(3_000)})
    return words, listed(tmp_path_factory.mktemp("words"), dict.fromkeys(words, 0.5))


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet=LETTERS, min_size=5, max_size=12))
def test_nothing_near_is_missed(made_up: tuple[list[str], WordList], word: str) -> None:
    """The tables lead to every word that a walk through all of them finds, one error up to seven letters, two from eight on."""
    words, tables = made_up
    distance = 2 if len(word) > PREFIX else 1
    near = {other for other in words if OSA.distance(word, other, score_cutoff=distance) <= distance}

    assert {found.word for found in tables.near(word, distance, 10_000)} == near


def test_order_and_limit(tmp_path: Path) -> None:
    """The nearest come first, then the best known; no more than the limit."""
    tables = listed(tmp_path, {"metallica": 0.9, "metalica": 0.1, "metallico": 0.95, "other": 1.0})
    found = tables.near("metallica", 1, 9)

    assert [near.word for near in found] == ["metallica", "metallico", "metalica"]
    assert (found[0].distance, found[0].common) == (0, False)
    assert found[0].weight == pytest.approx(0.9)
    assert tables.near("metallica", 1, 1) == found[:1]


def test_what_is_a_word(tmp_path: Path) -> None:
    """Words of fewer than four letters, numbers, Chinese and very long ones are left out."""
    tables = listed(tmp_path, dict.fromkeys(["abc", "1999", "周杰伦的歌", "x" * 31, "blink182", "молчат"], 0.5))

    assert len(tables) == 2
    assert [near.word for near in tables.near("молчит", 1, 5)] == ["молчат"]
    assert [near.word for near in tables.near("blnk182", 1, 5)] == ["blink182"]


def test_the_best_known_name_counts(tmp_path: Path) -> None:
    """A word weighs as much as the best known of the names that use it."""
    collector = WordCollector()
    for name, popularity in (("Big Thief", 0.4), ("Big Shot", 0.7), ("Thief", 0.2), ("Big Thief", 0.3)):
        collector.add_name(name, popularity)
    collector.write(tmp_path / "words")

    near = WordList(tmp_path / "words").near("theif", 1, 9)

    assert [word.word for word in near] == ["thief"]
    assert near[0].weight == pytest.approx(0.4)


def test_everyday_words(tmp_path: Path) -> None:
    """An everyday word is told from the words of names, and one may be both."""
    tables = listed(tmp_path, {"yesterday": 0.9, "metallica": 0.9}, frozenset({"yesterday", "kitchen"}))

    assert [(near.word, near.weight >= 0, near.common) for near in tables.near("yesterdya", 2, 5)] == [("yesterday", True, True)]
    assert [(near.word, near.weight, near.common) for near in tables.near("kitchin", 1, 5)] == [("kitchen", -1.0, True)]
    assert tables.is_everyday("kitchen") and tables.is_everyday("yesterday")
    assert not tables.is_everyday("metallica") and not tables.is_everyday("kitchens")


def test_sounds(tmp_path: Path) -> None:
    """Words that are said alike are found, and no others."""
    tables = listed(tmp_path, {"moore": 0.5, "mauer": 0.9, "sigur": 0.5, "more": 0.1})

    assert [near.word for near in tables.sounding_like("moar", 5)] == ["moore", "more", "mauer"]
    assert tables.sounding_like("zzzz", 5) == []


def test_parts_that_disagree(tmp_path: Path) -> None:
    """A table that was cut is told when it is opened."""
    listed(tmp_path, {"moore": 0.5})
    folder = next(tmp_path.iterdir())
    (folder / "spelt.ids.npy").write_bytes((folder / "sounds.ids.npy").read_bytes())

    with pytest.raises(ValueError, match="spelt"):
        WordList(folder)
