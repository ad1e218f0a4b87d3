from __future__ import annotations

import gc
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import BadZipFile

import pytest

from data.catalog.schema import Credit, Track
from data.errors import CatalogIndexError
from program.index.layout import FORMAT_VERSION
from tests.program.index.conftest import Build, Open
from tests.tiny import open_tiny

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # see the test of open files
Damage = Callable[[Path], object]
FILES = [
    "tracks.jsonl",
    "artists.jsonl",
    "albums.jsonl",
    "tracks.offsets.npy",
    "artists.offsets.npy",
    "albums.offsets.npy",
    "popularity.npy",
    "space.npz",
    "words/letters.npy",
    "words/offsets.npy",
    "words/lengths.npy",
    "words/weights.npy",
    "words/common.npy",
    "words/spelt.starts.npy",
    "words/spelt.ids.npy",
    "words/sounds.starts.npy",
    "words/sounds.ids.npy",
]


@pytest.fixture
def copied(tiny_path: Path, tmp_path: Path) -> Path:
    """A copy of the tiny index, to be damaged."""
    return Path(shutil.copytree(tiny_path, tmp_path / "index"))


def cut(name: str) -> Damage:
    return lambda path: (path / name).write_bytes((path / name).read_bytes()[: (path / name).stat().st_size // 2])


def garbage(name: str) -> Damage:
    return lambda path: (path / name).write_bytes(b"garbage " * 9)


def emptied(name: str) -> Damage:
    return lambda path: (path / name).write_bytes(b"")


def removed(name: str) -> Damage:
    return lambda path: (path / name).unlink()


def without_folder(name: str) -> Damage:
    return lambda path: shutil.rmtree(path / name)


def overwritten_folder(name: str) -> Damage:
    def write(path: Path) -> None:
        for file in (path / name).iterdir():
            file.write_bytes(b"x" * file.stat().st_size)

    return write


def manifest(**fields: object) -> Damage:
    def write(path: Path) -> None:
        held = json.loads((path / "manifest.json").read_text())
        (path / "manifest.json").write_text(json.dumps(held | fields))

    return write


def opening_error(path: Path) -> Exception | None:
    """What opening the index raises, without the frames that hold its files."""
    try:
        open_tiny(path).close()
    except (CatalogIndexError, EOFError, BadZipFile) as error:
        error.__cause__ = error.__context__ = None
        return error.with_traceback(None)
    return None


def assert_told(error: Exception | None, words: str) -> None:
    """The error says what is wrong on one line."""
    assert isinstance(error, CatalogIndexError)
    assert error.exit_code == 2
    assert words in error.message and "\n" not in error.message


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (removed("manifest.json"), "there is no catalog index"),
        (garbage("manifest.json"), "damaged manifest"),
        (emptied("manifest.json"), "damaged manifest"),
        (cut("manifest.json"), "damaged manifest"),
        (lambda path: (path / "manifest.json").write_text("[]"), "damaged manifest"),
        (lambda path: (path / "manifest.json").write_bytes(b"\xff\xfe"), "damaged manifest"),
        (lambda path: (path / "manifest.json").write_text(f'{{"format": {FORMAT_VERSION}}}'), "damaged manifest"),
        (manifest(format=99), "format 99"),
        (manifest(format=None), "format None"),
        (manifest(tracks=7), "its parts disagree"),
        (without_folder("names"), "damaged"),
        (without_folder("tracks"), "damaged"),
        (without_folder("words"), "damaged"),
        (overwritten_folder("names"), "damaged"),
        (overwritten_folder("tracks"), "damaged"),
    ],
    ids=[
        "no manifest", "garbage", "empty", "cut", "a list", "not UTF-8", "no fields", "other format", "no format", "counts",
        "no names", "no tracks", "no words", "overwritten names", "overwritten tracks",
    ],
)  # fmt: skip
def test_manifest_and_folders(copied: Path, damage: Damage, message: str) -> None:
    """An index whose manifest or search folders are not as they were built does not open."""
    damage(copied)

    assert_told(opening_error(copied), message)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("how", [cut, garbage, removed, emptied], ids=lambda how: how.__name__)
def test_files(copied: Path, name: str, how: Callable[[str], Damage]) -> None:
    """A file that is missing, cut short or overwritten is told when the index is opened."""
    how(name)(copied)

    assert_told(opening_error(copied), "damaged")


@pytest.mark.parametrize("part", ["weights", "common", "lengths", "offsets"])
def test_word_lists_of_two_builds(copied: Path, built: Build, part: str) -> None:
    """A part of another index's word list is told when the index is opened."""
    other = built([Track(track_id="t", title="T", artists=(Credit(artist_id="a", name="A"),))])
    shutil.copy(Path(other.info.path) / "words" / f"{part}.npy", copied / "words")

    assert_told(opening_error(copied), "its word list disagree")


@pytest.mark.parametrize("count", ["artists", "albums"])
def test_counts_of_artists_and_albums(copied: Path, count: str) -> None:
    """A manifest that counts other artists or albums than the records is told."""
    manifest(**{count: 1})(copied)

    assert_told(opening_error(copied), "disagree")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files as Linux shows them")
@pytest.mark.xfail(strict=True, reason="EmbeddedIndex.__init__ does not close the readers that it opened before the fault")
def test_a_failed_opening_leaves_no_file_open(copied: Path) -> None:
    """A server that tries a damaged index again and again does not run out of files."""
    removed("albums.jsonl")(copied)
    kept: list[CatalogIndexError] = []
    gc.collect()  # files of earlier tests do not close in between
    before = open_files()
    for _ in range(3):
        try:
            open_tiny(copied)
        except CatalogIndexError as error:
            kept.append(error)
    after = open_files()
    for held in kept:
        held.__cause__ = held.__context__ = held.__traceback__ = None

    assert after == before


@pytest.mark.parametrize("how", [cut, garbage, removed, emptied], ids=lambda how: how.__name__)
def test_vectors(copied: Path, opened: Open, how: Callable[[str], Damage]) -> None:
    """Damaged vectors are told at the first query by meaning; names and facets work without them."""
    how("vectors.npy")(copied)
    index = opened(copied)

    assert index.lookup(["africa"])["africa"].total == 1
    with pytest.raises(CatalogIndexError, match="vectors") as error:
        index.nearest(index.embed("rain"), 3)
    assert_told(error.value, "damaged")
    with pytest.raises(CatalogIndexError, match="vectors"):
        index.track_vectors([0])


def test_vectors_of_another_catalog(copied: Path, opened: Open, built: Build) -> None:
    """Vectors that are not as many as the tracks are no vectors of this catalog."""
    other = built([Track(track_id="t", title="T", artists=(Credit(artist_id="a", name="A"),))])
    shutil.copy(Path(other.info.path) / "vectors.npy", copied / "vectors.npy")
    index = opened(copied)

    with pytest.raises(CatalogIndexError, match="vectors"):
        index.nearest(index.embed("rain"), 3)


@pytest.mark.parametrize("kind", ["nothing", "file", "empty folder"])
def test_no_index(tmp_path: Path, kind: str) -> None:
    """Where there is no index, the message says how to build one."""
    path = tmp_path / "index"
    if kind == "file":
        path.write_text("not a folder")
    elif kind == "empty folder":
        path.mkdir()
    error = opening_error(path)

    assert_told(error, "there is no catalog index at")
    assert isinstance(error, CatalogIndexError) and "melo catalog build" in error.hint
