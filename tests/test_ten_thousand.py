"""Ten thousand generated requests through the whole program without a model; slow, so it is run on request (`-m slow`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import RequestLimits
from tests.program.grounding.test_any_request import REQUESTS, WORDS
from tests.sessions import melo
from tests.test_no_invented_ids import _wrong
from tests.tiny import build_tiny, open_tiny

LIMIT = RequestLimits().max_chars
ANY_LENGTH = st.builds(lambda text, times: (text * times)[: LIMIT + 1], st.text(min_size=1, max_size=200), st.integers(1, 400))
MANY_WORDS = st.lists(WORDS, min_size=10, max_size=120).map(" ".join)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Melo, EmbeddedIndex]]:
    """The program over the tiny catalog."""
    path: Path = tmp_path_factory.mktemp("many") / "index"
    build_tiny(path)
    index = open_tiny(path)
    yield melo(index), index
    index.close()


@pytest.mark.slow
@pytest.mark.timeout(3600)
@seed(20261130)
@settings(max_examples=10_000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(request=st.one_of(REQUESTS, REQUESTS, ANY_LENGTH, MANY_WORDS))
def test_ten_thousand_requests(program: tuple[Melo, EmbeddedIndex], request: str) -> None:
    """Any Unicode, any length to the limit and one over: nothing raises, and no id is invented."""
    made, index = program

    assert _wrong(request, made(request=request), index) == []
