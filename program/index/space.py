"""The vector space of a catalog: every track is a weighted sum of the vectors of its words.

A facet value, an artist's name and the words of a title are embedded once; a track's vector is composed from them, so a
million tracks need some ten thousand embeddings. Above `PROJECT_ABOVE` tracks the sums live in the first principal
components of those parts, which keeps the index small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from data.catalog.schema import Track
from data.names import base_title, name_form
from data.vocab.loader import load_vocabularies
from program.index.embedder import DIMENSIONS, TextEmbedder, unit
from program.index.layout import FACET_FIELDS
from program.index.protocol import Vector
from program.index.stored import StoredTrack

PROJECT_ABOVE = 200_000
PROJECTED_DIMENSIONS = 128
ARTIST_NAMES = 2_000
TITLE_WORDS = 5_000
_MIN_WORD_LENGTH = 3
_BLOCK = 512
_MANY_WORDS = 3_000

WEIGHTS: dict[str, float] = {
    "genre": 1.0,
    "mood": 1.0,
    "activity": 0.5,
    "instrument": 0.4,
    "region": 0.7,
    "language": 0.3,
    "vocal": 0.3,
    "era": 0.4,
    "tag": 0.6,
    "artist": 0.5,
    "title": 0.6,
}
"""How much each kind of word counts in a track's vector (own choice; a title counts once, split over its words)."""

_FACET_COLUMNS = tuple((facet, weight) for facet, weight in WEIGHTS.items() if facet in FACET_FIELDS and facet != "era")

_PHRASES = {
    "genre": "{} music",
    "region": "music from {}",
    "language": "sung in {}",
    "activity": "music for {}",
    "vocal": "{} singer",
    "era": "{} music",
}

Part = tuple[str, str]
"""Kind and word of one part of a track's vector, such as ("mood", "cold")."""


@dataclass
class PartCensus:
    """Counts the parts of a catalog, to decide which are worth an embedding."""

    artists: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)

    def add(self, track: Track) -> None:
        """Count one track's artist, title words and tags."""
        self.artists[track.artists[0].name] += 1
        self.words.update(title_words(track.title))
        self.tags.update(track.tags)

    def texts(self) -> dict[Part, str]:
        """Every part that gets a vector → the text that is embedded for it."""
        texts: dict[Part, str] = {}
        for facet, vocabulary in load_vocabularies().items():
            if facet in WEIGHTS:
                for concept in vocabulary.concepts.values():
                    texts[(facet, concept.concept_id)] = _PHRASES.get(facet, "{}").format(concept.label)
        texts.update({("artist", name): name for name, _ in self.artists.most_common(ARTIST_NAMES)})
        least = 2 if len(self.words) > _MANY_WORDS else 1  # most words of a large catalog occur once: not worth the time
        common = [word for word, count in self.words.most_common(TITLE_WORDS) if count >= least]
        texts.update({("title", word): word for word in common})
        texts.update({("tag", tag): tag for tag, _ in self.tags.most_common(TITLE_WORDS)})
        return texts


def title_words(title: str) -> list[str]:
    """The words of a title that the embedder can read (Latin letters); version remarks are left out."""
    words = name_form(base_title(title)).split(" ")
    return [word for word in words if len(word) >= _MIN_WORD_LENGTH and word.isascii() and not word.isdigit()]


def track_parts(track: Track | StoredTrack) -> list[tuple[Part, float]]:
    """The parts of a track's vector with their weights."""
    parts: list[tuple[Part, float]] = []
    for facet, weight in _FACET_COLUMNS:
        value = getattr(track, FACET_FIELDS[facet])
        values = value if isinstance(value, tuple) else (value,) if value else ()
        parts.extend(((facet, item), weight) for item in values)
    return parts + _own_parts(track)


def _own_parts(track: Track | StoredTrack) -> list[tuple[Part, float]]:
    """The parts of a track beside its facets: decade, tags, artist, title words."""
    parts: list[tuple[Part, float]] = []
    if track.year:
        parts.append((("era", f"{track.year // 10 * 10}s"), WEIGHTS["era"]))
    parts.extend((("tag", tag), WEIGHTS["tag"]) for tag in track.tags)
    parts.append((("artist", track.artists[0].name), WEIGHTS["artist"]))
    words = title_words(track.title)
    parts.extend((("title", word), WEIGHTS["title"] / len(words)) for word in words)
    return parts


