from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.catalog.importers import parquet
from data.errors import CatalogError

if TYPE_CHECKING:
    from tests.data.catalog.conftest import Read

TRACKS = {
    "track_name": ["Africa", None, "Rosanna"],
    "artists": [["Toto"], ["Toto"], ["Toto", "Guest"]],
    "released": [date(1982, 6, 25), date(1982, 6, 25), None],
    "tempo": [92.7, float("nan"), 0.0],
    "popularity": [Decimal("5.0"), None, Decimal("3.5")],
    "embedding": [[0.1], [0.2], [0.3]],
}


def test_typed_columns(tmp_path: Path, read: Read) -> None:
    """Lists, dates, decimals and NaN are read; a row without a title is a reject with its number."""
    pq.write_table(pa.table(TRACKS), tmp_path / "c.parquet")
    _, tracks, rejects = read(tmp_path / "c.parquet")

    assert [(track.title, track.year, track.bpm, track.popularity) for track in tracks] == [
        ("Africa", 1982, 92.7, 5.0),
        ("Rosanna", None, None, 3.5),
    ]
    assert [credit.name for credit in tracks[1].artists] == ["Toto", "Guest"]
    assert rejects.counts == {"title: missing": 1}


def test_folder(tmp_path: Path, read: Read) -> None:
    """A folder of files is read in order of their names, files of artists first."""
    (tmp_path / "data").mkdir()
    pq.write_table(pa.table({"title": ["B"], "artist_id": ["x"]}), tmp_path / "data" / "train-1.parquet")
    pq.write_table(pa.table({"title": ["A"], "artist_id": ["x"]}), tmp_path / "data" / "train-0.parquet")
    pq.write_table(pa.table({"artist_id": ["x"], "name": ["Toto"]}), tmp_path / "data" / "artists-0.parquet")
    artists, tracks, _ = read(tmp_path)

    assert [artist.name for artist in artists] == ["Toto"]
    assert [track.title for track in tracks] == ["A", "B"]


def test_more_rows_than_a_batch(tmp_path: Path, read: Read) -> None:
    """Row numbers go on from batch to batch."""
    titles = [f"Song {number}" if number != 9000 else "" for number in range(1, 9501)]
    pq.write_table(pa.table({"title": titles, "artist": ["Toto"] * 9500}), tmp_path / "c.parquet")
    seen = [number for number, _ in parquet.rows(tmp_path / "c.parquet")]
    _, tracks, _ = read(tmp_path / "c.parquet")

    assert seen == list(range(1, 9501))
    assert len(tracks) == 9499


def test_not_utf8(tmp_path: Path, read: Read) -> None:
    """A cell with broken text costs its own row only, whether the column says text or bytes."""
    raw = pa.array([b"Africa", b"\xff\xfe", b"Rosanna"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 3, raw.buffers())
    for name, column in (("text", text), ("bytes", raw)):
        pq.write_table(pa.table({"title": column, "artist": ["Toto"] * 3}), tmp_path / f"{name}.parquet")
        _, tracks, rejects = read(tmp_path / f"{name}.parquet")

        assert [track.title for track in tracks] == ["Africa", "Rosanna"]
        assert [reason.removeprefix("title: ") for reason in rejects.counts] == ["not UTF-8"]


def test_damaged(tmp_path: Path, read: Read) -> None:
    """What is not Parquet is an error."""
    (tmp_path / "c.parquet").write_bytes(b"PAR1 nonsense PAR1")

    with pytest.raises(CatalogError, match="cannot read"):
        read(tmp_path / "c.parquet")


def test_saved_dataset(tmp_path: Path, read: Read) -> None:
    """A folder that `datasets` saved is read, one split or several, artists first."""
    from datasets import Dataset, DatasetDict

    tracks = Dataset.from_dict({"track_name": ["Africa", ""], "artist_name": ["Toto", "Toto"], "note": ["", ""]})
    artists = Dataset.from_dict({"artist_id": ["toto"], "name": ["Toto"]})
    tracks.save_to_disk(tmp_path / "one")
    DatasetDict({"train": tracks, "artists": artists}).save_to_disk(tmp_path / "two")
    _, alone, rejects = read(tmp_path / "one")
    described, together, _ = read(tmp_path / "two")

    assert [track.title for track in alone] == ["Africa"]
    assert rejects.counts == {"title: missing": 1}
    assert [artist.name for artist in described] == ["Toto"]
    assert together[0].artists[0].artist_id == "toto"


def test_not_a_dataset(tmp_path: Path, read: Read) -> None:
    """A folder that only looks like a saved data set is an error."""
    (tmp_path / "state.json").write_text("{}")

    with pytest.raises(CatalogError, match="cannot read"):
        read(tmp_path)
