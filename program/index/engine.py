"""The embedded index engine: tantivy for names and filters, usearch for vectors, memory-mapped records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any
from zipfile import BadZipFile

import numpy as np
import orjson
import tantivy
from tantivy import Query

from data.catalog.schema import Artist, Track
from data.errors import CatalogIndexError
from data.names import has_cjk
from program.generative.retriever import SemanticIds
from program.generative.stored import load_semantic_ids
from program.index.embedder import TextEmbedder, packaged_embedder
from program.index.filters import FilterCompiler, any_term
from program.index.layout import FORMAT_VERSION, TERM_FACETS, name_schema, track_schema
from program.index.postings import decode
from program.index.protocol import AlbumEntry, ArtistEntry, Filter, Hits, IndexInfo, NameHits, TrackEntry, Vector
from program.index.records import RecordReader
from program.index.space import project
from program.index.special import newest, sung_query
from program.index.together import Together
from program.index.vectors import TrackVectors
from program.index.words import NearWord, WordList

_COMMON_WORD = 20_000
_REMEMBERED_TRACKS, _REMEMBERED_TEXTS, _REMEMBERED_WORDS = 8_192, 256, 4_096
_BUILT = ("built_at", "build_seconds", "embedder", "dims", "name_keys")
_BUILD_HINT = "build it with: melo catalog build SOURCE --out DIR"


class EmbeddedIndex:
    """A catalog index opened read-only from a directory. Safe for concurrent readers."""

    def __init__(self, path: Path, *, embedder: TextEmbedder | None = None) -> None:
        """Open the index.

        Args:
            embedder: for query vectors; the packaged model when None, loaded at the first query that needs it.

        Raises:
            CatalogIndexError: the directory is missing, damaged, or of another format.
        """
        self._path = path
        self._given_embedder = embedder
        self.info = _read_info(path)
        self._readers: list[RecordReader] = []
        try:
            self._open()
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            self.close()
            raise CatalogIndexError(f"the index at {path} is damaged: {error}", hint=_BUILD_HINT) from error
        except CatalogIndexError:
            self.close()
            raise
        self._track_schema, self._name_schema = track_schema(), name_schema()
        self._compiler = FilterCompiler(self._track_schema)
        self._lock = Lock()
        self._track = lru_cache(maxsize=_REMEMBERED_TRACKS)(self._read_track)
        self._near_words = lru_cache(maxsize=_REMEMBERED_WORDS)(self._words.near)  # requests misspell the same words
        self._everyday = lru_cache(maxsize=_REMEMBERED_WORDS)(self._words.is_everyday)
        self._embed = lru_cache(maxsize=_REMEMBERED_TEXTS)(self._embedded)

    def _open(self) -> None:
        path = self._path
        self._names = tantivy.Index.open(str(path / "names")).searcher()
        self._tracks = tantivy.Index.open(str(path / "tracks")).searcher()
        self._words = WordList(path / "words")
        self._together = Together(path, {"track": self.info.tracks, "artist": self.info.artists})
        self._popularity = np.load(path / "popularity.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
        self._projection = np.load(path / "space.npz", allow_pickle=False)["projection"]
        for name in ("tracks", "artists", "albums"):
            self._readers.append(RecordReader(path / f"{name}.jsonl"))
        self._records, self._artists, self._albums = self._readers
        counts = [len(reader) for reader in self._readers] + [len(self._popularity)]
        if counts != [self.info.tracks, self.info.artists, self.info.albums, self.info.tracks]:
            raise CatalogIndexError(f"the index at {path} is damaged: its parts disagree", hint=_BUILD_HINT)

    # -- names -------------------------------------------------------------------------------------------------------

    def lookup(self, keys: Sequence[str]) -> dict[str, NameHits]:
        """What answers to each of the name keys; keys that nothing answers to are left out.

        Most keys of a request are no names, which costs 0.3 µs each; one search over all keys would cost 200 µs before it
        finds any (n = 300, 233,000 keys).
        """
        return {key: self._name_hits(key) for key in keys if self._names.doc_freq("key", key)}

    def near_words(self, word: str, distance: int, limit: int) -> list[NearWord]:
        """Words of names within `distance` (at most 2) edits of `word` in normal form, nearest and best-known first."""
        return list(self._near_words(word, distance, limit))

    def is_everyday_word(self, word: str) -> bool:
        """Whether a word in normal form is one of everyday language."""
        return self._everyday(word)

    def words_sounding_like(self, word: str, limit: int) -> list[NearWord]:
        """Words of names that sound like `word`, most alike in writing and best-known first."""
        return self._words.sounding_like(word, limit)

    def uses_word(self, word: str) -> bool:
        """Whether any title, artist, album or tag of the catalog holds the word (in normal form)."""
        return self._tracks.doc_freq("text", word) > 0

    def _name_hits(self, key: str) -> NameHits:
        query = Query.term_query(self._name_schema, "key", key, index_option="basic")
        address = self._names.search(query, limit=1, count=False).hits[0][1]
        return decode(key, _as_bytes(self._names.doc(address).get_first("postings")))

    # -- records -----------------------------------------------------------------------------------------------------

    def artist(self, row: int) -> ArtistEntry:
        """The artist at `row`."""
        entry = orjson.loads(self._artists.line(row))
        artist = Artist.model_validate(entry["artist"], strict=False)
        return ArtistEntry(artist, entry["available_tracks"], entry["popularity"], tuple(entry["works"]))

    def album(self, row: int) -> AlbumEntry:
        """The album at `row`."""
        entry: dict[str, Any] = orjson.loads(self._albums.line(row))
        return AlbumEntry(
            album_id=entry["album_id"],
            name=entry["name"],
            artists=tuple(entry["artists"]),
            artist_ids=tuple(entry["artist_ids"]),
            available_tracks=entry["available_tracks"],
            popularity=entry["popularity"],
            works=tuple(entry["works"]),
        )

    def track(self, row: int) -> TrackEntry:
        """The track at `row`."""
        return self._track(row)

    def _read_track(self, row: int) -> TrackEntry:
        return TrackEntry(row, Track.model_validate_json(self._records.line(row)), float(self._popularity[row]))

    def by_ids(self, track_ids: Iterable[str]) -> dict[str, TrackEntry]:
        """Tracks by id, playable or not."""
        wanted = list(track_ids)
        if not wanted:
            return {}
        query = any_term(self._track_schema, "track_id", wanted)
        entries = (self.track(row) for row in self._rows(query, len(wanted)).rows)
        return {entry.track.track_id: entry for entry in entries}

    @cached_property
    def _artist_rows(self) -> dict[str, int]:
        lines = (self._artists.line(row) for row in range(len(self._artists)))
        return {orjson.loads(line)["artist"]["artist_id"]: row for row, line in enumerate(lines)}

    def artist_by_id(self, artist_id: str) -> ArtistEntry | None:
        """An artist by id; the first call reads every artist once."""
        with self._lock:
            row = self._artist_rows.get(artist_id)
        return None if row is None else self.artist(row)

    # -- search ------------------------------------------------------------------------------------------------------

    def search(self, where: Filter, limit: int) -> Hits:
        """Playable tracks that match, most popular first; best text match first when words were given."""
        hits = self._rows(self._compiler.compile(where), limit, by_text=bool(where.text))
        return Hits(hits.rows[:limit], hits.total)

    def sharing_words(self, words: str, limit: int) -> list[int]:
        """Rows of tracks, playable or not, that share words (in the form of `text_words`) with `words`, by BM25, best first.

        A word that more than `_COMMON_WORD` tracks hold says little and costs most, and a single letter says nothing: they are
        left out.
        """
        held = {word: self._tracks.doc_freq("text", word) for word in words.split() if len(word) > 1 or has_cjk(word)}
        telling = [word for word, tracks in held.items() if 0 < tracks <= _COMMON_WORD]
        if not telling:
            return []
        found = self._tracks.search(any_term(self._track_schema, "text", telling, option="freq"), limit=limit, count=False)
        rows = self._tracks.fast_field_values("row", [address for _, address in found.hits])
        return [int(row) for row in rows if row is not None]

    def count(self, where: Filter) -> int:
        """How many playable tracks match."""
        unscored = Query.const_score_query(self._compiler.compile(where), 1.0)
        return int(self._tracks.search(unscored, limit=1).count or 0)  # type: ignore[attr-defined]

    def facet_counts(self, where: Filter, facet: str, limit: int = 50) -> dict[str, int]:
        """Value → tracks over the matches, most frequent first; wider concepts are counted too.

        Raises:
            ValueError: the facet is a number.
        """
        if facet not in TERM_FACETS:
            raise ValueError(f"{facet} has no countable values")
        aggregation = {"values": {"terms": {"field": facet, "size": limit}}}
        found = self._tracks.aggregate(self._compiler.compile(where), aggregation)
        return {str(bucket["key"]): int(bucket["doc_count"]) for bucket in found["values"]["buckets"]}

    def _rows(self, query: Query, limit: int, *, by_text: bool = False) -> Hits:
        order = None if by_text else "popularity"
        found = self._tracks.search(query, limit=max(1, limit), order_by_field=order)
        rows = self._tracks.fast_field_values("row", [address for _, address in found.hits])
        return Hits(tuple(int(row) for row in rows if row is not None), int(found.count or 0))  # type: ignore[attr-defined]

    def newest(self, where: Filter, limit: int) -> Hits:
        """Playable tracks with a date, latest year first, best known first within a year."""
        return newest(self._tracks, self._track_schema, self._compiler.compile(where), limit)

    def sung(self, text: str, where: Filter, limit: int) -> list[int]:
        """Rows of the tracks whose lyrics share words with `text`, those that share most first."""
        query = sung_query(self._tracks, self._track_schema, self._compiler.compile(where), text)
        return [] if query is None else list(self._rows(query, limit, by_text=True).rows)

    # -- what stands together ----------------------------------------------------------------------------------------

    def related_tracks(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        """(row, likeness) of what stands in playlists with the tracks, nearest first; empty without playlists."""
        return self._together.near("track", rows)

    def related_artists(self, artist_ids: Sequence[str]) -> list[tuple[str, float]]:
        """(artist id, likeness) of who stands in playlists with the artists, nearest first; empty without playlists."""
        if not self.info.playlists:
            return []
        with self._lock:
            seeds = [self._artist_rows[artist_id] for artist_id in artist_ids if artist_id in self._artist_rows]
        return [(self.artist(row).artist.artist_id, score) for row, score in self._together.near("artist", seeds)]

    # -- vectors -----------------------------------------------------------------------------------------------------

    @cached_property
    def _vectors(self) -> TrackVectors:
        try:
            return TrackVectors(self._path, self.info.tracks)
        except CatalogIndexError as error:
            raise CatalogIndexError(error.message, hint=_BUILD_HINT) from error

    @property
    def semantic_ids(self) -> SemanticIds | None:
        """The catalog's Semantic IDs, loaded at the first use; None where none were trained for it.

        Raises:
            CatalogIndexError: their files are damaged.
        """
        with self._lock:
            return self._semantic_ids

    @cached_property
    def _semantic_ids(self) -> SemanticIds | None:
        return load_semantic_ids(self._path, self.info.content_hash, self.info.tracks, self.track_vectors)

    def embed(self, text: str) -> Vector:
        """The text's unit vector in this index's space, shape (dims,); not to be changed."""
        return self._embed(text)

    def _embedded(self, text: str) -> Vector:
        embedder = self._given_embedder or packaged_embedder(threads=1)
        projection = self._projection if self._projection.size else None
        vector = project(embedder.embed([text])[0], projection)
        vector.flags.writeable = False
        return vector

    def track_vectors(self, rows: Sequence[int]) -> Vector:
        """Vectors of tracks, shape (len(rows), dims), unit length up to quantisation."""
        if not rows:
            return np.zeros((0, int(self.info.built["dims"])), dtype=np.float32)
        with self._lock:
            vectors = self._vectors
        return vectors.get(rows)

    def nearest(self, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest tracks, playable or not, best first."""
        with self._lock:
            vectors = self._vectors
        return vectors.nearest(vector, limit)

    def warm(self) -> None:
        """Load what is otherwise loaded at the first query by meaning: the embedder and the vectors."""
        self.embed("music")
        with self._lock:
            self._vectors  # noqa: B018

    def close(self) -> None:
        """Release the mapped files."""
        for reader in self._readers:
            reader.close()


def _as_bytes(value: Any) -> bytes:
    return bytes(value) if isinstance(value, (bytes, bytearray, list)) else str(value).encode()


def _read_info(path: Path) -> IndexInfo:
    file = path / "manifest.json"
    if not file.is_file():
        raise CatalogIndexError(f"there is no catalog index at {path}", hint=_BUILD_HINT)
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT_VERSION:
            raise CatalogIndexError(
                f"the index at {path} has format {manifest['format']}, not {FORMAT_VERSION}", hint=_BUILD_HINT
            )
        return IndexInfo(
            path=str(path),
            content_hash=manifest["content_hash"],
            tracks=manifest["tracks"],
            artists=manifest["artists"],
            albums=manifest["albums"],
            coverage=manifest["coverage"],
            lyrics=manifest["lyrics"],
            playlists=manifest["playlists"]["playlists"],
            built={name: manifest[name] for name in _BUILT},
        )
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise CatalogIndexError(f"the index at {path} has a damaged manifest: {error}", hint=_BUILD_HINT) from error
