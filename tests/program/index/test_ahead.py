"""Embedding ahead changes when vectors are made, not what they are."""

from __future__ import annotations

import numpy as np
import pytest

from program.index.ahead import EmbedAhead
from program.index.protocol import Vector
from tests.tiny import TinyEmbedder


class _Counted(TinyEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def embed(self, texts: list[str]) -> Vector:
        self.seen.extend(texts)
        return super().embed(texts)


class _Broken:
    def embed(self, texts: list[str]) -> Vector:
        raise ValueError("no model")


def test_vectors_are_the_same() -> None:
    """With or without a head start a text has one vector, and each text is embedded once."""
    plain, counted = TinyEmbedder(), _Counted()
    ahead = EmbedAhead(counted)
    ahead.start(["cold", "warm", "rain"])
    texts = ["rain", "sun", "cold"]

    assert np.array_equal(ahead.embed(texts), plain.embed(texts))
    assert sorted(counted.seen) == ["cold", "rain", "sun", "warm"]


def test_a_failure_reaches_who_asks() -> None:
    """What goes wrong in the thread is raised where the vectors are wanted."""
    ahead = EmbedAhead(_Broken())
    ahead.start(["cold"])

    with pytest.raises(ValueError, match="no model"):
        ahead.embed(["cold"])
