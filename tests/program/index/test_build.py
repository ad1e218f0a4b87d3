from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.catalog.schema import Artist, Credit, Track
from data.errors import CatalogError
from program.index.build import build_index
from program.index.protocol import Filter, Vector
from tests.program.index.conftest import Build, Open
from tests.tiny import TinyEmbedder, artists, build_tiny, open_tiny, track_id, tracks

ADA = Artist(artist_id="ada", name="Ada", region="IS", genres=("post-punk",))


def song(title: str, artist_id: str = "ada", **facets: Any) -> Track:
    credit = Credit(artist_id=artist_id, name=artist_id.title())
    return Track(track_id=track_id(artist_id, title), title=title, artists=(credit,), **facets)


def build(path: Path, *items: Artist | Track) -> dict[str, Any]:
    return build_index(items, path, embedder=TinyEmbedder())


def titles(path: Path) -> list[str]:
    """The titles of the index at `path`, in row order."""
    index = open_tiny(path)
    found = [index.track(row).track.title for row in range(index.info.tracks)]
    index.close()
    return found


class BrokenEmbedder:
    """Stops a build half-way, as a fault or as the person at the keyboard."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def embed(self, texts: list[str]) -> Vector:
        raise self.error


def test_manifest(tmp_path: Path) -> None:
    """The manifest counts what the catalog holds and how full each facet is."""
    manifest = build_tiny(tmp_path / "index")
    known = len(tracks()) - 2

    assert (manifest["tracks"], manifest["artists"]) == (len(tracks()), len(artists()))
    assert manifest["coverage"]["era"] == pytest.approx(known / len(tracks()))
    assert manifest["coverage"]["version"] == 1.0
    assert manifest["dims"] == 384


def test_makes_parent_folders(tmp_path: Path) -> None:
    """The folder's parents are made; nothing but the index is left beside it."""
    build(tmp_path / "deep" / "down" / "index", song("One"))

    assert [path.name for path in (tmp_path / "deep" / "down").iterdir()] == ["index"]


def test_replaces_an_index(tmp_path: Path) -> None:
    """A second build takes the place of the first, whole, and leaves nothing of it."""
    build(tmp_path / "index", song("One"), song("Two"))
    build(tmp_path / "index", song("Three"))

    assert titles(tmp_path / "index") == ["Three"]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_reader_keeps_the_index_it_opened(tmp_path: Path, opened: Open) -> None:
    """Who opened the old index reads it to the end, though another one takes its place."""
    build(tmp_path / "index", song("One", year=1980), song("Two"))
    reader = opened(tmp_path / "index")
    build(tmp_path / "index", song("Three"))

    assert [reader.track(row).track.title for row in reader.search(Filter(), 5).rows] == ["One", "Two"]
    assert reader.lookup(["one", "1"])["1"].total == 1


