from __future__ import annotations

import csv
from pathlib import Path

import pytest

from data.catalog.demo_files import ARTIST_COLUMNS, TRACK_COLUMNS, demo_path, main, merge_parts, slug
from data.catalog.importers import Rejects, read_catalog
from data.catalog.schema import Artist, Track
from data.errors import CatalogError

Rows = list[dict[str, str]]
TOTO = {"artist_id": "toto", "name": "Toto", "region": "US", "language": "en", "genres": "rock", "vocal": "male"}
AFRICA = {"artist_ids": "toto", "title": "Africa", "year": "1982", "moods": "nostalgic", "popularity": "5"}


def write_part(folder: Path, name: str, artists: Rows, tracks: Rows) -> None:
    """One pair of part files."""
    for kind, columns, rows in (("artists", ARTIST_COLUMNS, artists), ("tracks", TRACK_COLUMNS, tracks)):
        with (folder / f"{kind}_{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, restval="")
            writer.writeheader()
            writer.writerows(rows)


def findings(folder: Path) -> list[str]:
    """Everything told about the parts, as printed."""
    return [str(finding) for finding in merge_parts(folder).findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't Stop", "don-t-stop"),
        ("Sigur Rós", "sigur-ros"),
        ("晴天", "qingtian"),
        ("!!!", "x"),
        ("x" * 200, "x" * 80),
    ],
)
def test_slug(text: str, expected: str) -> None:
    """Slugs are short ASCII in any script."""
    assert slug(text) == expected


def test_round_trip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is merged and written is read by the importer, row for row."""
    jay = {"artist_id": "jay-chou", "name": "Jay Chou", "aliases": "周杰伦|周杰倫", "region": "TW", "language": "zh"}
    sunny = {"artist_ids": "jay-chou|toto", "title": "晴天", "aliases": "Sunny Day|Qing Tian", "year": "2003"}
    write_part(tmp_path, "a", [TOTO], [AFRICA, {**AFRICA, "title": 'Say "Hold, the Line"', "version": "live"}])
    write_part(tmp_path, "b", [jay], [sunny])
    code = main([str(tmp_path), str(tmp_path / "out")])
    rejects = Rejects()
    records = list(read_catalog(tmp_path / "out", rejects=rejects))
    artists = {record.artist_id: record for record in records if isinstance(record, Artist)}
    tracks = {record.track_id: record for record in records if isinstance(record, Track)}

    assert (code, rejects.total) == (0, 0)
    assert capsys.readouterr().out == "2 artists, 3 tracks, 0 problems\n"
    assert list(artists) == ["jay-chou", "toto"]
    assert list(tracks) == ["jay-chou--qingtian", "toto--africa", "toto--say-hold-the-line"]
    assert artists["jay-chou"].aliases == ("周杰伦", "周杰倫")
    assert [credit.name for credit in tracks["jay-chou--qingtian"].artists] == ["Jay Chou", "Toto"]
    assert (tracks["toto--africa"].year, tracks["toto--africa"].moods) == (1982, ("nostalgic",))
    assert (tracks["toto--say-hold-the-line"].title, tracks["toto--say-hold-the-line"].version) == (
        'Say "Hold, the Line"',
        "live",
    )


def test_one_artist_in_two_parts(tmp_path: Path) -> None:
    """The same name from the same region is one artist, under the first id, with all that either part knows."""
    again = {
        "artist_id": "toto-band",
        "name": "TOTO",
        "aliases": "T",
        "region": "US",
        "genres": "pop-rock",
        "vocal": "mixed",
    }
    write_part(tmp_path, "a", [{**TOTO, "popularity": "3"}], [AFRICA])
    write_part(tmp_path, "b", [{**again, "popularity": "4"}], [{**AFRICA, "artist_ids": "toto-band", "title": "Rosanna"}])
    merged = merge_parts(tmp_path)

    assert list(merged.artists) == ["toto"]
    assert (merged.artists["toto"]["aliases"], merged.artists["toto"]["popularity"]) == ("T", "4")
    assert merged.artists["toto"]["genres"] == "rock|pop-rock"
    assert list(merged.tracks) == ["toto--africa", "toto--rosanna"]
    assert [str(finding) for finding in merged.findings] == [
        "artists_b.csv:2: note: toto: vocal mixed, elsewhere male",
    ]


def test_namesakes_are_kept_and_told(tmp_path: Path) -> None:
    """The same name from another region stays another artist, also when both parts gave it one id."""
    write_part(tmp_path, "a", [TOTO], [AFRICA])
    write_part(tmp_path, "b", [{**TOTO, "region": "BR"}], [AFRICA])
    write_part(tmp_path, "c", [{**TOTO, "artist_id": "toto-gb", "region": "GB"}], [{**AFRICA, "artist_ids": "toto-gb"}])
    merged = merge_parts(tmp_path)

    assert list(merged.artists) == ["toto", "toto-br", "toto-gb"]
    assert list(merged.tracks) == ["toto--africa", "toto-br--africa", "toto-gb--africa"]
    assert [str(finding) for finding in merged.findings] == [
        "artists_b.csv:2: note: toto is taken by another artist: kept as toto-br",
        "artists_c.csv:2: note: Toto is also the name of toto: both kept",
    ]


def test_track_ids_are_unique(tmp_path: Path) -> None:
    """Exact repeats of artist and title go, the first stays; titles with one slug get different ids."""
    tracks = [
        AFRICA,
        {**AFRICA, "year": "1999"},
        {**AFRICA, "title": "Africa!", "version": "live"},
        {**AFRICA, "title": "Africa?"},
        {**AFRICA, "title": "(Africa)"},
    ]
    write_part(tmp_path, "a", [TOTO], tracks)
    merged = merge_parts(tmp_path)

    assert {track_id: row["title"] for track_id, row in merged.tracks.items()} == {
        "toto--africa": "Africa",
        "toto--africa-live": "Africa!",
        "toto--africa-1982": "Africa?",
        "toto--africa-2": "(Africa)",
    }
    assert [str(finding) for finding in merged.findings] == ["tracks_a.csv:3: note: toto: Africa is there already: dropped"]


@pytest.mark.parametrize(
    ("artist", "track", "told"),
    [
        ({}, {"genres": "rock|zydeco-core"}, "tracks_a.csv:2: genres: rock|zydeco-core is not in the genre vocabulary"),
        ({}, {"moods": "Happy"}, "tracks_a.csv:2: moods: Happy is not in the mood vocabulary"),
        ({}, {"activities": "x"}, "tracks_a.csv:2: activities: x is not in the activity vocabulary"),
        ({}, {"instruments": "x"}, "tracks_a.csv:2: instruments: x is not in the instrument vocabulary"),
        ({}, {"year": "1599"}, "tracks_a.csv:2: year: 1599 is not within 1600..2026"),
        ({}, {"year": "soon"}, "tracks_a.csv:2: year: soon is not within 1600..2026"),
        ({}, {"popularity": "6"}, "tracks_a.csv:2: popularity: 6 is not within 1..5"),
        ({}, {"bpm": "12.5"}, "tracks_a.csv:2: bpm: 12.5 is not within 20..400"),
        ({}, {"region": "USA"}, "tracks_a.csv:2: region: USA is not an ISO 3166-1 alpha-2 code"),
        ({}, {"language": "eng"}, "tracks_a.csv:2: language: eng is not an ISO 639 code"),
        ({}, {"vocal": "choir"}, "tracks_a.csv:2: vocal: choir is not one of female male mixed instrumental"),
        ({}, {"version": "edit"}, "tracks_a.csv:2: version: edit is not one of original cover"),
        ({}, {"title": " "}, "tracks_a.csv:2: title: missing"),
        ({}, {"artist_ids": "nobody"}, "tracks_a.csv:2: artist_ids: no such artist: nobody"),
        ({"artist_id": "Toto"}, {}, "artists_a.csv:2: artist_id: Toto is not a slug"),
        ({"name": ""}, {}, "artists_a.csv:2: name: missing"),
    ],
)
def test_unusable_rows(
    tmp_path: Path, artist: dict[str, str], track: dict[str, str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row against the brief is told with file and row, left out, and makes the exit code 1."""
    write_part(tmp_path, "a", [{**TOTO, **artist}], [{**AFRICA, **track}, {**AFRICA, "title": "Rosanna"}])
    code = main([str(tmp_path), str(tmp_path / "out")])

    assert code == 1
    assert told in capsys.readouterr().out


