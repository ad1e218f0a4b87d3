"""The index of the small catalog that the guards are tested on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from program.index.engine import EmbeddedIndex
from tests.program.grounding.guards.shelf import build_shelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The catalog of names that are easily mistaken."""
    index = build_shelf(tmp_path_factory.mktemp("shelf") / "index")
    yield index
    index.close()
