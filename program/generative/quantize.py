"""Residual quantisation: a vector becomes a few codes, coarse to fine, and a last one that tells equal codes apart.

Source: Semantic IDs after Rajput et al. 2023 (TIGER), with residual k-means in place of a trained RQ-VAE.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from program.index.protocol import Vector

LEVELS = 3
Codes = np.ndarray[Any, np.dtype[np.integer[Any]]]
Whole = np.ndarray[Any, np.dtype[np.int64]]

_FEWEST, _MOST = 4, 256
_ROUNDS = 15
_BLOCK = 8_192


def codes_per_level(tracks: int) -> int:
    """64 codes a level up to some twenty thousand tracks, 128 up to some two hundred thousand, then 256; few for a handful."""
    if tracks < 4_096:
        return max(_FEWEST, min(64, tracks // 16))
    return 64 if tracks <= 20_000 else 128 if tracks <= 200_000 else _MOST


def learn_codebooks(
    vectors: Vector, codes: int, rng: np.random.Generator, on_level: Callable[[int], None] = lambda level: None
) -> Vector:
    """Codebooks of each level, shape (LEVELS, codes, dims), from a sample of vectors, shape (sample, dims)."""
    books = np.zeros((LEVELS, codes, vectors.shape[1]), dtype=np.float32)
    rest = vectors.astype(np.float32, copy=True)
    for level in range(LEVELS):
        books[level] = _kmeans(rest, codes, rng)
        rest -= books[level][nearest_codes(rest, books[level])]
        on_level(level + 1)
    return books


def quantise(vectors: Vector, books: Vector) -> Codes:
    """The codes of each vector, shape (rows, LEVELS)."""
    found = np.zeros((len(vectors), len(books)), dtype=np.uint16)
    rest = vectors.astype(np.float32, copy=True)
    for level, book in enumerate(books):
        chosen = nearest_codes(rest, book)
        found[:, level] = chosen
        rest -= book[chosen]
    return found


def rebuilt(codes: Codes, books: Vector) -> Vector:
    """What the codes say of the vectors, shape (rows, dims)."""
    return np.asarray(sum(book[codes[:, level]] for level, book in enumerate(books)), dtype=np.float32)


def told_apart(codes: Codes) -> Codes:
    """`codes` with one more column: 0, 1, … among rows of equal codes, in row order. Every row of the result is unique.

    Raises:
        ValueError: more rows share their codes than a code can count.
    """
    order = np.lexsort(codes.T[::-1])
    ordered = codes[order]
    fresh = np.ones(len(codes), dtype=bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(fresh)
    places = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
    if len(places) and places.max() > np.iinfo(np.uint16).max:
        raise ValueError("too many tracks share their codes")
    last = np.zeros(len(codes), dtype=np.uint16)
    last[order] = places
    return np.concatenate([codes, last[:, None]], axis=1)


def nearest_codes(vectors: Vector, book: Vector) -> Whole:
    """The row of `book` that is nearest to each vector; of equals the first."""
    half = (book**2).sum(axis=1) / 2
    blocks = [np.argmax(vectors[at : at + _BLOCK] @ book.T - half, axis=1) for at in range(0, len(vectors), _BLOCK)]
    return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.int64)


def _kmeans(vectors: Vector, codes: int, rng: np.random.Generator) -> Vector:
    """Lloyd's algorithm from random rows; a code that nothing falls to moves to the vectors that are told worst."""
    book = vectors[rng.choice(len(vectors), size=codes, replace=len(vectors) < codes)].copy()
    for _ in range(_ROUNDS):
        chosen = nearest_codes(vectors, book)
        counts = np.bincount(chosen, minlength=codes)
        order = np.argsort(chosen, kind="stable")
        held = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[held]
        far = ((vectors - book[chosen]) ** 2).sum(axis=1)
        book[held] = np.add.reduceat(vectors[order], starts, axis=0) / counts[held, None]
        empty = np.flatnonzero(counts == 0)
        book[empty] = vectors[np.argsort(-far, kind="stable")[np.arange(len(empty)) % len(vectors)]]
    return np.asarray(book, dtype=np.float32)