@pytest.mark.parametrize("error", [RuntimeError("model gone"), KeyboardInterrupt()], ids=["fault", "ctrl-c"])
def test_interrupted_build(tmp_path: Path, error: BaseException) -> None:
    """A build that stops half-way leaves the old index in place and no litter."""
    build(tmp_path / "index", song("One"))
    with pytest.raises(type(error)):
        build_index([song("Two")], tmp_path / "index", embedder=BrokenEmbedder(error))

    assert titles(tmp_path / "index") == ["One"]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_broken_source(tmp_path: Path) -> None:
    """A source that fails while it is read leaves the old index in place."""

    def items() -> Iterator[Track]:
        yield song("Two")
        raise OSError("disk gone")

    build(tmp_path / "index", song("One"))
    with pytest.raises(OSError, match="disk gone"):
        build_index(items(), tmp_path / "index", embedder=TinyEmbedder())

    assert titles(tmp_path / "index") == ["One"]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_failed_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the new index cannot be put in place, the old one is there again."""
    build(tmp_path / "index", song("One"))
    rename = Path.rename

    def broken(path: Path, target: Path) -> Path:
        if target == tmp_path / "index" and path.parent == tmp_path:
            raise OSError("no")
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", broken)
        with pytest.raises(OSError, match="no"):
            build(tmp_path / "index", song("Two"))

    assert titles(tmp_path / "index") == ["One"]


@pytest.mark.parametrize("items", [[], [ADA]], ids=["nothing", "no tracks"])
def test_no_tracks(tmp_path: Path, items: list[Artist]) -> None:
    """A catalog without a track makes no index."""
    with pytest.raises(CatalogError, match="no usable track"):
        build(tmp_path / "index", *items)

    assert list(tmp_path.iterdir()) == []


def test_same_catalog_same_hash(tmp_path: Path) -> None:
    """The content hash names the catalog's content: equal for two builds, another for another catalog."""
    first = build_tiny(tmp_path / "first")["content_hash"]
    second = build_tiny(tmp_path / "second")["content_hash"]
    third = build(tmp_path / "third", *artists(), *tracks()[:-1])["content_hash"]

    assert first == second != third
    assert len(first) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"region": "SE"},
        {"aliases": ("Lovelace",)},
        {"popularity": 9.0},
    ],
    ids=["inherited", "alias", "popularity"],
)
def test_hash_covers_artists(tmp_path: Path, change: dict[str, Any]) -> None:
    """What changes about an artist changes the content hash."""
    changed = build(tmp_path / "second", ADA.model_copy(update=change), song("One"))

    assert build(tmp_path / "first", ADA, song("One"))["content_hash"] != changed["content_hash"]


def test_tracks_inherit_from_their_artist(built: Build) -> None:
    """Facets that a track leaves empty are indexed as its first artist's."""
    index = built([ADA, song("One"), song("Two", region="SE")])

    assert [index.track(row).track.region for row in (0, 1)] == ["IS", "SE"]
    assert index.facet_counts(Filter(), "region") == {"europe": 2, "nordic": 2, "IS": 1, "SE": 1}


def test_artists_that_only_tracks_name(built: Build) -> None:
    """An artist without a record of its own is known by its credit."""
    entry = built([song("One", "bob")]).artist_by_id("bob")

    assert entry and (entry.artist.name, entry.available_tracks, entry.works) == ("Bob", 1, ("One",))


def test_guests_are_artists_of_the_track(built: Build) -> None:
    """A track counts for each of its artists, and its album for the first."""
    both = (Credit(artist_id="ada", name="Ada"), Credit(artist_id="bob", name="Bob"))
    index = built([ADA, Track(track_id="t", title="Duet", artists=both, album="Pairs")])
    album = index.album(0)

    assert [index.search(Filter(artist_ids=(name,)), 5).total for name in ("ada", "bob")] == [1, 1]
    assert (album.album_id, album.artist_ids, album.works) == ("ada/pairs", ("ada", "bob"), ("Duet",))


def test_progress(tmp_path: Path) -> None:
    """Every stage reports; the stages with a known total end on it."""
    seen: list[tuple[str, int, int | None]] = []
    build_index(
        [ADA, song("One"), song("Two")],
        tmp_path / "index",
        embedder=TinyEmbedder(),
        progress=lambda stage, done, total: seen.append((stage, done, total)),
    )
    last = {stage: (done, total) for stage, done, total in seen}

    assert list(last) == ["embedding", "indexing", "names"]
    assert last["embedding"][0] == last["embedding"][1]
    assert last["indexing"] == (2, 2)


def test_a_word_is_embedded_once(tmp_path: Path) -> None:
    """A facet value, an artist's name and a title's word cost one embedding each, however many tracks share them."""
    embedder = TinyEmbedder()
    build_index([ADA, *(song(f"Rain {number}") for number in "abcdef")], tmp_path / "index", embedder=embedder)

    assert (embedder.texts.count("Ada"), embedder.texts.count("rain")) == (1, 1)
    assert embedder.texts.count("Post-punk music") == 1
