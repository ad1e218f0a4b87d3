from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from data.catalog.importers.playlists import read_playlists
from data.catalog.importers.rejects import Rejects
from data.errors import CatalogError

PAIRS = [("p1", "a"), ("p1", "b"), ("2", "a")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lists.csv", "playlist_id,track_id\np1,a\np1,b\n2,a\n"),
        ("lists.tsv", "Track ID\tposition\tPlaylist ID\na\t1\tp1\nb\t2\tp1\na\t1\t2\n"),
        ("plays.csv", "user_id,track_id,at\np1,a,1\np1,b,2\n\n2,a,3\n"),
        ("lists.jsonl", '{"playlist_id": "p1", "track_id": "a"}\n{"pid": "p1", "track": "b"}\n{"pid": 2, "track": "a"}\n'),
        ("whole.jsonl", '{"playlist_id": "p1", "tracks": ["a", " b "]}\n{"playlist_id": 2, "track_ids": ["a"]}\n'),
    ],
    ids=["CSV", "TSV in another order", "plays", "a pair a line", "a playlist a line"],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_reads_pairs(tmp_path: Path, name: str, text: str, packed: bool) -> None:
    """Every form gives the same pairs in the order of the file."""
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    rejects = Rejects()

    assert list(read_playlists(path, rejects)) == PAIRS
    assert rejects.total == 0


def test_bad_rows_are_counted(tmp_path: Path) -> None:
    """A row without a playlist or a track is left out and counted; the others stay."""
    path = tmp_path / "lists.jsonl"
    lines = [
        '{"playlist_id": "p1", "track_id": "a"}',
        '{"track_id": "a"}',
        '{"playlist_id": "p1"}',
        "[1]",
        '{"pid": "p", "tracks": []}',
    ]
    path.write_text("\n".join([*lines, '{"playlist_id": true, "track_id": "a"}']))
    rejects = Rejects()

    assert list(read_playlists(path, rejects)) == [("p1", "a")]
    assert rejects.counts == {"no playlist id": 2, "no track id": 2, "not a JSON object": 1}


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", "title,artist\nx,y\n"), ("none.csv", None)], ids=["another table", "no file"]
)
def test_files_that_are_no_playlists(tmp_path: Path, name: str, text: str | None) -> None:
    """A file that cannot be what it should be is an error, not an empty list."""
    path = tmp_path / name
    if text is not None:
        path.write_text(text)

    with pytest.raises(CatalogError):
        list(read_playlists(path, Rejects()))
