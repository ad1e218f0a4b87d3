"""Track vectors as one int8 matrix, and for large catalogs a coarse index of artists that says which rows to score.

A small catalog is searched exhaustively (SIMD, under a millisecond for ten thousand tracks). Above `COARSE_ABOVE` tracks the
nearest artists by centroid come first, and only their tracks are scored: a graph over a million tracks would take
longer to build than all the rest, and an artist's tracks lie close together by how their vectors are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from data.errors import CatalogIndexError
from program.index.embedder import unit
from program.index.native import VectorIndex, exact_search
from program.index.protocol import Vector

COARSE_ABOVE = 50_000
_NEAREST_ARTISTS = 256
_CONNECTIVITY, _EXPANSION_ADD, _EXPANSION_SEARCH = 16, 64, 256
_MATRIX, _CENTROIDS, _OWNERS = "vectors.npy", "centroids.usearch", "owners.npz"
Rows = np.ndarray[Any, np.dtype[np.int64]]


def quantised(vectors: Vector) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Rows scaled to the full int8 range each; cosine does not see the scale. Zero rows stay zero."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.asarray(np.rint(vectors / np.maximum(largest, 1e-9) * 127), dtype=np.int8)


class VectorWriter:
    """Writes the matrix row by row, and the coarse index when the catalog is large.

    Args:
        owners: the artist row of each track, shape (tracks,).
    """

    def __init__(self, folder: Path, owners: Rows, dims: int) -> None:
        self._folder = folder
        self._owners = owners
        shape = (len(owners), dims)
        self._matrix = np.lib.format.open_memmap(folder / _MATRIX, mode="w+", dtype=np.int8, shape=shape)
        self._coarse = len(owners) > COARSE_ABOVE
        self._sums = np.zeros((int(owners.max()) + 1 if self._coarse else 0, dims), dtype=np.float32)

    def add(self, first: int, vectors: Vector) -> None:
        """Write the vectors of rows [first, first + len(vectors))."""
        last = first + len(vectors)
        self._matrix[first:last] = quantised(vectors)
        if self._coarse:
            np.add.at(self._sums, self._owners[first:last], vectors)

    def close(self) -> None:
        """Finish the matrix; build the coarse index where there is one."""
        self._matrix.flush()
        if not self._coarse:
            return
        order = np.argsort(self._owners, kind="stable")
        owners, starts = np.unique(self._owners[order], return_index=True)
        np.savez(self._folder / _OWNERS, rows=order, owners=owners, starts=np.append(starts, len(order)))
        index = VectorIndex(
            ndim=self._sums.shape[1],
            metric="cos",
            dtype="f16",
            connectivity=_CONNECTIVITY,
            expansion_add=_EXPANSION_ADD,
            expansion_search=_EXPANSION_SEARCH,
        )
        index.add(np.arange(len(owners)), unit(self._sums[owners]), threads=2)
        index.save(str(self._folder / _CENTROIDS))


class TrackVectors:
    """The vectors of an opened index.

    Raises:
        CatalogIndexError: the files are damaged or do not fit the catalog.
    """

    def __init__(self, folder: Path, tracks: int) -> None:
        try:
            self._matrix = np.load(folder / _MATRIX, mmap_mode="r", allow_pickle=False).view(np.ndarray)
            self._groups = np.load(folder / _OWNERS, allow_pickle=False) if tracks > COARSE_ABOVE else None
            restored = VectorIndex.restore(str(folder / _CENTROIDS), view=True) if self._groups is not None else None
        except Exception as error:  # usearch raises bare RuntimeError, numpy half a dozen kinds
            raise CatalogIndexError(f"the vectors of {folder} are damaged: {error}") from error
        if self._matrix.ndim != 2 or len(self._matrix) != tracks or (self._groups is not None and restored is None):
            raise CatalogIndexError(f"the vectors of {folder} are damaged")
        self._centroids = restored
        if self._groups is not None:
            self._rows, self._starts = self._groups["rows"], self._groups["starts"]

    def get(self, rows: Sequence[int] | Rows) -> Vector:
        """Unit vectors of tracks, shape (len(rows), dims)."""
        return unit(np.asarray(self._matrix[np.asarray(rows, dtype=np.int64)], dtype=np.float32))

    def nearest(self, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest tracks, best first."""
        if self._centroids is None:
            found = exact_search(self._matrix, quantised(vector[None])[0], min(limit, len(self._matrix)))
            return [(int(row), 1.0 - float(far)) for row, far in zip(found.keys, found.distances, strict=True)]
        near = self._centroids.search(vector, _NEAREST_ARTISTS).keys
        rows = np.concatenate([self._rows[self._starts[group] : self._starts[group + 1]] for group in near])
        scores = self.get(rows) @ vector
        top = np.argsort(-scores, kind="stable")[:limit]
        return [(int(rows[position]), float(scores[position])) for position in top]
