"""The tools that start from seeds, on a catalog that was built with playlists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from data.contracts import ToolArgs, ToolName
from data.errors import CatalogIndexError
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from program.index.together import SHRINK
from program.settings import ExecuteSettings
from program.tools.protocol import ToolContext
from program.tools.registry import TOOLS
from tests.sessions import constraint, melo
from tests.tiny import TinyEmbedder, artists, open_tiny, tracks

AFRICA, FOREST, HELLO, HONEY = "toto--africa", "the-cure--aforest", "adele--hello", "moby--honey"
LOVE_STORY = "taylor-swift--lovestory"
PLAYLISTS = [
    ("night", AFRICA), ("night", FOREST), ("night", AFRICA), ("drive", AFRICA), ("drive", FOREST), ("drive", HONEY),
    ("drive", LOVE_STORY), ("slow", HELLO), ("slow", HONEY), ("slow", "nobody--nothing"),
]  # fmt: skip


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The tiny catalog with three playlists; one entry is a repetition, one is of no track that the catalog holds."""
    path = tmp_path_factory.mktemp("listed") / "index"
    build_index([*artists(), *tracks()], path, embedder=TinyEmbedder(), playlists=PLAYLISTS)
    index = open_tiny(path)
    yield index
    index.close()


def _run(index: EmbeddedIndex, tool: ToolName, **args: object) -> tuple[list[str], dict[str, str]]:
    context = ToolContext(index, ExecuteSettings())
    found = TOOLS[tool].run(ToolArgs.model_validate(args), context)
    assert set(found) <= set(context.seen)
    return found, {track_id: source for (name, track_id), source in context.sources.items() if name == tool}


def _row(index: EmbeddedIndex, track_id: str) -> int:
    return index.by_ids([track_id])[track_id].row


def test_the_table_holds_what_was_counted(listed: EmbeddedIndex) -> None:
    """Africa and A Forest met twice in two playlists each: 2 / (2 + shrink); nothing is near to itself."""
    near = dict(listed.related_tracks([_row(listed, AFRICA)]))

    assert near[_row(listed, FOREST)] == pytest.approx(2 / (2 + SHRINK), abs=1e-3)
    assert near[_row(listed, HONEY)] == pytest.approx(1 / (2 + SHRINK), abs=1e-3)
    assert _row(listed, AFRICA) not in near
    assert _row(listed, HELLO) not in near
    assert listed.info.playlists == 3
    assert listed.related_artists(["toto"])[0][0] == "the-cure"


def test_playlists_come_first_and_are_said(listed: EmbeddedIndex, tiny_index: EmbeddedIndex) -> None:
    """What stands in playlists with the seed rises above what only sounds like it; each track says what it was found by."""
    found, sources = _run(listed, "similar_tracks", track_ids=[AFRICA])
    by_content, said = _run(tiny_index, "similar_tracks", track_ids=[AFRICA])

    assert found[0] == FOREST
    assert by_content[0] != FOREST
    assert sources[FOREST] in ("both", "playlists")
    assert sources[HONEY] in ("both", "playlists")
    assert {sources[track_id] for track_id in found if track_id not in (FOREST, HONEY)} == {"content"}
    assert set(said.values()) == {"content"}
    assert set(sources) == set(found)


@pytest.mark.parametrize("tool", ["similar_tracks", "similar_artists"])
@pytest.mark.parametrize(
    "limits",
    [
        {"constraints": [constraint(0, "genre", "electronic")]},
        {"exclude_artist_ids": ["the-cure"]},
        {"exclude_track_ids": [FOREST]},
        {},
    ],
    ids=["a genre", "an artist", "a track", "none"],
)
def test_playlists_break_no_limit(listed: EmbeddedIndex, tool: ToolName, limits: dict[str, object]) -> None:
    """What was played together is held to conditions, exclusions and playability like everything else."""
    found, _ = _run(listed, tool, track_ids=[AFRICA], limit=200, **limits)
    entries = listed.by_ids(found).values()

    assert LOVE_STORY not in found
    assert AFRICA not in found
    if "constraints" in limits:
        assert found
        assert all({"electronic", "house", "french-house", "downtempo", "ambient"} & set(e.track.genres) for e in entries)
    if "exclude_artist_ids" in limits:
        assert "the-cure" not in {entry.track.artists[0].artist_id for entry in entries}
    if "exclude_track_ids" in limits:
        assert FOREST not in found


@pytest.mark.parametrize("limit", [1, 3, 50])
@pytest.mark.parametrize("tool", ["similar_tracks", "similar_artists"])
def test_a_limit_cuts(listed: EmbeddedIndex, tool: ToolName, limit: int) -> None:
    """With playlists too, a limit changes nothing but the length, and every call gives the same."""
    whole, _ = _run(listed, tool, artist_ids=["toto"], limit=200)

    assert _run(listed, tool, artist_ids=["toto"], limit=limit)[0] == whole[:limit]


def test_similar_artists_are_others(listed: EmbeddedIndex, tiny_index: EmbeddedIndex) -> None:
    """No track of the seed artist; each artist's best-known track before anyone's second; playlists lead where known."""
    found, sources = _run(listed, "similar_artists", artist_ids=["toto"], limit=200)
    by_artist = [listed.by_ids([track_id])[track_id].track.artists[0].artist_id for track_id in found]
    first_round = by_artist[: len(set(by_artist))]

    assert "toto" not in by_artist
    assert len(set(first_round)) == len(first_round)
    assert by_artist[0] == "the-cure"
    assert sources[found[0]] in ("both", "playlists")
    assert set(_run(tiny_index, "similar_artists", artist_ids=["toto"])[1].values()) == {"content"}


def test_the_answer_says_what_a_track_was_found_by(listed: EmbeddedIndex) -> None:
    """The reason names shared playlists, the catalog's data, or both."""
    playlist = melo(listed)(request="songs like Africa by Toto").playlist
    reasons = {track.track_id: track.reason for track in playlist.tracks}

    assert "stands in playlists with" in reasons[FOREST]
    assert any(reason.startswith("resembles") for reason in reasons.values())


def test_playlists_are_part_of_the_catalogs_hash(listed: EmbeddedIndex, tiny_index: EmbeddedIndex) -> None:
    """Two indexes that answer differently have different hashes."""
    assert listed.info.content_hash != tiny_index.info.content_hash


@pytest.mark.parametrize("pairs", [[], [("a", "nobody--nothing")], [("a", AFRICA)]], ids=["none", "unknown", "alone"])
def test_playlists_that_say_nothing(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    """Without two tracks that met, content alone decides."""
    build_index([*artists(), *tracks()], tmp_path / "index", embedder=TinyEmbedder(), playlists=pairs)
    index = open_tiny(tmp_path / "index")

    assert set(_run(index, "similar_tracks", track_ids=[AFRICA])[1].values()) == {"content"}
    index.close()


@pytest.mark.parametrize("part", ["track.rows", "artist.starts", "track.scores"])
def test_damaged_tables_are_told(tmp_path: Path, part: str) -> None:
    """Tables that do not fit together do not open."""
    build_index([*artists(), *tracks()], tmp_path / "index", embedder=TinyEmbedder(), playlists=PLAYLISTS)
    np.save(tmp_path / "index" / "together" / f"{part}.npy", np.arange(99_999, dtype=np.int64))

    with pytest.raises(CatalogIndexError, match="together"):
        open_tiny(tmp_path / "index")
