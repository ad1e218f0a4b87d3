"""The shortcut for canonical rows gives what the long way gives, or steps aside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.catalog.importers.canonical import CanonicalTracks
from data.catalog.importers.rows import RowMapper
from data.catalog.synth import write_synthetic
from data.vocab.loader import load_vocabularies

PLAIN: dict[str, Any] = {
    "track_id": "t1", "title": "Yellow", "artists": ["Ada"], "artist_ids": ["ada"], "genres": ["rock"], "year": 1999,
}  # fmt: skip


class _Never(CanonicalTracks):
    def fields(self, values: Any) -> dict[str, Any] | None:
        return None


def _mappers(path: Path) -> tuple[RowMapper, RowMapper, list[dict[str, Any]]]:
    quick, slow = RowMapper(load_vocabularies()), RowMapper(load_vocabularies())
    slow._canonical = _Never(load_vocabularies())
    tracks = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        if row.pop("kind", None) == "artist":
            quick.artist(row, number)
            slow.artist(row, number)
        else:
            tracks.append(row)
    return quick, slow, tracks


def test_the_shortcut_changes_no_track(tmp_path: Path) -> None:
    """Over a synthetic catalog both ways give the same records, and most rows take the shortcut."""
    write_synthetic(tmp_path / "synth.jsonl", 1_500, seed=5)
    quick, slow, rows = _mappers(tmp_path / "synth.jsonl")
    canonical = CanonicalTracks(load_vocabularies())

    assert [quick.track(row, 1) for row in rows] == [slow.track(row, 1) for row in rows]
    assert sum(canonical.fields(row) is not None for row in rows) > 0.8 * len(rows)


@pytest.mark.parametrize(
    "change",
    [
        {"genres": ["Rock"]}, {"genres": ["rock", "rock"]}, {"genres": "rock"}, {"year": 0}, {"year": 1999.0}, {"year": "1999"},
        {"title": " Yellow"}, {"title": "Yel\u0000low"}, {"title": "n/a"}, {"artists": []}, {"artists": ["Ada", "Bob"]},
        {"region": "Iceland"}, {"duration_s": 215_000}, {"popularity": -1}, {"tags": ["x"]}, {"artists": "Ada"}, {"track_id": 7},
        {"year": True}, {"language": "English"},
    ],
    ids=str,
)  # fmt: skip
def test_everything_else_goes_the_long_way(change: dict[str, Any]) -> None:
    """A row that is not canonical in one field is left alone."""
    canonical = CanonicalTracks(load_vocabularies())

    assert canonical.fields(PLAIN) is not None
    assert canonical.fields(PLAIN | change) is None
