"""The trie of all playable tracks' codes: the only paths that a beam may take, so nothing else can come out.

Leaves are tracks in the order of their codes. A node of a level is a run of leaves with the same codes up to there; its
children are the runs of the next level inside it.
"""

from __future__ import annotations

import numpy as np

from program.generative.quantize import Codes, Whole


class CodeTrie:
    """A trie over unique code rows.

    Attributes:
        rows: the track row of each leaf, in the order of the codes.

    Args:
        codes: shape (tracks, levels), every row unique. rows: the track row of each, shape (tracks,).
    """

    def __init__(self, codes: Codes, rows: Whole) -> None:
        order = np.lexsort(codes.T[::-1])
        self.rows = np.asarray(rows, dtype=np.int64)[order]
        ordered = codes[order]
        self._codes: list[Whole] = []
        self._children: list[Whole] = []
        fresh = np.zeros(len(codes), dtype=bool)
        fresh[:1] = True
        before = np.zeros(1 if len(codes) else 0, dtype=np.int64)
        for level in range(codes.shape[1]):
            fresh[1:] |= ordered[1:, level] != ordered[:-1, level]
            starts = np.flatnonzero(fresh)
            self._codes.append(ordered[starts, level].astype(np.int64))
            self._children.append(np.append(np.searchsorted(starts, before), len(starts)))
            before = starts
        if len(before) != len(codes):
            raise ValueError("two tracks have the same codes")

    @property
    def levels(self) -> int:
        """Codes of a track."""
        return len(self._codes)

    def __len__(self) -> int:
        return len(self.rows)

    def children(self, level: int, nodes: Whole) -> tuple[Whole, Whole, Whole]:
        """The nodes of `level` below the nodes of the level before (below the root for level 0).

        Returns:
            For each child: the place of its parent in `nodes`, the child, its code. The nodes of the last level are leaves:
            positions in `rows`.
        """
        first, last = self._children[level][nodes], self._children[level][nodes + 1]
        counts = last - first
        parents = np.repeat(np.arange(len(nodes)), counts)
        found = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        return parents, found, self._codes[level][found]
