from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from data.catalog.importers import jsonl
from data.errors import CatalogError, RowError

if TYPE_CHECKING:
    from tests.data.catalog.conftest import Read

GOOD = b'{"title": "Africa", "artist": "Toto"}\n'


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        (b'{"title": "Africa"', "", "not valid JSON"),
        (b'{"title": "\xff\xfe", "artist": "Toto"}', "", "not UTF-8"),
        (b'["Africa", "Toto"]', "", "not a JSON object"),
        (b'"Africa"', "", "not a JSON object"),
        (b"null", "", "not a JSON object"),
        (b"[" * 100_000, "", "not valid JSON"),
        (b'{"artist": "Toto"}', "title", "missing"),
        (b'{"title": "Africa"}', "artists", "missing"),
        (b'{"title": {"a": 1}, "artist": "Toto"}', "title", "not text"),
        (b'{"title": "' + b"x" * 2000 + b'", "artist": "Toto"}', "title", "String should have at most 1000 characters"),
        (b'{"title": "' + b"x" * jsonl.MAX_LINE + b'", "artist": "Toto"}', "", f"a line over {jsonl.MAX_LINE} bytes"),
        (b'{"kind": "playlist", "title": "Africa", "artist": "Toto"}', "kind", "neither artist nor track"),
    ],
    ids=range(12),
)
def test_bad_line(tmp_path: Path, read: Read, line: bytes, field: str, reason: str) -> None:
    """A bad line is a reject with its number, and the lines around it are read."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(GOOD + b"\n" + line + b"\n" + GOOD.replace(b"Africa", b"Rosanna"))
    _, tracks, rejects = read(path)

    assert [track.title for track in tracks] == ["Africa", "Rosanna"]
    assert rejects.counts == {f"{field}: {reason}" if field else reason: 1}


def test_row_numbers(tmp_path: Path) -> None:
    """Blank lines count, and the last line needs no line break."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\n{\n" + GOOD.strip())

    rows = list(jsonl.rows(path))

    assert [number for number, _ in rows] == [1, 3, 4]
    assert isinstance(rows[1][1], RowError)
    assert rows[1][1].row == 3


def test_artist_lines_come_first(tmp_path: Path, read: Read) -> None:
    """Artist lines are read before the tracks wherever they stand, once each, and name the tracks' ids."""
    lines = [
        {"title": "Africa", "artist_ids": ["toto"]},
        {"kind": "artist", "artist_id": "toto", "name": "Toto"},
        {"kind": "track", "title": "Rosanna", "artist": {"kind": "artist", "name": "TOTO"}},
        {"kind": "artist", "artist_id": "nameless"},
    ]
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    artists, tracks, rejects = read(path)

    assert [artist.artist_id for artist in artists] == ["toto"]
    assert [track.artists[0].artist_id for track in tracks] == ["toto", "toto"]
    assert rejects.counts == {"name: missing": 1}


def test_nan_is_nothing(tmp_path: Path, read: Read) -> None:
    """The NaN that Python and pandas write is an empty cell."""
    path = tmp_path / "c.jsonl"
    path.write_text('{"title": "Africa", "artist": "Toto", "bpm": NaN, "year": NaN}')
    _, tracks, _ = read(path)

    assert (tracks[0].bpm, tracks[0].year) == (None, None)


@pytest.mark.parametrize("name", ["c.jsonl.gz", "c.ndjson.gz", "C.JSONL.GZ"])
def test_gz(tmp_path: Path, read: Read, name: str) -> None:
    """A compressed file is read like any other."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(GOOD))
    _, tracks, _ = read(path)

    assert tracks[0].title == "Africa"


@pytest.mark.parametrize("content", [b"not gzip at all", gzip.compress(GOOD * 1000)[:-20]])
def test_broken_gz(tmp_path: Path, read: Read, content: bytes) -> None:
    """A file that is not gzip, or breaks off, is an error and not a short catalog."""
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(content)

    with pytest.raises(CatalogError, match="cannot read"):
        read(path, format="jsonl")