class VectorSpace:
    """Part vectors and the projection they were brought through.

    Attributes:
        projection: shape (384, dims), or None when vectors keep the embedder's 384 dimensions.
    """

    def __init__(self, rows: dict[Part, int], vectors: Vector, projection: Vector | None) -> None:
        self._rows = rows
        by_facet: dict[str, dict[str, int]] = {facet: {} for facet, _ in _FACET_COLUMNS}
        for (kind, word), row in rows.items():
            by_facet.setdefault(kind, {})[word] = row
        self._columns = [(FACET_FIELDS[facet], by_facet[facet], weight) for facet, weight in _FACET_COLUMNS]
        self._vectors = vectors
        self.projection = projection

    @property
    def dims(self) -> int:
        """Dimensions of the vectors that this space makes."""
        return int(self._vectors.shape[1])

    @classmethod
    def build(
        cls,
        census: PartCensus,
        embedder: TextEmbedder,
        *,
        tracks: int,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> VectorSpace:
        """Embed the parts of a catalog of `tracks` tracks."""
        texts = census.texts()
        wanted = list(texts.values())
        vectors = np.zeros((len(wanted), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(wanted), 1024):
            vectors[start : start + 1024] = embedder.embed(wanted[start : start + 1024])
            if on_progress:
                on_progress(min(start + 1024, len(wanted)), len(wanted))
        projection = _principal(vectors, PROJECTED_DIMENSIONS) if tracks > PROJECT_ABOVE else None
        rows = {part: position for position, part in enumerate(texts)}
        return cls(rows, vectors if projection is None else vectors @ projection, projection)

    def of_tracks(self, tracks: Sequence[Track | StoredTrack]) -> Vector:
        """`compose` of the `track_parts` of each track, without making the parts first: a million tracks feel it."""
        blocks = [self._track_block(tracks[start : start + _BLOCK]) for start in range(0, len(tracks), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.dims), dtype=np.float32)

    def _track_block(self, tracks: Sequence[Track | StoredTrack]) -> Vector:
        rows: list[int] = []
        weights: list[float] = []
        ends: list[int] = []
        for track in tracks:
            for attribute, known, weight in self._columns:
                value = getattr(track, attribute)
                for item in value if type(value) is tuple else (value,) if value else ():
                    row = known.get(item)
                    if row is not None:
                        rows.append(row)
                        weights.append(weight)
            for part, weight in _own_parts(track):
                row = self._rows.get(part)
                if row is not None:
                    rows.append(row)
                    weights.append(weight)
            ends.append(len(rows))
        return self._summed(rows, weights, np.diff(np.array(ends), prepend=0))

    def _summed(self, rows: list[int], weights: list[float], counts: np.ndarray[Any, np.dtype[np.int64]]) -> Vector:
        """Unit vectors of as many tracks as there are `counts`, the parts of which stand one after another."""
        out = np.zeros((len(counts), self.dims), dtype=np.float32)
        if rows:
            scaled = self._vectors[rows] * np.array(weights, dtype=np.float32)[:, None]
            held = np.flatnonzero(counts)
            starts = (np.cumsum(counts) - counts)[held]
            out[held] = np.add.reduceat(scaled, starts, axis=0)
        return unit(out)

    def compose(self, tracks: Sequence[list[tuple[Part, float]]]) -> Vector:
        """Unit vectors of tracks from their parts, shape (len(tracks), dims); parts without a vector are skipped."""
        blocks = [self._block(tracks[start : start + _BLOCK]) for start in range(0, len(tracks), _BLOCK)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.dims), dtype=np.float32)

    def _block(self, tracks: Sequence[list[tuple[Part, float]]]) -> Vector:
        """`compose` for a few hundred tracks, whose intermediate arrays stay in the processor's cache."""
        known = [[(self._rows[part], weight) for part, weight in parts if part in self._rows] for parts in tracks]
        rows = [row for parts in known for row, _ in parts]
        weights = [weight for parts in known for _, weight in parts]
        return self._summed(rows, weights, np.array([len(parts) for parts in known], dtype=np.int64))


def project(vector: Vector, projection: Vector | None) -> Vector:
    """A text vector (384,) in the space of an index, unit length."""
    return vector if projection is None else unit(vector @ projection)


def _principal(vectors: Vector, dims: int) -> Vector:
    covariance = vectors.T @ vectors
    _, basis = np.linalg.eigh(covariance)
    return np.ascontiguousarray(basis[:, ::-1][:, :dims], dtype=np.float32)


def census_of(tracks: Iterable[Track]) -> PartCensus:
    """The census of a whole catalog."""
    census = PartCensus()
    for track in tracks:
        census.add(track)
    return census
