"""Codes and the trie over them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.generative.quantize import LEVELS, codes_per_level, learn_codebooks, quantise, rebuilt, told_apart
from program.generative.trie import CodeTrie

_CODES = st.lists(st.tuples(*[st.integers(0, 2)] * LEVELS), min_size=1, max_size=40)


def _vectors(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, 8)).astype(np.float32)


def test_each_level_says_more_of_the_vectors() -> None:
    """What the codes leave out shrinks from level to level, and codes are as many as asked."""
    vectors = _vectors(400)
    books = learn_codebooks(vectors, 16, np.random.default_rng(1))
    codes = quantise(vectors, books)
    left = [float(((vectors - rebuilt(codes[:, :level], books[:level])) ** 2).sum()) for level in range(1, LEVELS + 1)]

    assert left[0] < float((vectors**2).sum())
    assert left == sorted(left, reverse=True)
    assert len(set(left)) == LEVELS
    assert codes.max() < 16


def test_the_same_seed_gives_the_same_codebooks() -> None:
    """Two runs agree to the last bit; another seed does not."""
    first, again, other = (learn_codebooks(_vectors(200), 8, np.random.default_rng(seed)) for seed in (3, 3, 4))

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_more_codes_than_vectors() -> None:
    """A handful of equal vectors is quantised without a fault."""
    vectors = np.ones((3, 8), dtype=np.float32)
    books = learn_codebooks(vectors, 4, np.random.default_rng(0))

    assert np.allclose(rebuilt(quantise(vectors, books), books), vectors)


@pytest.mark.parametrize(("tracks", "codes"), [(1, 4), (170, 10), (12_745, 64), (100_000, 128), (1_000_000, 256)])
def test_codes_grow_with_the_catalog(tracks: int, codes: int) -> None:
    """64 to 256 codes a level by the size of the catalog, fewer for a handful of tracks."""
    assert codes_per_level(tracks) == codes


@given(_CODES)
def test_collisions_are_resolved(rows: list[tuple[int, ...]]) -> None:
    """The last code makes every ID unique, counts from 0 in row order and leaves the codes before it alone."""
    codes = np.array(rows, dtype=np.uint16)
    ids = told_apart(codes)

    assert np.array_equal(ids[:, :-1], codes)
    assert len({tuple(row) for row in ids.tolist()}) == len(rows)
    for row, last in enumerate(ids[:, -1]):
        assert last == rows[:row].count(rows[row])


@given(_CODES, st.integers(0, 2**32 - 1))
def test_the_trie_holds_exactly_its_tracks(rows: list[tuple[int, ...]], seed: int) -> None:
    """Walking every path from the root comes to every track once, along its own codes."""
    ids = told_apart(np.array(rows, dtype=np.uint16))
    names = np.random.default_rng(seed).permutation(1_000)[: len(rows)]
    trie = CodeTrie(ids, names)
    nodes, prefixes = np.zeros(1, dtype=np.int64), np.zeros((1, 0), dtype=np.int64)
    for level in range(trie.levels):
        parents, nodes, codes = trie.children(level, nodes)
        prefixes = np.concatenate([prefixes[parents], codes[:, None]], axis=1)

    found = dict(zip(trie.rows[nodes].tolist(), map(tuple, prefixes.tolist()), strict=True))
    assert found == dict(zip(names.tolist(), map(tuple, ids.tolist()), strict=True))


def test_a_trie_refuses_equal_codes() -> None:
    """Two tracks of the same ID could not be told apart."""
    with pytest.raises(ValueError, match="same codes"):
        CodeTrie(np.zeros((2, 4), dtype=np.uint16), np.arange(2))
