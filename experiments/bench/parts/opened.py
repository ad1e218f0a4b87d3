"""What the parts share: an opened index, a program on it, and how a request is timed."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import dspy

from data.contracts import Playlist
from experiments.bench.requests import Request
from experiments.commands.progress import Stages
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.memory import settle
from program.settings import Settings
from program.trust.store import open_store

_T = TypeVar("_T")


def open_warm(path: str) -> EmbeddedIndex:
    """The index at `path` with its embedder and vectors loaded, in a process that is set up to answer many requests."""
    index = EmbeddedIndex(Path(path))
    index.warm()
    settle()
    return index


def catalog_facts(index: EmbeddedIndex) -> dict[str, Any]:
    """What names the catalog in a result."""
    info = index.info
    counts = {"tracks": info.tracks, "artists": info.artists, "albums": info.albums}
    return {"hash": info.content_hash, **counts, "name_keys": info.built["name_keys"]}


@contextmanager
def program(index: EmbeddedIndex, settings: Settings) -> Iterator[Melo]:
    """Melo as `melo ask` sets it up, with a trace store of its own; all closed at the end, the index too."""
    dspy.configure(disable_history=True, max_trace_size=0)
    with tempfile.TemporaryDirectory(prefix="melo-bench-") as folder:
        store = open_store(Path(folder) / "traces.sqlite", settings.store, environ={})
        melo = Melo(index, settings, store=store)
        try:
            yield melo
        finally:
            melo.close()
            store.close()
            index.close()


def with_lm(settings: Settings, name: str) -> Settings:
    """`settings` with another language model."""
    return settings.model_copy(update={"lm": settings.lm.model_copy(update={"name": name})})


def timed(run: Callable[[], _T]) -> tuple[float, _T]:
    """Wall time in ms, and the result."""
    begun = time.perf_counter()
    result = run()
    return (time.perf_counter() - begun) * 1000, result


def answer_all(melo: Melo, requests: Sequence[Request], title: str, repeats: int = 1) -> list[tuple[Request, float, Playlist]]:
    """Each request with the wall time of its answer in ms and the answer; all of them once, then all again."""
    shown = Stages(title)
    answers: list[tuple[Request, float, Playlist]] = []
    for request in [request for _ in range(repeats) for request in requests]:
        took, prediction = timed(partial(_ask, melo, request.text))
        answers.append((request, took, prediction.playlist))
        shown("requests", len(answers), len(requests) * repeats)
    shown.close()
    return answers


def _ask(melo: Melo, text: str) -> Any:
    return melo(request=text)


def outcomes(answers: Sequence[tuple[Request, float, Playlist]]) -> dict[str, int]:
    """How many answers had which status."""
    return dict(Counter(playlist.status for _, _, playlist in answers))
