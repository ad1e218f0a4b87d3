"""Collects the words of all names during a build and writes them as the tables that `words.py` reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from data.names import has_cjk, name_form
from data.phonetic import sound_key
from program.index.words import FACTOR, PREFIX, Array, drops, sound_hash

_SHORTEST, _LONGEST = 4, 30
_SIDE = np.uint64(32)


class WordCollector:
    """The words of names, each with the popularity of the best-known name that holds it."""

    def __init__(self, common: frozenset[str] = frozenset()) -> None:
        """Begin with the everyday words `common`: a slip of one of them is no slip of a name."""
        self._common = common
        self._weights: dict[str, float] = {}
        self._names: dict[str, float] = {}

    def add_name(self, name: str, popularity: float) -> None:
        """Add the words of a name."""
        if self._names.get(name, -1.0) >= popularity:
            return
        self._names[name] = popularity
        self.add_words(name_form(name).split(" "), popularity)

    def add_words(self, words: Iterable[str], popularity: float) -> None:
        """Add words in normal form."""
        weights = self._weights
        for word in words:
            if weights.get(word, -1.0) < popularity:
                weights[word] = popularity

    def write(self, folder: Path) -> int:
        """Write the tables into the new folder `folder`; returns how many words they hold."""
        folder.mkdir()
        words = sorted(filter(_is_word, self._weights.keys() | self._common))
        encoded = [word.encode() for word in words]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.uint32)
        np.save(folder / "letters.npy", np.frombuffer(b"".join(encoded), dtype=np.uint8))
        np.save(folder / "offsets.npy", ends)
        np.save(folder / "lengths.npy", np.array([len(word) for word in words], dtype=np.int16))
        np.save(folder / "weights.npy", np.array([self._weights.get(word, -1.0) for word in words], dtype=np.float32))
        np.save(folder / "common.npy", np.array([word in self._common for word in words], dtype=bool))
        _save_table(folder, "spelt", _spelling_entries(words))
        _save_table(folder, "sounds", _sound_entries(words))
        return len(words)


def _is_word(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and not word.isdigit() and (word.isascii() or not has_cjk(word))


def _spelling_entries(words: list[str]) -> Array:
    """Hash and word id in one number each: every spelling of every word with letters left out."""
    lengths = np.array([min(len(word), PREFIX) for word in words], dtype=np.int64)
    letters = np.array([word[:PREFIX] for word in words], dtype=f"<U{PREFIX}").view(np.uint32).reshape(len(words), PREFIX)
    entries = []
    for length in range(_SHORTEST, PREFIX + 1):
        ids = np.flatnonzero(lengths == length)
        columns = np.ascontiguousarray(letters[ids].T)
        for dropped in drops(length):
            entries.append((_hashes(columns[:length], dropped).astype(np.uint64) << _SIDE) | ids.astype(np.uint64))
    return np.concatenate(entries)


def _hashes(columns: Array, dropped: tuple[int, ...]) -> Array:
    """`words.spelling_hash` of many prefixes at once. columns: letters by position, shape (length, words), uint32."""
    value = np.zeros(columns.shape[1], dtype=np.uint32)
    for position, column in enumerate(columns):
        if position not in dropped:
            value = (value ^ column) * np.uint32(FACTOR)
    mixed: Array = value ^ (value >> np.uint32(15))
    return mixed


def _sound_entries(words: list[str]) -> Array:
    sounds = [(sound_hash(key), number) for number, word in enumerate(words) if (key := sound_key(word))]
    pairs = np.array(sounds, dtype=np.uint64).reshape(len(sounds), 2)
    return (pairs[:, 0] << _SIDE) | pairs[:, 1]


def _save_table(folder: Path, name: str, entries: Array) -> None:
    """Write `entries` by bucket: as many buckets as there are entries, rounded down to a power of two."""
    bits = max(1, len(entries).bit_length() - 1)
    entries.sort()
    buckets = (entries >> np.uint64(64 - bits)).astype(np.int64)
    ids = (entries & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    new = np.ones(len(entries), dtype=bool)
    new[1:] = (buckets[1:] != buckets[:-1]) | (ids[1:] != ids[:-1])
    starts = np.zeros((1 << bits) + 1, dtype=np.uint32)
    np.cumsum(np.bincount(buckets[new], minlength=1 << bits), out=starts[1:])
    np.save(folder / f"{name}.starts.npy", starts)
    np.save(folder / f"{name}.ids.npy", ids[new])
