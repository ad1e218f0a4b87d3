from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from data.catalog.importers import FORMATS, Rejects, detect_format, read_catalog
from data.catalog.importers.places import Places
from data.catalog.schema import Track
from data.errors import CatalogError, InfrastructureError
from data.vocab.loader import Vocabulary, load_vocabularies

if TYPE_CHECKING:
    from tests.data.catalog.conftest import Read

GOOD = '{"title": "Africa", "artist": "Toto"}\n'


@pytest.mark.parametrize(
    ("files", "format"),
    [
        ({"c.csv": ""}, "csv"),
        ({"C.TSV.gz": ""}, "csv"),
        ({"c.jsonl": GOOD}, "jsonl"),
        ({"c.ndjson": ""}, "jsonl"),
        ({"c.jsonl": '{"track_id": "1", "title": "A", "artists": ["B"], "album": null}'}, "cpcd"),
        ({"c.parquet": ""}, "parquet"),
        ({"f/tracks.csv": "", "f/artists.csv": ""}, "csv"),
        ({"f/tracks.jsonl": "", "f/dialogs.jsonl": ""}, "jsonl"),
        ({"f/tracks.jsonl": '{"track_id": "1", "title": "A", "artists": ["B"], "album": ""}'}, "cpcd"),
        ({"f/tracks.parquet": ""}, "parquet"),
        ({"f/deep/x.parquet": ""}, "parquet"),
        ({"f/dataset_dict.json": ""}, "datasets"),
        ({"f/state.json": "", "f/data-00000-of-00001.arrow": ""}, "datasets"),
    ],
    ids=range(13),
)
def test_detect_format(tmp_path: Path, files: dict[str, str], format: str) -> None:
    """Names tell the format, and the first row tells CPCD."""
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".gz"):
            (tmp_path / name).touch()
        else:
            (tmp_path / name).write_text(content)

    assert detect_format(tmp_path / next(iter(files)).split("/")[0]) == format
    assert format in FORMATS


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("nowhere.csv", None, "no such file or folder"),
        ("nowhere.csv", "csv", "no such file or folder"),
        ("c.txt", None, "not a catalog"),
        ("empty", None, "not a catalog"),
        ("empty", "csv", "no tracks in"),
        ("empty", "parquet", "no tracks in"),
        ("empty", "datasets", "cannot read"),
        ("c.txt", "xml", "unknown catalog format: xml"),
    ],
)
def test_refused_at_once(tmp_path: Path, name: str, format: str | None, message: str) -> None:
    """What is no source is refused before anything is read."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "c.txt").write_text("title,artist\n")

    with pytest.raises(CatalogError, match=message):
        read_catalog(tmp_path / name, format=format, rejects=Rejects(), vocabularies={})


def test_format_overrules_name(tmp_path: Path, read: Read) -> None:
    """A format that is given is taken, whatever the file is called."""
    (tmp_path / "c.txt").write_text("title,artist\nAfrica,Toto\n")
    _, tracks, _ = read(tmp_path / "c.txt", format="csv")

    assert len(tracks) == 1


def test_folder_of_jsonl(tmp_path: Path, read: Read) -> None:
    """A folder of JSON Lines works like one of CSV; its artist lines need no kind."""
    (tmp_path / "tracks.jsonl").write_text('{"title": "Africa", "artist_ids": ["toto"]}\n')
    (tmp_path / "artists.jsonl").write_text('{"artist_id": "toto", "name": "Toto"}\n')
    artists, tracks, _ = read(tmp_path)

    assert (artists[0].name, tracks[0].artists[0].name) == ("Toto", "Toto")


def test_duplicate_track_id(tmp_path: Path, read: Read) -> None:
    """Of two rows with one id the second is rejected, with the reason in the rejects file."""
    path = tmp_path / "rejects.jsonl"
    (tmp_path / "c.csv").write_text("id,title,artist\n1,Africa,Toto\n1,Rosanna,Toto\n")
    _, tracks, rejects = read(tmp_path / "c.csv", rejects=Rejects(path))

    assert [track.title for track in tracks] == ["Africa"]
    assert rejects.counts == {"track_id: already used by an earlier row": 1}
    assert json.loads(path.read_text()) == {
        "file": "c.csv",
        "row": 3,
        "field": "track_id",
        "reason": "already used by an earlier row",
        "data": {"id": "1", "title": "Rosanna", "artist": "Toto"},
    }


def test_no_rejects_no_file(tmp_path: Path, read: Read) -> None:
    """Without a reject there is no rejects file, and an older one goes."""
    path = tmp_path / "rejects.jsonl"
    path.write_text("old\n")
    (tmp_path / "c.jsonl").write_text(GOOD)
    read(tmp_path / "c.jsonl", rejects=Rejects(path))

    assert not path.exists()


def test_not_one_usable_track(tmp_path: Path, read: Read) -> None:
    """A source without a usable track is an error that says why, and the rejects file is written all the same."""
    path = tmp_path / "rejects.jsonl"
    lines = '{"kind": "artist", "name": "Toto"}', '{"title": "Africa"}', '{"title": "Rosanna"}'
    (tmp_path / "c.jsonl").write_text("\n".join(lines))

    with pytest.raises(CatalogError, match=r"no usable track in c.jsonl: 2 rows rejected: artists: missing \(2\)"):
        read(tmp_path / "c.jsonl", rejects=Rejects(path))
    assert len(path.read_text().splitlines()) == 2


def test_rejects_file_is_not_the_source(tmp_path: Path) -> None:
    """A rejects file that would replace the catalog is refused before it can."""
    path = tmp_path / "c.jsonl"
    path.write_text(GOOD)

    with pytest.raises(CatalogError, match="is the catalog itself"):
        read_catalog(path, rejects=Rejects(path), vocabularies={})
    assert path.read_text() == GOOD


def test_unwritable_rejects(tmp_path: Path) -> None:
    """A rejects path that is a folder is told at once."""
    (tmp_path / "c.jsonl").write_text(GOOD)
    (tmp_path / "folder").mkdir()

    with pytest.raises(InfrastructureError, match="cannot replace the rejects file"):
        read_catalog(tmp_path / "c.jsonl", rejects=Rejects(tmp_path / "folder"), vocabularies={})


def test_progress(tmp_path: Path) -> None:
    """Progress counts every row read, the rejected ones too, and ends on the total."""
    lines = [json.dumps({"title": f"Song {number}" if number % 2 else "", "artist": "Toto"}) for number in range(12_001)]
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    seen: list[int] = []
    rejects = Rejects()
    records = list(read_catalog(tmp_path / "c.jsonl", rejects=rejects, on_progress=seen.append, vocabularies={}))

    assert seen == [5_000, 10_000, 12_001]
    assert (len(records), rejects.total) == (6_000, 6_001)


def test_streams(tmp_path: Path) -> None:
    """A reader that stops early has read no further, has its rejects written, and gets no error."""
    path = tmp_path / "rejects.jsonl"
    (tmp_path / "c.jsonl").write_text("{\n" + GOOD + '{"title": "later"}\n')
    rejects = Rejects(path)
    records = read_catalog(tmp_path / "c.jsonl", rejects=rejects, vocabularies={})
    first = next(records)
    records.close()  # type: ignore[attr-defined]

    assert isinstance(first, Track)
    assert [json.loads(line)["row"] for line in path.read_text().splitlines()] == [1]


def test_own_vocabularies(tmp_path: Path) -> None:
    """Without vocabularies given, the project's own are used."""
    (tmp_path / "c.jsonl").write_text('{"title": "A", "artist": "B", "genres": ["Trip Hop"], "language": "日语"}')
    (track,) = read_catalog(tmp_path / "c.jsonl", rejects=Rejects())

    assert isinstance(track, Track)
    assert (track.genres, track.language) == (("trip-hop",), "ja")


@pytest.mark.parametrize("facet", ["region", "language"])
def test_codes_of_the_vocabularies_are_read_as_themselves(facet: str) -> None:
    """Every country and language that the project knows is a code that importers leave as it is."""
    vocabularies: dict[str, Vocabulary] = load_vocabularies()
    places = Places(vocabularies["region"], vocabularies["language"])
    codes = [code for code in vocabularies[facet].concepts if facet == "language" or len(code) == 2]

    assert [code for code in codes if (places.region if facet == "region" else places.language)(code) != code] == []
