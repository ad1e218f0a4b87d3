"""Requests to tracks: the model writes codes along the trie, by beam search, and ends at tracks.

What the beam reaches is put in order by the codes' log probabilities and, `NEARNESS` times as much, by how near the track's
vector is to the request's: codes are coarse, and the vector settles what they leave open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from program.generative.model import CodeModel, Reading
from program.generative.quantize import Codes, Whole, rebuilt
from program.generative.trie import CodeTrie
from program.index.protocol import Vector

WIDTH = 512
NEARNESS = 40.0
"""Nats for a cosine of 1; tuned on the training rows of the labelled sets (experiments/LOG.md)."""
Flags = np.ndarray[Any, np.dtype[np.bool_]]


class TrackVectors(Protocol):
    """Where the vectors of tracks come from."""

    def __call__(self, rows: Sequence[int]) -> Vector:
        """Vectors of tracks, shape (len(rows), dims)."""


class SemanticIds:
    """The codes of a catalog with the model that writes them. Only playable tracks are in the trie.

    Args:
        codes: of every track, shape (tracks, levels + 1). playable: one a track.
    """

    def __init__(self, model: CodeModel, codes: Codes, playable: Flags, vectors: TrackVectors) -> None:
        self._model = model
        self._codes = codes
        self._playable = playable
        self._vectors = vectors
        rows = np.flatnonzero(playable)
        self._trie = CodeTrie(codes[rows], rows)

    def codes(self, row: int) -> tuple[int, ...]:
        """The Semantic ID of a track."""
        return tuple(int(code) for code in self._codes[row])

    def generate(self, request: Vector, *, width: int = WIDTH, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """(row, score) of playable tracks, best first, at most `width`; the same call gives the same list.

        Args:
            request: unit vector, shape (dims,). width: paths that are followed at once.
            among: only these rows may come out; None lets every playable track.
        """
        trie = self._trie if among is None else self._within(among)
        if not len(trie):
            return []
        rows, chances = self._beam(trie, self._model.read(request), width)
        scores = chances + NEARNESS * (self._vectors(rows.tolist()) @ request)
        order = np.argsort(-scores, kind="stable")
        return [(int(row), float(score)) for row, score in zip(rows[order], scores[order], strict=True)]

    def _within(self, among: Sequence[int]) -> CodeTrie:
        rows = np.unique(np.asarray(among, dtype=np.int64))
        rows = rows[self._playable[rows]]
        return CodeTrie(self._codes[rows], rows)

    def _beam(self, trie: CodeTrie, reading: Reading, width: int) -> tuple[Whole, Vector]:
        """The rows at the end of the most probable paths, with their log probabilities.

        A code's probability is its share among all codes of its level, those that lead nowhere included: a path is not
        better for being the only one.
        """
        nodes, totals = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.float32)
        prefixes = np.zeros((1, 0), dtype=np.int64)
        for level in range(trie.levels):
            parents, found, codes = trie.children(level, nodes)
            if level < self._model.levels:
                shares = _log_shares(reading.scores(level, prefixes))[parents, codes]
            else:
                shares = self._told_apart(reading, trie.rows[found], parents)
            reached = totals[parents] + shares
            kept = np.argsort(-reached, kind="stable")[:width]
            nodes, totals = found[kept], reached[kept]
            prefixes = np.concatenate([prefixes[parents[kept]], codes[kept, None]], axis=1)
        return trie.rows[nodes], totals

    def _told_apart(self, reading: Reading, rows: Whole, parents: Whole) -> Vector:
        """Log probability of the last code: among tracks of equal codes, by what the codes leave of their vectors."""
        counts = np.bincount(parents)
        shares = np.zeros(len(rows), dtype=np.float32)
        shared = counts[parents] > 1
        if not shared.any():
            return shares
        held = rows[shared]
        rest = self._vectors(held.tolist()) - rebuilt(self._codes[held, : self._model.levels], self._model.books)
        shares[shared] = _log_shares_of_runs(reading.leaf_scores(rest), counts[counts > 1])
        return shares


def _log_shares(scores: Vector) -> Vector:
    """Log of the softmax of each row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), dtype=np.float32)


def _log_shares_of_runs(scores: Vector, counts: Whole) -> Vector:
    """Log of the softmax within each run of `scores`, the lengths of which are `counts`."""
    starts = np.cumsum(counts) - counts
    shifted = scores - np.repeat(np.maximum.reduceat(scores, starts), counts)
    return np.asarray(shifted - np.repeat(np.log(np.add.reduceat(np.exp(shifted), starts)), counts), dtype=np.float32)
