"""BM25 over the words of title, artists and album: the baseline for retrieval.

Source: Robertson and Zaragoza 2009, with the usual k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from data.catalog.schema import Track
from data.names import name_form

_K1, _B = 1.2, 0.75


class BM25:
    """A pool of tracks that can be searched.

    Args:
        tracks: the pool; ties keep its order.
    """

    def __init__(self, tracks: Iterable[Track]) -> None:
        self._ids: list[str] = []
        lengths: list[int] = []
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row, track in enumerate(tracks):
            words = name_form(" ".join((track.title, *(credit.name for credit in track.artists), track.album or ""))).split()
            self._ids.append(track.track_id)
            lengths.append(len(words))
            for word, count in Counter(words).items():
                postings[word].append((row, count))
        norm = _K1 * (1 - _B + _B * np.array(lengths) / max(1.0, float(np.mean(lengths))))
        self._scores = {word: self._weighted(np.array(found), norm, len(lengths)) for word, found in postings.items()}

    @staticmethod
    def _weighted(found: np.ndarray, norm: np.ndarray, tracks: int) -> tuple[np.ndarray, np.ndarray]:
        rows, counts = found[:, 0], found[:, 1]
        rarity = np.log(1 + (tracks - len(rows) + 0.5) / (len(rows) + 0.5))
        return rows, rarity * counts * (_K1 + 1) / (counts + norm[rows])

    def search(self, text: str, limit: int) -> list[str]:
        """At most `limit` track ids that share a word with the text, best first."""
        total = np.zeros(len(self._ids))
        for word in name_form(text).split():
            if word in self._scores:
                rows, scores = self._scores[word]
                total[rows] += scores
        best = np.argsort(-total, kind="stable")[:limit]
        return [self._ids[row] for row in best if total[row] > 0]
