"""A listener's taste, told by what was liked and played: the artists, genres and times, a vector, and how near a track comes.

Only an order among tracks that are equally asked for; it never adds, removes or asks for a track.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from data.catalog.schema import Track
from program.index.embedder import unit
from program.index.protocol import CatalogIndex, TrackEntry, Vector
from program.lm.untrusted import neutralise
from program.nodes.describe import value_label

MAX_WORDS = 200
"""Characters of the profile that a prompt may get."""
_LIKE, _PLAY = 1.0, 0.25
_MOST_VECTORS, _NEAREST = 200, 3
_HALF = 2.0
"""Likes of an artist (or plays, four to a like) at which the artist counts half."""
_PARTS = {"artist": 0.5, "content": 0.3, "kind": 0.2}
_TOP = 3
_Key = TypeVar("_Key", str, int)


@dataclass(frozen=True)
class Marked:
    """A track of the listener's with what it weighs: likes 1, plays a quarter each up to four."""

    entry: TrackEntry
    weight: float


@dataclass(frozen=True)
class Taste:
    """What a listener leans to. Shares are 0..1, higher is more.

    Attributes:
        artists: artist id → how much of a favourite. genres: genre id → share of the weight. decades: 1980 → share.
        names: artist id → name, as the catalog has it.
        disliked: tracks that never count as near. disliked_artists: artist id → share, as for `artists`.
        vectors: of the tracks that count most, shape (tracks, dims), unit length. vector: their mean, unit length.
    """

    artists: Mapping[str, float]
    genres: Mapping[str, float]
    decades: Mapping[int, float]
    names: Mapping[str, str]
    vectors: Vector
    vector: Vector
    disliked: frozenset[str] = frozenset()
    disliked_artists: Mapping[str, float] = field(default_factory=dict)

    def words(self) -> str:
        """The taste in at most `MAX_WORDS` characters, harmless in a prompt: artists, genres, decades."""
        artists = [self.names[artist_id] for artist_id in _first(self.artists)]
        genres = [value_label("genre", genre) for genre in _first(self.genres)]
        decades = [f"{decade}s" for decade in _first(self.decades)[:2]]
        parts = [", ".join(artists), ", ".join(genres), ", ".join(decades)]
        return neutralise("; ".join(" ".join(part.split()) for part in parts if part))[:MAX_WORDS]

    def affinities(self, entries: Iterable[TrackEntry], index: CatalogIndex) -> dict[str, float]:
        """How near tracks come to the taste, 0..1, by track id: artist, content, genres and decade. A disliked one is at 0."""
        listed = list(entries)
        content = self._content(index.track_vectors([entry.row for entry in listed]))
        return {entry.track.track_id: self._affinity(entry, near) for entry, near in zip(listed, content.tolist(), strict=True)}

    def _content(self, vectors: Vector) -> Vector:
        """The mean cosine of each track with the nearest tracks of the taste, 0..1, shape (tracks,)."""
        if not len(self.vectors) or not len(vectors):
            return np.zeros(len(vectors), dtype=np.float32)
        cosines = vectors @ self.vectors.T
        most = min(_NEAREST, cosines.shape[1])
        nearest = np.partition(cosines, cosines.shape[1] - most, axis=1)[:, -most:]
        return np.asarray(np.clip(nearest.mean(axis=1), 0.0, 1.0), dtype=np.float32)

    def _affinity(self, entry: TrackEntry, content: float) -> float:
        if entry.track.track_id in self.disliked:
            return 0.0
        credits = {credit.artist_id for credit in entry.track.artists}
        artist = max((self.artists.get(name, 0.0) for name in credits), default=0.0)
        against = max((self.disliked_artists.get(name, 0.0) for name in credits), default=0.0)
        kind, known = self._kind(entry.track)
        parts = {"artist": max(0.0, artist - against), "content": content, **({"kind": kind} if known else {})}
        return round(sum(_PARTS[name] * value for name, value in parts.items()) / sum(_PARTS[name] for name in parts), 4)

    def _kind(self, track: Track) -> tuple[float, bool]:
        """How much its genres and its decade are the listener's, 0..1, and whether the catalog says anything of either."""
        decade = track.year // 10 * 10 if track.year else None
        told = [max((self.genres.get(genre, 0.0) for genre in track.genres), default=0.0)] if track.genres else []
        told += [self.decades.get(decade, 0.0)] if decade is not None else []
        return (sum(told) / len(told), True) if told else (0.0, False)


def taste_of(marked: Sequence[Marked], disliked: Sequence[TrackEntry], index: CatalogIndex) -> Taste | None:
    """The taste behind a listener's tracks, those that count most first; None when there is none."""
    if not marked and not disliked:
        return None
    artists, against, genres = defaultdict[str, float](float), defaultdict[str, float](float), defaultdict[str, float](float)
    decades = defaultdict[int, float](float)
    names: dict[str, str] = {}
    for one in marked:
        lead = one.entry.track.artists[0]
        names[lead.artist_id] = lead.name
        artists[lead.artist_id] += one.weight
        for genre in one.entry.track.genres:
            genres[genre] += one.weight
        if one.entry.track.year:
            decades[one.entry.track.year // 10 * 10] += one.weight
    for entry in disliked:
        against[entry.track.artists[0].artist_id] += _LIKE
    heaviest = sorted(marked, key=lambda one: -one.weight)[:_MOST_VECTORS]
    vectors = index.track_vectors([one.entry.row for one in heaviest])
    return Taste(
        artists=_damped(artists), genres=_shares(genres), decades=_shares(decades), names=names, vectors=vectors,
        vector=unit(vectors.mean(axis=0)) if len(vectors) else np.zeros(vectors.shape[1], dtype=np.float32),
        disliked=frozenset(entry.track.track_id for entry in disliked), disliked_artists=_damped(against),
    )  # fmt: skip


def weight_of(liked: bool, plays: int) -> float:
    """What a track weighs: a like 1, a play a quarter, at most four plays."""
    return _LIKE * liked + _PLAY * min(plays, 4)


def _damped(counts: Mapping[str, float]) -> dict[str, float]:
    return {name: round(count / (count + _HALF), 4) for name, count in counts.items()}


def _shares(counts: Mapping[_Key, float]) -> dict[_Key, float]:
    """Relative to the most frequent one, 0..1."""
    most = max(counts.values(), default=1.0)
    return {name: round(count / most, 4) for name, count in counts.items()}


def _first(shares: Mapping[_Key, float]) -> list[_Key]:
    return sorted(shares, key=lambda name: (-shares[name], name))[:_TOP]
