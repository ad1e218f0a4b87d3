"""Builds an index directory from catalog items, in two passes, and puts it in place only when it is whole."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import tantivy

from data.catalog.schema import Artist, Track
from data.contracts import EntityType
from program.index.documents import track_document
from program.index.embedder import EMBEDDER_NAME, TextEmbedder
from program.index.gather import TOP_WORKS, Gathered, gather
from program.index.layout import FACET_FIELDS, FORMAT_VERSION, track_schema
from program.index.native import VectorIndex
from program.index.postings import NameCollector
from program.index.ranks import Numbers, mid_rank_percentiles
from program.index.records import RecordReader, RecordWriter
from program.index.space import Part, VectorSpace, track_parts

Progress = Callable[[str, int, int | None], None]
"""Called with (stage, done, total); total is None where it is not known yet."""

_CHUNK = 16_384
_FOLDER_MODE = 0o755
_CONNECTIVITY, _EXPANSION_ADD, _EXPANSION_SEARCH = 8, 32, 64


def _silent(stage: str, done: int, total: int | None) -> None:
    """Default progress: none."""


def build_index(
    items: Iterable[Artist | Track], out: Path, *, embedder: TextEmbedder, progress: Progress = _silent
) -> dict[str, Any]:
    """Build the index of `items` into the folder `out`, replacing an index that is there; returns the manifest.

    Nothing at `out` changes until the new index is complete.

    Raises:
        CatalogError: no usable track.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        manifest = _Builder(work, embedder, progress).run(items)
        (work / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True), encoding="utf-8")
        _put_in_place(work, out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    return manifest


def _put_in_place(work: Path, out: Path) -> None:
    """Swap the finished index in; when that fails the old one is back where it was."""
    work.chmod(_FOLDER_MODE)
    if not out.exists():
        work.rename(out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}-old-", dir=out.parent))
    out.rename(old / "index")
    try:
        work.rename(out)
    except OSError:
        (old / "index").rename(out)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


class _Builder:
    """The stages of one build; holds what they share."""

    def __init__(self, work: Path, embedder: TextEmbedder, progress: Progress) -> None:
        self.work = work
        self.embedder = embedder
        self.progress = progress

    def run(self, items: Iterable[Artist | Track]) -> dict[str, Any]:
        started = time.monotonic()
        known = gather(items, self.work / "tracks.jsonl", lambda done: self.progress("reading", done, None))
        ranks: dict[EntityType, Numbers] = {"track": known.track_percentiles(), "artist": known.artist_percentiles()}
        np.save(self.work / "popularity.npy", ranks["track"])
        names = NameCollector()
        ranks["album"] = self._groups(known, ranks, names)
        space = VectorSpace.build(
            known.census,
            self.embedder,
            tracks=known.tracks,
            on_progress=lambda done, total: self.progress("embedding", done, total),
        )
        self._tracks(known, ranks["track"], names, space)
        self.progress("names", 0, None)
        keys = names.write(self.work / "names", ranks)
        return {
            "format": FORMAT_VERSION,
            "content_hash": known.content_hash,
            "tracks": known.tracks,
            "artists": len(known.artists),
            "albums": len(known.albums),
            "name_keys": keys,
            "coverage": {facet: known.filled.get(facet, 0) / known.tracks for facet in FACET_FIELDS},
            "embedder": EMBEDDER_NAME,
            "dims": space.dims,
            "built_at": time.time(),
            "build_seconds": round(time.monotonic() - started, 2),
            "tantivy": version("tantivy"),
        }

    def _groups(self, known: Gathered, ranks: dict[EntityType, Numbers], names: NameCollector) -> Numbers:
        """Write artists and albums, collect their names; returns the albums' percentiles."""
        tracks = RecordReader(self.work / "tracks.jsonl")
        with RecordWriter(self.work / "artists.jsonl") as writer:
            for row, (artist_id, artist) in enumerate(known.artists.items()):
                rows = [row for row in known.by_artist.get(artist_id, []) if known.playable[row]]
                entry = {
                    "artist": artist.model_dump(exclude_defaults=True),
                    "available_tracks": len(rows),
                    "popularity": round(float(ranks["artist"][row]), 4),
                    "works": _works(tracks, rows, ranks["track"]),
                }
                writer.append(orjson.dumps(entry))
                names.add("artist", row, artist.name, (*artist.aliases, *artist.former_names, *artist.transliterations))
            artists_digest = writer.digest()
        best = [max(float(ranks["track"][row]) for row in album.rows) for album in known.albums.values()]
        album_ranks = mid_rank_percentiles(np.array(best, dtype=np.float64))
        with RecordWriter(self.work / "albums.jsonl") as writer:
            for row, album in enumerate(known.albums.values()):
                credits = orjson.loads(tracks.line(album.rows[0]))["artists"]
                entry = {
                    "album_id": album.entity_id,
                    "name": album.name,
                    "artists": [credit["name"] for credit in credits],
                    "artist_ids": [credit["artist_id"] for credit in credits],
                    "available_tracks": sum(known.playable[row] for row in album.rows),
                    "popularity": round(float(album_ranks[row]), 4),
                    "works": _works(tracks, [row for row in album.rows if known.playable[row]], ranks["track"]),
                }
                writer.append(orjson.dumps(entry))
                names.add("album", row, album.name)
        tracks.close()
        known.content_hash = hashlib.sha256(f"{known.content_hash}{artists_digest}".encode()).hexdigest()
        return album_ranks

    def _tracks(self, known: Gathered, ranks: Numbers, names: NameCollector, space: VectorSpace) -> None:
        """Second pass: search documents, names and vectors of the tracks."""
        folder = self.work / "tracks"
        folder.mkdir()
        writer = tantivy.Index(track_schema(), path=str(folder)).writer(heap_size=256_000_000, num_threads=1)
        vectors = VectorIndex(
            ndim=space.dims, metric="cos", dtype="i8" if space.projection is not None else "f16",
            connectivity=_CONNECTIVITY, expansion_add=_EXPANSION_ADD, expansion_search=_EXPANSION_SEARCH,
        )  # fmt: skip
        with ThreadPoolExecutor(max_workers=1) as pool:
            pending: Future[Any] | None = None
            for first, chunk in _chunks(self.work / "tracks.jsonl"):
                parts: list[list[tuple[Part, float]]] = []
                for row, track in enumerate(chunk, first):
                    writer.add_document(track_document(track, row, float(ranks[row])))
                    names.add("track", row, track.title, track.aliases)
                    parts.append(track_parts(track))
                composed = space.compose(parts)
                if pending:
                    pending.result()
                pending = pool.submit(vectors.add, np.arange(first, first + len(chunk)), composed, threads=2)
                self.progress("indexing", first + len(chunk), known.tracks)
            if pending:
                pending.result()
        writer.commit()
        writer.wait_merging_threads()
        vectors.save(str(self.work / "vectors.usearch"))
        projection = space.projection if space.projection is not None else np.zeros((0, 0), dtype=np.float32)
        np.savez(self.work / "space.npz", projection=projection)


def _works(tracks: RecordReader, rows: list[int], ranks: Numbers) -> list[str]:
    top = sorted(rows, key=lambda row: -ranks[row])[:TOP_WORKS]
    return [orjson.loads(tracks.line(row))["title"] for row in top]


def _chunks(path: Path) -> Iterator[tuple[int, list[Track]]]:
    reader = RecordReader(path)
    for first in range(0, len(reader), _CHUNK):
        rows = range(first, min(first + _CHUNK, len(reader)))
        yield first, [Track.model_validate_json(reader.line(row)) for row in rows]
    reader.close()
