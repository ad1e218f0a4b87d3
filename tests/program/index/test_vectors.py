"""The track vectors: the exhaustive search of a small catalog and the two steps of a large one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from program.index import vectors as module
from program.index.embedder import unit
from program.index.vectors import TrackVectors, VectorWriter

TRACKS, ARTISTS, DIMS = 600, 40, 32


@pytest.fixture(scope="module")
def made() -> tuple[np.ndarray, np.ndarray]:
    """Owners and unit vectors: every artist's tracks scatter around a centre of their own."""
    rng = np.random.default_rng(3)
    owners = rng.integers(0, ARTISTS, TRACKS)
    centres = rng.normal(size=(ARTISTS, DIMS))
    return owners, unit((centres[owners] + 0.3 * rng.normal(size=(TRACKS, DIMS))).astype(np.float32))


def _written(folder: Path, owners: np.ndarray, vectors: np.ndarray) -> TrackVectors:
    writer = VectorWriter(folder, owners, DIMS)
    writer.add(0, vectors[:250])
    writer.add(250, vectors[250:])
    writer.close()
    return TrackVectors(folder, len(owners))


def test_small_catalogs_are_searched_whole(tmp_path: Path, made: tuple[np.ndarray, np.ndarray]) -> None:
    """The nearest tracks are those of an exhaustive float search, but for ties of the quantisation."""
    owners, vectors = made
    opened = _written(tmp_path, owners, vectors)
    found = [row for row, _ in opened.nearest(vectors[7], 10)]
    exact = np.argsort(-(vectors @ vectors[7]))[:10]

    assert found[0] == 7
    assert len(set(found) & set(exact.tolist())) >= 9


def test_large_catalogs_go_through_their_artists(
    tmp_path: Path, made: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two steps find nearly what one exhaustive step finds, with only a few artists scored."""
    owners, vectors = made
    monkeypatch.setattr(module, "COARSE_ABOVE", 100)
    monkeypatch.setattr(module, "_NEAREST_ARTISTS", 8)
    opened = _written(tmp_path, owners, vectors)
    hits = 0
    for query in range(0, TRACKS, 20):
        found = {row for row, _ in opened.nearest(vectors[query], 10)}
        hits += len(found & set(np.argsort(-(vectors @ vectors[query]))[:10].tolist()))

    assert (tmp_path / "centroids.usearch").is_file()
    assert hits / (10 * TRACKS / 20) > 0.9


def test_stored_vectors_are_unit_and_close(tmp_path: Path, made: tuple[np.ndarray, np.ndarray]) -> None:
    """What is read back points where what was written pointed."""
    owners, vectors = made
    read = _written(tmp_path, owners, vectors).get([3, 1, 4])

    assert np.allclose(np.linalg.norm(read, axis=1), 1.0, atol=1e-5)
    assert float(np.min(np.sum(read * vectors[[3, 1, 4]], axis=1))) > 0.999
