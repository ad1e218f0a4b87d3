"""The trace store: writing artifacts of real answers under new names, and asking where one came from and went."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from data.contracts import Artifact
from experiments.bench.figures import Figure, figure
from experiments.bench.job import Job, Measured
from experiments.bench.parts.opened import catalog_facts, open_warm, timed
from experiments.bench.requests import head_requests, narrow_requests
from experiments.commands.progress import Stages
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from program.trust.store import TraceStore, open_store

_REQUESTS = 40
BLOCK = 10_000
"""Artifacts of one figure of writing: long enough to hold what SQLite puts off."""
_FIRST = 1_767_225_600.0
_MONTH_S = 30.4 * 86_400
_AT_SCALE = 1_000_000
"""Artifacts that the targets are for; with fewer the figures' names say so."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How many months the artifacts are spread over, and what the figures are called."""

    months: int
    write: str
    forward: str
    reverse: str
    affected: str
    whole: str


SPREADS = (
    Spread(
        1, "store write, one month", "store forward, one month", "store reverse, one month", "store affected, one month",
        "store trace, one month",
    ),
    Spread(
        12, "store write, twelve months", "store forward, twelve months", "store reverse, twelve months",
        "store affected, twelve months", "store trace, twelve months",
    ),
)  # fmt: skip


def measure(job: Job) -> Measured:
    """`job.n` artifacts in one partition, then as many in twelve; `job.repeats` queries of each kind."""
    index = open_warm(job.index)
    settings = Settings()
    try:
        sessions = _sessions(index, settings, job.seed)
        facts = catalog_facts(index)
    finally:
        index.close()
    figures: list[Figure] = []
    detail: dict[str, object] = {
        "artifacts": job.n, "block": BLOCK, "sessions": len(sessions), "artifacts_a_session": _mean_length(sessions),
    }  # fmt: skip
    for spread in SPREADS:
        with tempfile.TemporaryDirectory(prefix="melo-bench-") as folder:
            store = open_store(Path(folder) / "traces.sqlite", settings.store, environ={}, now=lambda: _FIRST)
            written, rate = _fill(store, sessions, job, spread.months)
            figures += [_figure(spread.write, written, job), *_queries(store, sessions, job, spread)]
            detail[f"months_{spread.months}"] = {"writes_per_s": rate, "gb": _size_gb(Path(folder))}
            store.close()
    return Measured(tuple(figures), facts, settings.hash(), detail)


def _figure(name: str, values: Sequence[float], job: Job) -> Figure:
    return figure(name if job.n >= _AT_SCALE else f"{name}, {job.n:,} artifacts", "ms", values)


class _Kept:
    """Takes the place of a store while the artifacts to copy are made."""

    def __init__(self) -> None:
        self.sessions: list[list[Artifact]] = []

    def add(self, artifacts: Sequence[Artifact]) -> None:
        """Keep them."""
        self.sessions.append(list(artifacts))

    def close(self) -> None:
        """Nothing to close."""


def _sessions(index: EmbeddedIndex, settings: Settings, seed: int) -> list[list[Artifact]]:
    """What real answers leave: clear requests, and thin ones with their rounds."""
    kept = _Kept()
    melo = Melo(index, settings, store=kept)
    half = _REQUESTS // 2
    for request in (*head_requests(index, half, seed), *narrow_requests(index, half, seed)):
        melo(request=request.text)
    return kept.sessions


def _trace_id(number: int, seed: int, at: float) -> str:
    """As `new_trace_id` makes them, but the same every time."""
    return f"{int(at // 3600) & 0xFFFF:04x}{random.Random(f'{seed} {number}').getrandbits(48):012x}"


def _copies(sessions: Sequence[Sequence[Artifact]], job: Job, months: int) -> Iterator[list[Artifact]]:
    """Sessions under random names, their times spread evenly."""
    for number in range(job.n * 2):
        original, at = sessions[number % len(sessions)], _at(number, sessions, job, months)
        trace_id = _trace_id(number, job.seed, at)
        names = {one.artifact_id: f"{trace_id}{one.artifact_id[len(one.trace_id) :]}" for one in original}
        yield [
            one.model_copy(
                update={
                    "artifact_id": names[one.artifact_id], "trace_id": trace_id, "created_at": at,
                    "parents": tuple(names[parent] for parent in one.parents),
                }
            )
            for one in original
        ]  # fmt: skip


def _at(number: int, sessions: Sequence[Sequence[Artifact]], job: Job, months: int) -> float:
    return _FIRST + min(number * _mean_length(sessions) / job.n, 0.999) * months * _MONTH_S


def _fill(store: TraceStore, sessions: Sequence[Sequence[Artifact]], job: Job, months: int) -> tuple[list[float], float]:
    """Milliseconds for each block of artifacts, and artifacts a second over all; making the copies is not counted."""
    shown = Stages("trace store")
    blocks, took, begun, held = [0.0], 0.0, 0, 0
    for copy in _copies(sessions, job, months):
        ms, _ = timed(partial(store.add, copy))
        blocks[-1] += ms
        took += ms
        held += len(copy)
        if held - begun >= BLOCK:
            begun = held
            blocks.append(0.0)
            shown("artifacts", held, job.n)
        if held >= job.n:
            break
    shown.close()
    return (blocks[:-1] or blocks), round(held / took * 1000)


def _queries(store: TraceStore, sessions: Sequence[Sequence[Artifact]], job: Job, spread: Spread) -> list[Figure]:
    """Forwards from the request, backwards from the answer, of random sessions; and the whole trace, read from disk."""
    draw = random.Random(job.seed)
    stored = max(1, int(job.n / _mean_length(sessions)) - 1)
    times: dict[str, list[float]] = {}
    for _ in range(job.repeats):
        number = draw.randrange(stored)
        trace_id = _trace_id(number, job.seed, _at(number, sessions, job, spread.months))
        original = sessions[number % len(sessions)]
        first, last = (f"{trace_id}{one.artifact_id[len(one.trace_id) :]}" for one in (original[0], original[-1]))
        found: dict[str, tuple[float, Sequence[object]]] = {
            spread.forward: timed(partial(store.went_into, first)),
            spread.reverse: timed(partial(store.made_from, last)),
            spread.affected: timed(partial(store.affected_answers, first)),
            spread.whole: timed(partial(store.trace, trace_id)),
        }
        lengths = [len(ids) for _, ids in found.values()]
        if lengths != [len(original) - 1, len(original) - 1, 1, len(original)]:
            raise AssertionError(f"the chain of {trace_id} is broken")
        for name, (ms, _) in found.items():
            times.setdefault(name, []).append(ms)
    return [_figure(name, values, job) for name, values in times.items()]


def _mean_length(sessions: Sequence[Sequence[Artifact]]) -> float:
    return sum(map(len, sessions)) / len(sessions)


def _size_gb(folder: Path) -> float:
    return round(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e9, 2)
