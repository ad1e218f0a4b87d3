"""The words of all names, and everyday words, to be found again from misspelt or misheard ones.

The tables are memory-mapped; nothing is loaded.
Two hash tables lead to words. One holds every word's spellings with up to two letters left out (of its first `PREFIX`
letters): two words within that many edits share one of them. The other holds what words sound like. A table is two
arrays, `starts` by bucket and `ids` of words; what falls into a bucket by chance is sorted out by the true distance.
Source of the first: W. Garbe, SymSpell (symmetric delete, prefix indexing).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from data.phonetic import sound_key

PREFIX = 7
"""Letters at the beginning of a word that are indexed; longer ones are told apart by the true distance."""
MAX_EDITS = 2
_TWO_DROPS_FROM = 6
"""Shorter words are reached by dropping one letter: what is two edits away from them is too short to be corrected."""
FACTOR, WORD_BITS = 0x9E3779B1, 0xFFFFFFFF
_TABLES = ("spelt", "sounds")
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class NearWord:
    """A word near to a given one.

    Attributes:
        weight: popularity of the best-known name that uses it, 0..1; -1 for an everyday word that no name uses.
        common: whether it is an everyday word, used in a name or not.
    """

    word: str
    distance: int
    weight: float
    common: bool


@cache
def drops(length: int, most: int = MAX_EDITS) -> tuple[tuple[int, ...], ...]:
    """Which letters of a prefix of `length` letters are left out, for each of its entries in the table."""
    most = min(most, MAX_EDITS if length >= _TWO_DROPS_FROM else 1)
    return tuple(kept for count in range(most + 1) for kept in combinations(range(length), count))


def spelling_hash(prefix: str, dropped: tuple[int, ...]) -> int:
    """32-bit hash of a prefix without the dropped letters; `word_tables.py` computes the same over whole columns."""
    value = 0
    for position, char in enumerate(prefix):
        if position not in dropped:
            value = ((value ^ ord(char)) * FACTOR) & WORD_BITS
    return value ^ (value >> 15)


def sound_hash(sounds: str) -> int:
    """32-bit hash of what a word sounds like."""
    return crc32(sounds.encode())


class _Table:
    """One hash table on disk."""

    def __init__(self, folder: Path, name: str) -> None:
        self.starts = mapped(folder / f"{name}.starts.npy")
        self.ids = mapped(folder / f"{name}.ids.npy")
        self._shift = 33 - len(self.starts).bit_length()
        if len(self.starts) < 2 or int(self.starts[-1]) != len(self.ids):
            raise ValueError(f"the table {name} of its word list is cut")

    def find(self, hashes: Iterable[int]) -> set[int]:
        """Ids of the words in the buckets of these hashes."""
        found: set[int] = set()
        for bucket in {value >> self._shift for value in hashes}:
            first, last = int(self.starts[bucket]), int(self.starts[bucket + 1])
            if last > first:
                found.update(self.ids[first:last].tolist())
        return found


def mapped(file: Path) -> Array:
    """An array on disk, memory-mapped."""
    array: Array = np.load(file, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    return array


class WordList:
    """The words of one index, opened read-only."""

    def __init__(self, folder: Path) -> None:
        """Map the files.

        Raises:
            OSError, ValueError, EOFError: a file is missing or damaged, or does not fit the others.
        """
        self._letters = mapped(folder / "letters.npy")
        self._offsets = mapped(folder / "offsets.npy")
        self._weights = mapped(folder / "weights.npy")
        self._common = mapped(folder / "common.npy")
        self._lengths = mapped(folder / "lengths.npy")
        self._spelt, self._sounds = (_Table(folder, name) for name in _TABLES)
        fits = len(self._offsets) == len(self) + 1 and int(self._offsets[-1]) == len(self._letters)
        if not fits or len(self._common) != len(self) or len(self._lengths) != len(self):
            raise ValueError("the parts of its word list disagree")

    def __len__(self) -> int:
        return len(self._weights)

    def near(self, word: str, distance: int, limit: int) -> list[NearWord]:
        """Words within `distance` edits (at most 2; a swap of neighbours is one), the nearest and best-known first."""
        from rapidfuzz.distance import OSA  # 50 ms to load, and most requests have no misspelt word

        prefix = word[:PREFIX]
        ids = self._spelt.find(spelling_hash(prefix, dropped) for dropped in drops(len(prefix), distance))
        found = []
        for number, other in self._words(self._of_length(ids, len(word) - distance, len(word) + distance)):
            if (edits := OSA.distance(word, other, score_cutoff=distance)) <= distance:
                found.append(self._near(number, other, edits))
        return _best(found, limit)

    def is_everyday(self, word: str) -> bool:
        """Whether it is an everyday word."""
        ids = self._spelt.find([spelling_hash(word[:PREFIX], ())])
        return any(other == word and bool(self._common[number]) for number, other in self._words(ids))

    def sounding_like(self, word: str, limit: int) -> list[NearWord]:
        """Words that sound like `word`, the most alike in writing and best-known first; distance counts edits."""
        sounds = sound_key(word)
        if not sounds:
            return []
        from rapidfuzz.distance import OSA

        ids = self._sounds.find([sound_hash(sounds)])
        alike = [
            self._near(number, other, OSA.distance(word, other))
            for number, other in self._words(ids)
            if sound_key(other) == sounds
        ]
        return _best(alike, limit)

    def _of_length(self, ids: set[int], shortest: int, longest: int) -> list[int]:
        numbers = np.fromiter(ids, dtype=np.int64, count=len(ids))
        lengths = self._lengths[numbers]
        kept: list[int] = numbers[(lengths >= shortest) & (lengths <= longest)].tolist()
        return kept

    def _near(self, number: int, word: str, distance: int) -> NearWord:
        return NearWord(word, distance, float(self._weights[number]), bool(self._common[number]))

    def _words(self, ids: Iterable[int]) -> Iterator[tuple[int, str]]:
        offsets, letters = self._offsets, self._letters
        for number in ids:
            yield number, letters[offsets[number] : offsets[number + 1]].tobytes().decode()


def _best(found: list[NearWord], limit: int) -> list[NearWord]:
    return sorted(found, key=lambda near: (near.distance, -near.weight, near.word))[:limit]
