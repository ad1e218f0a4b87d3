"""Opens indexes that are closed when the test ends, and builds small ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from data.catalog.schema import Artist, Track
from program.index.build import build_index
from program.index.engine import EmbeddedIndex
from tests.tiny import TinyEmbedder, open_tiny

Open = Callable[[Path], EmbeddedIndex]
Build = Callable[[Sequence[Artist | Track]], EmbeddedIndex]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens the index at a path."""
    indexes: list[EmbeddedIndex] = []

    def open_index(path: Path) -> EmbeddedIndex:
        indexes.append(open_tiny(path))
        return indexes[-1]

    yield open_index
    for index in indexes:
        index.close()


@pytest.fixture
def built(tmp_path: Path, opened: Open) -> Build:
    """Builds an index of some records and opens it."""

    def build(items: Sequence[Artist | Track]) -> EmbeddedIndex:
        path = tmp_path / f"built-{len(list(tmp_path.iterdir()))}"
        build_index(items, path, embedder=TinyEmbedder())
        return opened(path)

    return build
