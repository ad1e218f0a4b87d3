from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from program.memory import settle


@pytest.fixture
def usual_rounds() -> Iterator[None]:
    """Gives back the collector as it was."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # another test of this process may have settled
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.mark.usefixtures("usual_rounds")
def test_what_is_loaded_is_left_alone() -> None:
    """What lives now is frozen, rounds are rarer, and what comes later is still collected."""
    rounds = gc.get_threshold()
    settle()
    frozen = gc.get_freeze_count()
    later: list[object] = []
    later.append(later)
    del later

    assert frozen > 1_000
    assert gc.get_threshold()[0] > rounds[0]
    assert gc.collect() > 0