def test_broken_files(tmp_path: Path) -> None:
    """Broken bytes, a short row, an id used twice and a missing file are told; the rest is used."""
    write_part(tmp_path, "a", [TOTO, TOTO], [AFRICA])
    with (tmp_path / "tracks_a.csv").open("ab") as file:
        file.write(b"toto,caf\xe9" + b"," * 14 + b"\ntoto,Short\n")
    (tmp_path / "tracks_b.csv").write_text(",".join(TRACK_COLUMNS) + "\n")

    told = findings(tmp_path)

    assert told[0] == "artists_a.csv:3: artist_id: toto is used twice in this file"
    assert told[1].startswith("artists_b.csv:1: cannot read")
    assert told[2] == "tracks_a.csv:3: not UTF-8"
    assert told[3].startswith("tracks_a.csv:4: columns missing or not expected: activities album")


def test_artist_without_track(tmp_path: Path) -> None:
    """An artist that no track credits is worth a note."""
    write_part(tmp_path, "a", [TOTO, {**TOTO, "artist_id": "idle", "name": "Idle"}], [AFRICA])

    assert findings(tmp_path) == ["artists_a.csv:3: note: idle has no track"]


def test_no_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without parts is bad input."""
    with pytest.raises(CatalogError, match="no artists_"):
        merge_parts(tmp_path)

    assert main([str(tmp_path), str(tmp_path / "out")]) == 2
    assert "no artists_" in capsys.readouterr().err


def test_demo_path() -> None:
    """The packaged folder lies beside the catalog's code."""
    assert demo_path().parts[-3:] == ("data", "catalog", "demo")
