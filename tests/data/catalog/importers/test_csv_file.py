from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from data.catalog.importers.csv_file import rows
from data.errors import CatalogError

if TYPE_CHECKING:
    from tests.data.catalog.conftest import Read


@pytest.mark.parametrize(
    ("content", "titles"),
    [
        (b"title,artist\nAfrica,Toto\n", ["Africa"]),
        (b"title;artist;album\nAfrica, part 1;Toto;IV\n", ["Africa, part 1"]),
        (b"title\tartist\nAfrica, a; b\tToto\n", ["Africa, a; b"]),
        (b"\xef\xbb\xbftitle,artist\r\nAfrica,Toto\r\n", ["Africa"]),
        (b'\xef\xbb\xbf"title","artist"\r\n"Af""ri""ca","Toto"', ['Af"ri"ca']),
        (b'title,artist\n"two\nlines",Toto\nAfrica,Toto\n', ["two lines", "Africa"]),
        (b"title,artist\n\nAfrica,Toto\n\n", ["Africa"]),
        (b"Track Name,Artist Name,ID\nAfrica,Toto,1\nRosanna,Toto\n", ["Africa", "Rosanna"]),
        (b"title,artist\nAfrica,Toto,,\n", ["Africa"]),
        (b'title,artist\n12" Mix,Toto\n', ['12" Mix']),
        ("title,artist\n晴天,周杰倫\n".encode(), ["晴天"]),
    ],
    ids=range(11),
)
def test_good(tmp_path: Path, read: Read, content: bytes, titles: list[str]) -> None:
    """Comma, semicolon and tab, quoted cells, byte order mark, either line end, cells left out at the end."""
    path = tmp_path / "c.csv"
    path.write_bytes(content)
    _, tracks, rejects = read(path)

    assert [track.title for track in tracks] == titles
    assert rejects.total == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"caf\xe9,Toto", "not UTF-8"),
        (b"Africa,Toto,more", "more cells than the header has"),
        (b",Toto", "title: missing"),
        (b"Africa,", "artists: missing"),
        (b"x" * 2000 + b",Toto", "title: String should have at most 1000 characters"),
        (b"x" * 200_000 + b",Toto", "not valid CSV: field larger than field limit (131072)"),
        (b"x" * 5_000_000 + b",Toto", "not valid CSV: a line over 4194304 characters"),
        (b'"Africa"x,Toto', "not valid CSV: ',' expected after '\"'"),
        (b'"unclosed,Toto', "not valid CSV: unexpected end of data"),
    ],
    ids=range(9),
)
def test_bad_line(tmp_path: Path, read: Read, line: bytes, reason: str) -> None:
    """A bad line is a reject; the lines around it are read, even after a quote that never closes."""
    assert csv.field_size_limit() == 131072
    path = tmp_path / "c.csv"
    path.write_bytes(b"title,artist\nAfrica,Toto\n" + line + b"\nRosanna,Toto\n")
    _, tracks, rejects = read(path)

    assert [track.title for track in tracks] == ["Africa", "Rosanna"]
    assert rejects.counts == {reason: 1}


def test_row_numbers(tmp_path: Path) -> None:
    """Rows are numbered as a spreadsheet does: header 1, blank lines count, a quoted line break does not."""
    path = tmp_path / "c.csv"
    path.write_text('title,artist\n"a\nb",Toto\n\nc,Toto\n')

    assert [number for number, _ in rows(path)] == [2, 4]


def test_gz(tmp_path: Path, read: Read) -> None:
    """A compressed file is read like any other."""
    path = tmp_path / "c.csv.gz"
    path.write_bytes(gzip.compress(b"title,artist\nAfrica,Toto\n"))
    _, tracks, _ = read(path)

    assert tracks[0].title == "Africa"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Africa,Toto\nRosanna,Toto\n", "no column for title and artist"),
        (b"title,album\nAfrica,IV\n", "no column for artist"),
        ("title,artist\nAfrica,Toto\n".encode("utf-16"), "is UTF-16"),
        (b"title,artist\n", "no usable track"),
        (b"", "no usable track"),
        (b"title,artist\n,\n", "title: missing"),
    ],
    ids=range(6),
)
def test_unusable(tmp_path: Path, read: Read, content: bytes, message: str) -> None:
    """A file without the needed columns, in another encoding or without one usable row is an error."""
    path = tmp_path / "c.csv"
    path.write_bytes(content)

    with pytest.raises(CatalogError, match=message):
        read(path)


def test_artists_and_tracks(tmp_path: Path, read: Read) -> None:
    """A folder of two files gives the artists first, and their ids name the tracks' artists."""
    (tmp_path / "tracks.csv").write_text("artist_ids,title\ntoto,Africa\nnobody,Nothing\n")
    (tmp_path / "artists.tsv").write_text("artist_id\tname\tregion\ntoto\tToto\tUS\ntoto\tToto again\t\n")
    artists, tracks, rejects = read(tmp_path)

    assert [(artist.name, artist.region) for artist in artists] == [("Toto", "US")]
    assert tracks[0].artists[0].name == "Toto"
    assert rejects.counts == {"artist_id: already used by an earlier row": 1, "artist_ids: no artist has this id": 1}
