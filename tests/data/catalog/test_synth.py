from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from data.catalog.importers import Rejects, read_catalog
from data.catalog.schema import Artist, Track
from data.catalog.synth import COVERAGE, write_synthetic
from data.errors import InfrastructureError, InputError

TRACKS = 6_000


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small synthetic catalog."""
    made = tmp_path_factory.mktemp("synth") / "catalog.jsonl"
    write_synthetic(made, TRACKS, seed=3)
    return made


@pytest.fixture(scope="module")
def lines(path: Path) -> list[dict[str, Any]]:
    """Its lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_same_seed_same_bytes(tmp_path: Path, path: Path) -> None:
    """A seed gives one catalog; another seed (0 too) gives another."""
    write_synthetic(tmp_path / "again.jsonl", TRACKS, seed=3)
    write_synthetic(tmp_path / "zero.jsonl", TRACKS, seed=0)
    write_synthetic(tmp_path / "default.jsonl", TRACKS)

    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    assert (tmp_path / "zero.jsonl").read_bytes() != path.read_bytes()
    assert (tmp_path / "zero.jsonl").read_bytes() == (tmp_path / "default.jsonl").read_bytes()


def test_shape(lines: list[dict[str, Any]]) -> None:
    """Artists stand first, a twelfth as many as tracks; a few have very many tracks, and titles repeat."""
    artists, tracks = lines[: TRACKS // 12], lines[TRACKS // 12 :]
    tracks_of = Counter(track["artist_ids"][0] for track in tracks)
    titles = Counter(track["title"] for track in tracks)
    plays = sorted((track["popularity"] for track in tracks if "popularity" in track), reverse=True)

    assert all(artist["kind"] == "artist" for artist in artists)
    assert not any("kind" in track for track in tracks)
    assert len(tracks_of) == len(artists)
    assert tracks_of.most_common(1)[0][1] > 8 * sorted(tracks_of.values())[len(artists) // 2]
    assert titles["Love"] > 10
    assert plays[0] > 100 * plays[len(plays) // 2]
    assert any(title > "\u4e00" for title in titles)
    assert any("ñ" in title or "ã" in title for title in titles)


@pytest.mark.parametrize("facet", [name for name in COVERAGE if name != "language"])
def test_coverage(lines: list[dict[str, Any]], facet: str) -> None:
    """Each facet is about as full as it says, and instrumentals have no language."""
    tracks = lines[TRACKS // 12 :]
    share = sum(facet in track for track in tracks) / len(tracks)

    assert share == pytest.approx(COVERAGE[facet], abs=0.08)
    assert not any("language" in track for track in tracks if track.get("vocal") == "instrumental")


def test_every_line_is_usable(path: Path) -> None:
    """The importer takes every line, and every facet word is one of the vocabularies'."""
    rejects = Rejects()
    records = list(read_catalog(path, rejects=rejects))
    tracks = [record for record in records if isinstance(record, Track)]
    raw = Counter(word for track in tracks for word in track.tags)

    assert rejects.total == 0
    assert sum(isinstance(record, Artist) for record in records) == TRACKS // 12
    assert len(tracks) == TRACKS
    assert len(raw) == 6
    assert {"live", "karaoke", "acoustic", "remix", "remaster"} <= {track.version for track in tracks}


def test_progress(tmp_path: Path) -> None:
    """Progress counts the lines written."""
    seen: list[int] = []
    write_synthetic(tmp_path / "c.jsonl", 12_000, on_progress=seen.append)

    assert seen == [10_000, 13_000]


def test_smallest_and_refused(tmp_path: Path) -> None:
    """One track is a catalog; none is not, and a place that cannot be written is told."""
    write_synthetic(tmp_path / "c.jsonl", 1)

    assert len((tmp_path / "c.jsonl").read_text().splitlines()) == 2
    with pytest.raises(InputError, match="at least 1 track"):
        write_synthetic(tmp_path / "d.jsonl", 0)
    with pytest.raises(InfrastructureError, match="cannot write"):
        write_synthetic(tmp_path, 1)
