"""The artist and album records of an index, counted from the tracks that were gathered."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import orjson

from program.index.gather import TOP_WORKS, Gathered
from program.index.ranks import Numbers, mid_rank_percentiles
from program.index.records import RecordReader, RecordWriter


def write_groups(known: Gathered, work: Path, track_ranks: Numbers) -> None:
    """Write artists.jsonl and albums.jsonl, and bring the artists into the content hash.

    Only playable tracks count as available and are named as works.
    """
    tracks = RecordReader(work / "tracks.jsonl")
    artist_ranks = known.artist_percentiles()
    with RecordWriter(work / "artists.jsonl") as writer:
        for row, (artist_id, artist) in enumerate(known.artists.items()):
            rows = _playable(known, known.by_artist.get(artist_id, []))
            entry = {
                "artist": artist.model_dump(exclude_defaults=True),
                "available_tracks": len(rows),
                "popularity": round(float(artist_ranks[row]), 4),
                "works": _works(tracks, rows, track_ranks),
            }
            writer.append(orjson.dumps(entry))
        artists_digest = writer.digest()
    _write_albums(known, work, tracks, track_ranks)
    tracks.close()
    known.content_hash = hashlib.sha256(f"{known.content_hash}{artists_digest}".encode()).hexdigest()


def _write_albums(known: Gathered, work: Path, tracks: RecordReader, track_ranks: Numbers) -> None:
    best = [max(float(track_ranks[row]) for row in album.rows) for album in known.albums.values()]
    ranks = mid_rank_percentiles(np.array(best, dtype=np.float64))
    with RecordWriter(work / "albums.jsonl") as writer:
        for row, album in enumerate(known.albums.values()):
            credits = orjson.loads(tracks.line(album.rows[0]))["artists"]
            rows = _playable(known, album.rows)
            entry = {
                "album_id": album.entity_id,
                "name": album.name,
                "artists": [credit["name"] for credit in credits],
                "artist_ids": [credit["artist_id"] for credit in credits],
                "available_tracks": len(rows),
                "popularity": round(float(ranks[row]), 4),
                "works": _works(tracks, rows, track_ranks),
            }
            writer.append(orjson.dumps(entry))


def _playable(known: Gathered, rows: list[int]) -> list[int]:
    return [row for row in rows if known.playable[row]]


def _works(tracks: RecordReader, rows: list[int], ranks: Numbers) -> list[str]:
    top = sorted(rows, key=lambda row: -ranks[row])[:TOP_WORKS]
    return [orjson.loads(tracks.line(row))["title"] for row in top]
