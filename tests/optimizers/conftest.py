"""The tiny catalog's index, built once a session. Tests that change files build their own or copy `tiny_path`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from program.index.engine import EmbeddedIndex
from tests.tiny import build_tiny, open_tiny


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tiny catalog's index; read-only by agreement."""
    path = tmp_path_factory.mktemp("tiny") / "index"
    build_tiny(path)
    return path


@pytest.fixture(scope="session")
def tiny_index(tiny_path: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog's index, opened with the bag-of-words embedder."""
    index = open_tiny(tiny_path)
    yield index
    index.close()
