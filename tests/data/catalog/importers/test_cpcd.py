from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from data.catalog.importers import detect_format
from data.catalog.importers.cpcd import is_cpcd

if TYPE_CHECKING:
    from tests.data.catalog.conftest import Read

CPCD = Path(__file__).parents[4].parent / "shared" / "data" / "cpcd" / "tracks.jsonl"
ROW = {"track_id": "--tUfp3wCsE", "title": "Africa", "artists": ["Toto"], "album": "IV"}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (ROW, True),
        ({**ROW, "year": 1982}, False),
        ({**ROW, "artists": "Toto"}, False),
        ({**ROW, "artists": [{"name": "Toto"}]}, False),
        ({"title": "Africa"}, False),
        (None, False),
    ],
)
def test_is_cpcd(row: dict[str, Any] | None, expected: bool) -> None:
    """CPCD is told by exactly its fields."""
    assert is_cpcd(row) is expected


def test_karaoke_label(tmp_path: Path, read: Read) -> None:
    """A track by a karaoke label is karaoke whatever its title says; other fields are not read."""
    rows = [
        {**ROW, "artists": ["ProSource Karaoke"], "bpm": "fast"},
        {**ROW, "track_id": "2", "title": "Africa (Live)"},
    ]
    path = tmp_path / "tracks.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n{\n")
    _, tracks, rejects = read(path, format="cpcd")

    assert [track.version for track in tracks] == ["karaoke", "live"]
    assert rejects.counts == {"not valid JSON": 1}


@pytest.mark.skipif(not CPCD.exists(), reason="shared/data/cpcd is not here")
def test_first_200_rows(tmp_path: Path, read: Read) -> None:
    """The real file's first 200 rows are all usable, and its remarks are understood."""
    path = tmp_path / "tracks.jsonl"
    with CPCD.open(encoding="utf-8") as file:
        lines = list(islice(file, 200))
    path.write_text("".join(lines), encoding="utf-8")
    artists, tracks, rejects = read(tmp_path)
    by_id = {track.track_id: track for track in tracks}

    assert detect_format(path) == "cpcd"
    assert (artists, len(tracks), rejects.total) == ([], 200, 0)
    assert by_id["--tUfp3wCsE"].version == "karaoke"
    assert by_id["-0E79YadZrg"].version == "live"
    assert by_id["-0_yHK_MM8o"].version == "acoustic"
    assert by_id["-0RyDyRvlB0"].artists[0].artist_id == "name:jhus"
