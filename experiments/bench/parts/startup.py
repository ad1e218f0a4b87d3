"""Process start-up to a ready program with an opened index, and the first answer of a cold process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from experiments.bench.child import spawn
from experiments.bench.figures import figure
from experiments.bench.job import Job, Measured

_HERE = "experiments.bench.parts.startup"
_FIRST_REQUEST = "play some happy jazz"


def measure(job: Job) -> Measured:
    """Start `job.n` processes, one after the other; the files are in the page cache after the first, which is not counted."""
    runs: list[dict[str, Any]] = []
    for number in range(job.warmup + job.n):
        begun = time.time()
        run = spawn(_HERE, {"index": job.index})
        run["ready_ms"] = (run["ready_at"] - begun) * 1000
        if number >= job.warmup:
            runs.append(run)
    names = {
        "start to ready": "ready_ms",
        "of it imports": "import_ms",
        "index open": "open_ms",
        "first answer, cold": "first_answer_ms",
    }
    figures = tuple(figure(name, "ms", [run[key] for run in runs]) for name, key in names.items())
    return Measured(figures, runs[0]["catalog"], runs[0]["settings"], {"first_request": _FIRST_REQUEST})


def run(index: str) -> dict[str, Any]:
    """In a fresh process: import, open, build the program, answer. Imports stand inside, since they are measured."""
    begun = time.perf_counter()
    from experiments.bench.parts.opened import catalog_facts
    from program.graph import Melo
    from program.index.engine import EmbeddedIndex
    from program.settings import Settings

    imported = time.perf_counter()
    opened = EmbeddedIndex(Path(index))
    opened_at = time.perf_counter()
    settings = Settings()
    melo = Melo(opened, settings)
    ready, ready_at = time.perf_counter(), time.time()
    melo(request=_FIRST_REQUEST)
    answered = time.perf_counter()
    melo.close()
    opened.close()
    return {
        "ready_at": ready_at,
        "import_ms": (imported - begun) * 1000,
        "open_ms": (opened_at - imported) * 1000,
        "first_answer_ms": (answered - ready) * 1000,
        "catalog": catalog_facts(opened),
        "settings": settings.hash(),
    }
