"""The tools are tested on the tiny catalog with Semantic IDs, so that every one of them can run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.index.engine import EmbeddedIndex
from tests.tiny import open_tiny
from tests.tiny_ids import build_tiny_with_ids


@pytest.fixture(scope="session")
def tiny_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The index, opened with the bag-of-words embedder."""
    path = tmp_path_factory.mktemp("tools") / "index"
    build_tiny_with_ids(path)
    index = open_tiny(path)
    yield index
    index.close()
