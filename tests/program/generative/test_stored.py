"""Semantic IDs beside an index: trained, kept whole, checked before they are used, the same for the same seed."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from data.errors import CatalogIndexError
from program.generative import train
from program.generative.fitting import Fit
from program.generative.stored import FOLDER, read_told
from program.index.engine import EmbeddedIndex
from tests.tiny import TinyEmbedder, build_tiny, open_tiny
from tests.tiny_ids import QUICK, train_tiny

_LEARNING = replace(QUICK, fit=Fit(passes=2, batch=64))


def _lists(path: Path) -> list[list[tuple[int, float]]]:
    index = open_tiny(path)
    assert index.semantic_ids is not None
    found = [index.semantic_ids.generate(index.embed(text)) for text in ("dark post-punk", "calm piano", "zzz")]
    index.close()
    return found


@pytest.fixture
def copied(ids_path: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(ids_path, tmp_path / "index"))


def test_the_same_seed_gives_the_same_answers_and_another_does_not(copied: Path) -> None:
    """Training again changes nothing; with another seed it does."""
    first = _lists(copied)
    train_tiny(copied)
    again = _lists(copied)
    train_tiny(copied, replace(QUICK, seed=1))

    assert again == first
    assert _lists(copied) != first


def test_every_playable_track_has_its_own_id(ids_path: Path) -> None:
    """No two tracks share an ID, and all playable tracks can be generated."""
    index = open_tiny(ids_path)
    ids = index.semantic_ids
    assert ids is not None
    everything = {row for row, _ in ids.generate(index.embed("music"))}
    codes = {ids.codes(row) for row in range(index.info.tracks)}

    assert everything == {row for row in range(index.info.tracks) if index.track(row).track.playable}
    assert len(codes) == index.info.tracks
    index.close()


def test_an_index_without_them_has_none(tmp_path: Path) -> None:
    """They are not needed to open an index."""
    build_tiny(tmp_path / "index")
    index = open_tiny(tmp_path / "index")

    assert index.semantic_ids is None
    assert read_told(tmp_path / "index", index.info.content_hash) is None
    index.close()


@pytest.mark.parametrize("name", ["weights.npz", "codes.npy", "playable.npy"])
def test_a_damaged_file_is_named(copied: Path, name: str) -> None:
    """A file that is not the one that was written is an error that says what to do."""
    file = copied / FOLDER / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(bytes(content))
    index = open_tiny(copied)

    with pytest.raises(CatalogIndexError, match="Semantic IDs"):
        index.semantic_ids  # noqa: B018
    index.close()


@pytest.mark.parametrize("change", [{"version": 0}, {"content_hash": "another"}])
def test_those_of_another_catalog_or_version_are_not_used(copied: Path, change: dict[str, object]) -> None:
    """What does not belong to the index is as good as none."""
    file = copied / FOLDER / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | change), encoding="utf-8")
    index = open_tiny(copied)

    assert index.semantic_ids is None
    index.close()


def test_a_stopped_training_leaves_what_was_there(copied: Path) -> None:
    """Stopped at any stage, the folder is as before and nothing else lies about."""
    before, names = _lists(copied), sorted(path.name for path in copied.iterdir())

    def stop(index: EmbeddedIndex, stage: str) -> None:
        def progress(at: str, done: int, total: int | None) -> None:
            if at == stage:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train.train_into(index, TinyEmbedder(), _LEARNING, progress)

    for stage in ("codebooks", "codes", "reading", "requests", "learning"):
        index = open_tiny(copied)
        stop(index, stage)
        index.close()

    assert sorted(path.name for path in copied.iterdir()) == names
    assert _lists(copied) == before


def test_nothing_is_learnt_from_unplayable_tracks_and_training_helps(ids_path: Path) -> None:
    """What is told says how many tracks can come out, and the loss is below that of guessing."""
    index = open_tiny(ids_path)
    told = read_told(ids_path, index.info.content_hash)
    index.close()

    assert told is not None
    assert told["tracks"] == index.info.tracks - 1
    assert 0 < told["loss"] < 3 * math.log(told["codes_per_level"])
