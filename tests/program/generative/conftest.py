"""The tiny catalog's index with Semantic IDs, trained once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiny_ids import build_tiny_with_ids


@pytest.fixture(scope="session")
def ids_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index's folder; read-only by agreement."""
    path = tmp_path_factory.mktemp("ids") / "index"
    build_tiny_with_ids(path)
    return path
