"""What stands together in playlists: for each track and each artist the nearest others, counted when an index is built.

Likeness is the cosine of two columns of the playlist-by-track table, brought down where they met seldom:
met / (sqrt(in_a * in_b) + SHRINK). The tables are three arrays each, memory-mapped: where a row's neighbours start, who
they are, and how near they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np

from data.errors import CatalogIndexError

Kind = Literal["track", "artist"]
Numbers = np.ndarray[Any, np.dtype[Any]]
NEIGHBOURS = 50
SHRINK = 2.0
MOST_OF_A_PLAYLIST = 300
"""Tracks of one playlist that count: a list of everything says little of what belongs together."""
_CHUNK = 2_000
_FOLDER = "together"
_PARTS = ("starts", "rows", "scores")


def write_together(
    work: Path, playlists: Iterable[tuple[str, str]], track_rows: Mapping[str, int], owners: Numbers
) -> dict[str, Any]:
    """Write the tables of both kinds into `work`; returns how many playlists and entries counted, and their digest.

    Args:
        playlists: (playlist id, track id), in any order; tracks that the catalog does not hold are left out.
        owners: artist row of each track, shape (tracks,).
    """
    names: dict[str, int] = {}
    held = sorted({(names.setdefault(name, len(names)), track_rows[t]) for name, t in playlists if t in track_rows})
    kept = [pair for _, group in groupby(held, key=itemgetter(0)) for pair in list(group)[:MOST_OF_A_PLAYLIST]]
    lists = np.array([playlist for playlist, _ in kept], dtype=np.int64)
    tracks = np.array([track for _, track in kept], dtype=np.int64)
    folder = work / _FOLDER
    folder.mkdir()
    _write(folder, "track", lists, tracks, len(owners))
    _write(folder, "artist", lists, owners[tracks], int(owners.max()) + 1)
    digest = hashlib.sha256(np.stack([lists, tracks]).tobytes()).hexdigest()
    return {"playlists": len(np.unique(lists)), "entries": len(kept), "sha256": digest}


def _write(folder: Path, kind: Kind, lists: Numbers, members: Numbers, size: int) -> None:
    from scipy.sparse import csc_array  # a build with playlists alone needs it

    pairs = np.unique(np.stack([lists, members]), axis=1) if lists.size else np.zeros((2, 0), dtype=np.int64)
    shape = (int(pairs[0].max()) + 1 if pairs.size else 1, size)
    table = csc_array((np.ones(pairs.shape[1], dtype=np.float32), (pairs[0], pairs[1])), shape=shape)
    among = np.sqrt(np.asarray(table.sum(axis=0)).ravel())
    starts = np.zeros(size + 1, dtype=np.int64)
    rows: list[Numbers] = []
    scores: list[Numbers] = []
    for first in range(0, size, _CHUNK):
        met = (table[:, first : first + _CHUNK].T @ table).tocsr()
        for offset in range(met.shape[0]):
            near, likeness = _nearest(met, offset, first + offset, among)
            starts[first + offset + 1] = len(near)
            rows.append(near)
            scores.append(likeness)
    np.save(folder / f"{kind}.starts.npy", np.cumsum(starts))
    np.save(folder / f"{kind}.rows.npy", np.concatenate(rows).astype(np.int32))
    np.save(folder / f"{kind}.scores.npy", np.concatenate(scores).astype(np.float16))


def _nearest(met: Any, offset: int, own: int, among: Numbers) -> tuple[Numbers, Numbers]:
    """The neighbours of one row, nearest first, by row where they are equally near."""
    span = slice(met.indptr[offset], met.indptr[offset + 1])
    others, times = met.indices[span], met.data[span]
    apart = others != own
    others, times = others[apart], times[apart]
    likeness = times / (among[own] * among[others] + SHRINK)
    order = np.lexsort((others, -likeness))[:NEIGHBOURS]
    return others[order], likeness[order]


class Together:
    """The tables of an opened index; empty where it was built without playlists.

    Raises:
        CatalogIndexError: the tables are damaged or do not fit the catalog.
    """

    def __init__(self, index: Path, sizes: Mapping[Kind, int]) -> None:
        self._tables: dict[Kind, tuple[Numbers, Numbers, Numbers]] = {}
        folder = index / _FOLDER
        if not folder.is_dir():
            return
        for kind, size in sizes.items():
            try:
                loaded = [np.load(folder / f"{kind}.{part}.npy", mmap_mode="r", allow_pickle=False) for part in _PARTS]
            except (OSError, ValueError, EOFError) as error:
                raise CatalogIndexError(f"{_FOLDER} of the index at {index} is damaged: {error}") from error
            starts, rows, scores = (array.view(np.ndarray) for array in loaded)
            if len(starts) > size + 1 or int(starts[-1]) != len(rows) or len(rows) != len(scores):
                raise CatalogIndexError(f"{_FOLDER} of the index at {index} is damaged: its parts disagree")
            self._tables[kind] = (starts, rows, scores)

    def near(self, kind: Kind, seeds: Sequence[int]) -> list[tuple[int, float]]:
        """(row, likeness 0..1, the mean over the seeds), nearest first; the seeds themselves are left out."""
        table = self._tables.get(kind)
        if table is None:
            return []
        starts, rows, scores = table
        summed: dict[int, float] = {}
        for seed in seeds:
            if seed + 1 < len(starts):
                span = slice(int(starts[seed]), int(starts[seed + 1]))
                for row, score in zip(rows[span].tolist(), scores[span].tolist(), strict=True):
                    summed[row] = summed.get(row, 0.0) + score / len(seeds)
        for seed in seeds:
            summed.pop(seed, None)
        return sorted(summed.items(), key=lambda pair: (-pair[1], pair[0]))
