"""Builds an index directory from catalog items, in two passes, and puts it in place only when it is whole."""

from __future__ import annotations

import gc
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from data.catalog.schema import Artist, Track
from program.index.ahead import EmbedAhead
from program.index.documents import track_document
from program.index.embedder import EMBEDDER_NAME, TextEmbedder
from program.index.gather import Gathered, gather
from program.index.groups import write_groups
from program.index.layout import FACET_FIELDS, FORMAT_VERSION, track_schema
from program.index.names_job import NamesJob
from program.index.ranks import Numbers
from program.index.records import RecordReader
from program.index.space import VectorSpace
from program.index.stored import StoredTrack, decode_track
from program.index.together import write_together
from program.index.vectors import VectorWriter

Progress = Callable[[str, int, int | None], None]
"""Called with (stage, done, total); total is None where it is not known yet."""

_CHUNK = 16_384
_FOLDER_MODE = 0o755


def _silent(stage: str, done: int, total: int | None) -> None:
    """Default progress: none."""


def build_index(
    items: Iterable[Artist | Track],
    out: Path,
    *,
    embedder: TextEmbedder,
    progress: Progress = _silent,
    playlists: Iterable[tuple[str, str]] | None = None,
) -> dict[str, Any]:
    """Build the index of `items` into the folder `out`, replacing an index that is there; returns the manifest.

    Nothing at `out` changes until the new index is complete.

    Args:
        playlists: (playlist id, track id), read once; what stands together in them counts as alike.

    Raises:
        CatalogError: no usable track.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    collecting = gc.isenabled()
    gc.disable()  # millions of small live objects: the collector would walk them again and again and find nothing
    try:
        manifest = _Builder(work, embedder, progress).run(items, playlists)
        (work / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True), encoding="utf-8")
        _put_in_place(work, out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    finally:
        if collecting:
            gc.enable()
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
        self.ahead = EmbedAhead(embedder)
        self.progress = progress

    def run(self, items: Iterable[Artist | Track], playlists: Iterable[tuple[str, str]] | None) -> dict[str, Any]:
        started = time.monotonic()
        known = gather(
            items,
            self.work / "tracks.jsonl",
            lambda done: self.progress("reading", done, None),
            lambda census: self.ahead.start(list(census.texts().values())),
        )
        ranks = known.track_percentiles()
        np.save(self.work / "popularity.npy", ranks)
        write_groups(known, self.work, ranks)
        names = NamesJob(self.work, known.tracks)
        try:
            space = self._space(known)
            self._tracks(known, ranks, space)
            together = self._together(known, playlists)
            self.progress("names", 0, None)
            keys = names.wait()
        finally:
            names.stop()
        return {
            "format": FORMAT_VERSION,
            "content_hash": _with_playlists(known.content_hash, together),
            "tracks": known.tracks,
            "artists": len(known.artists),
            "albums": len(known.albums),
            "name_keys": keys,
            "lyrics": known.lyrics,
            "playlists": together,
            "coverage": {facet: known.filled.get(facet, 0) / known.tracks for facet in FACET_FIELDS},
            "embedder": EMBEDDER_NAME,
            "dims": space.dims,
            "built_at": time.time(),
            "build_seconds": round(time.monotonic() - started, 2),
            "tantivy": version("tantivy"),
        }

    def _space(self, known: Gathered) -> VectorSpace:
        return VectorSpace.build(
            known.census,
            self.ahead,
            tracks=known.tracks,
            on_progress=lambda done, total: self.progress("embedding", done, total),
        )

    def _tracks(self, known: Gathered, ranks: Numbers, space: VectorSpace) -> None:
        """Second pass: search documents and vectors of the tracks."""
        folder = self.work / "tracks"
        folder.mkdir()
        writer = tantivy.Index(track_schema(), path=str(folder)).writer(heap_size=256_000_000, num_threads=1)
        vectors = VectorWriter(self.work, _owners(known), space.dims)
        for first, chunk in _chunks(self.work / "tracks.jsonl"):
            for row, track in enumerate(chunk, first):
                writer.add_document(track_document(track, row, float(ranks[row])))
            vectors.add(first, space.of_tracks(chunk))
            self.progress("indexing", first + len(chunk), known.tracks)
        writer.commit()
        writer.wait_merging_threads()
        vectors.close()
        projection = space.projection if space.projection is not None else np.zeros((0, 0), dtype=np.float32)
        np.savez(self.work / "space.npz", projection=projection)

    def _together(self, known: Gathered, playlists: Iterable[tuple[str, str]] | None) -> dict[str, Any]:
        if playlists is None:
            return {"playlists": 0, "entries": 0}
        self.progress("playlists", 0, None)
        rows = {
            track.track_id: first + at for first, chunk in _chunks(self.work / "tracks.jsonl") for at, track in enumerate(chunk)
        }
        return write_together(self.work, playlists, rows, _owners(known))


def _owners(known: Gathered) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The row of each track's first artist."""
    rows = {artist_id: row for row, artist_id in enumerate(known.artists)}
    return np.array([rows[artist_id] for artist_id in known.first_artist], dtype=np.int64)


def _with_playlists(content_hash: str, together: dict[str, Any]) -> str:
    """The catalog's hash; playlists change answers, so they are part of it."""
    if not together["entries"]:
        return content_hash
    return hashlib.sha256(f"{content_hash}{together['sha256']}".encode()).hexdigest()


def _chunks(path: Path) -> Iterator[tuple[int, list[StoredTrack]]]:
    reader = RecordReader(path)
    for first in range(0, len(reader), _CHUNK):
        rows = range(first, min(first + _CHUNK, len(reader)))
        yield first, [decode_track(reader.line(row)) for row in rows]
    reader.close()
