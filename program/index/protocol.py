"""What the program asks of a catalog index; the embedded engine is one implementation.

An index is read-only once opened. Rows are 0-based positions in the catalog; ids are what contracts carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from data.catalog.schema import Artist, Track
from data.contracts import Constraint, EntityType
from data.names import KeyKind
from program.index.words import NearWord

PostingKind = KeyKind | Literal["alias"]
Vector = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class Posting:
    """One entity that answers to a key.

    Attributes:
        popularity: percentile within its type, 0..1.
        surface: `surface_code` of the name or alias that has the key; 0: not known.
    """

    entity_type: EntityType
    row: int
    kind: PostingKind
    popularity: float
    surface: int = 0


@dataclass(frozen=True, slots=True)
class NameHits:
    """All that answers to one key: the most popular postings of each type, and how many there are in all."""

    key: str
    postings: tuple[Posting, ...]
    total: int

    def of(self, entity_type: EntityType) -> tuple[Posting, ...]:
        """The postings of one type, most popular first."""
        return tuple(posting for posting in self.postings if posting.entity_type == entity_type)


@dataclass(frozen=True, slots=True)
class ArtistEntry:
    """An artist with what the index counted. works: up to 5 titles, most popular first."""

    artist: Artist
    available_tracks: int
    popularity: float
    works: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlbumEntry:
    """An album: tracks that share an album name and a first artist."""

    album_id: str
    name: str
    artists: tuple[str, ...]
    artist_ids: tuple[str, ...]
    available_tracks: int
    popularity: float
    works: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrackEntry:
    """A track with its row and its popularity percentile (0..1; 0.5 when the catalog does not say)."""

    row: int
    track: Track
    popularity: float


@dataclass(frozen=True)
class Filter:
    """Which tracks: every given condition must hold; an empty tuple sets no condition.

    Attributes:
        track_ids, artist_ids, album_ids: one condition together: the track is one of them, or by or on one of them.
        title_keys: name keys, any of which the title (or an alias) has.
        text: name-form words, each of which occurs in title, artist, album or tags.
    """

    track_ids: tuple[str, ...] = ()
    artist_ids: tuple[str, ...] = ()
    album_ids: tuple[str, ...] = ()
    title_keys: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    not_track_ids: tuple[str, ...] = ()
    not_artist_ids: tuple[str, ...] = ()
    not_album_ids: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Hits:
    """Rows, most popular first (best match first when `text` was given), and how many match in all."""

    rows: tuple[int, ...]
    total: int


@dataclass(frozen=True)
class IndexInfo:
    """What `melo catalog info` prints.

    Attributes:
        coverage: facet → share of tracks that say something about it, 0..1.
        content_hash: SHA-256 of the catalog's records, and of the playlists where there are some.
        lyrics: tracks of which it holds the lyrics. playlists: playlists that say what stands together.
    """

    path: str
    content_hash: str
    tracks: int
    artists: int
    albums: int
    coverage: Mapping[str, float]
    lyrics: int = 0
    playlists: int = 0
    values: Mapping[str, int] = field(default_factory=dict)
    built: Mapping[str, Any] = field(default_factory=dict)


class Generator(Protocol):
    """Writes tracks as Semantic IDs."""

    def codes(self, row: int) -> tuple[int, ...]:
        """The Semantic ID of a track, coarse to fine; no two tracks share one."""

    def generate(self, request: Vector, *, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """(row, score) of playable tracks, best first; only of the rows `among` where they are given."""


class CatalogIndex(Protocol):
    """A read-only catalog index."""

    @property
    def info(self) -> IndexInfo:
        """Counts, coverage and hash, as stored when it was built."""

    def lookup(self, keys: Sequence[str]) -> dict[str, NameHits]:
        """All name keys in one call; keys that nothing answers to are left out."""

    def near_words(self, word: str, distance: int, limit: int) -> list[NearWord]:
        """Words of names within `distance` (at most 2) edits of `word` in normal form, nearest and best-known first."""

    def is_everyday_word(self, word: str) -> bool:
        """Whether a word in normal form is one of everyday language."""

    def words_sounding_like(self, word: str, limit: int) -> list[NearWord]:
        """Words of names that sound like `word`, most alike in writing and best-known first."""

    def uses_word(self, word: str) -> bool:
        """Whether any title, artist, album or tag of the catalog holds the word (in normal form)."""

    def artist(self, row: int) -> ArtistEntry:
        """The artist at `row`."""

    def album(self, row: int) -> AlbumEntry:
        """The album at `row`."""

    def track(self, row: int) -> TrackEntry:
        """The track at `row`."""

    def by_ids(self, track_ids: Iterable[str]) -> dict[str, TrackEntry]:
        """Tracks by id; ids that the catalog does not hold are left out."""

    def artist_by_id(self, artist_id: str) -> ArtistEntry | None:
        """An artist by id."""

    def search(self, where: Filter, limit: int) -> Hits:
        """Playable tracks that match, at most `limit`."""

    def count(self, where: Filter) -> int:
        """How many playable tracks match."""

    def sharing_words(self, words: str, limit: int) -> list[int]:
        """Rows of tracks, playable or not, that share words of title, artist, album or tags with `words`, best first."""

    def facet_counts(self, where: Filter, facet: str, limit: int = 50) -> dict[str, int]:
        """Value → tracks, over the playable tracks that match, most frequent first."""

    def newest(self, where: Filter, limit: int) -> Hits:
        """Playable tracks that match and have a date, the latest year first, the best known first within a year."""

    def sung(self, text: str, where: Filter, limit: int) -> list[int]:
        """Rows of playable tracks that match and whose lyrics share words with `text`, those that share most first."""

    def related_tracks(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        """(row, likeness 0..1) of what stands in playlists with the tracks, nearest first; empty without playlists."""

    def related_artists(self, artist_ids: Sequence[str]) -> list[tuple[str, float]]:
        """The same for artists, by id."""

    @property
    def semantic_ids(self) -> Generator | None:
        """The catalog's Semantic IDs with their model; None where none was trained."""

    def embed(self, text: str) -> Vector:
        """The text's vector in the index's space, shape (dims,), unit length."""

    def track_vectors(self, rows: Sequence[int]) -> Vector:
        """Vectors of tracks, shape (len(rows), dims)."""

    def nearest(self, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest tracks, best first."""
