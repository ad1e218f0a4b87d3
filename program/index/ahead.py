"""Embeds the words of a large catalog's first part while the rest of it is still being read."""

from __future__ import annotations

from threading import Thread

import numpy as np

from program.index.embedder import TextEmbedder
from program.index.protocol import Vector

_BLOCK = 256


class EmbedAhead:
    """An embedder that may have embedded some texts before it is asked; the vectors are the same either way."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self._worker: Thread | None = None
        self._failure: Exception | None = None

    def start(self, texts: list[str]) -> None:
        """Begin with those of `texts` that are new, in a thread of its own; does nothing while one is at work."""
        if self._worker is not None and self._worker.is_alive():
            return
        fresh = [text for text in texts if text not in self._known]
        self._worker = Thread(target=self._work, args=(fresh,), daemon=True, name="melo-embed-ahead")
        self._worker.start()

    def _work(self, texts: list[str]) -> None:
        try:
            for start in range(0, len(texts), _BLOCK):
                block = texts[start : start + _BLOCK]
                self._known.update(zip(block, self._embedder.embed(block), strict=True))
        except Exception as error:  # noqa: BLE001 - raised again in the thread that asks
            self._failure = error

    def embed(self, texts: list[str]) -> Vector:
        """Vectors, shape (len(texts), dimensions); waits for what was begun."""
        if self._worker is not None:
            self._worker.join()
            self._worker = None
        if self._failure is not None:
            raise self._failure
        missing = [text for text in texts if text not in self._known]
        fresh = dict(zip(missing, self._embedder.embed(missing), strict=True)) if missing else {}
        return np.stack([fresh[text] if text in fresh else self._known[text] for text in texts])
