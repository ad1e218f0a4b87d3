"""The index build: wall and processor seconds, each stage, and the most memory that the build held."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from data.catalog.importers.base import read_catalog
from data.catalog.importers.rejects import Rejects
from experiments.bench.child import spawn
from experiments.bench.figures import figure
from experiments.bench.job import Job, Measured
from experiments.bench.memory import MemoryWatch
from experiments.commands.progress import stages
from program.index.build import build_index
from program.index.embedder import packaged_embedder
from program.settings import Settings

_HERE = "experiments.bench.parts.build"
_COUNTS = ("tracks", "artists", "albums", "name_keys")


def measure(job: Job) -> Measured:
    """Build the index `job.n` times, each in a process of its own; the last one stays in place."""
    runs = [spawn(_HERE, {"source": job.source, "out": job.index}) for _ in range(job.n)]
    figures = [
        figure("index build", "s", [run["wall_s"] for run in runs]),
        figure("of it processor time", "s", [run["cpu_s"] for run in runs]),
        *(figure(f"stage {name}", "s", [run["stages"].get(name, 0.0) for run in runs]) for name in runs[0]["stages"]),
        figure("index build peak memory", "GB", [run["peak_bytes"] / 1e9 for run in runs]),
        figure("index size", "GB", [run["index_bytes"] / 1e9 for run in runs]),
    ]
    detail = {"tracks_per_s": round(runs[0]["catalog"]["tracks"] / median(run["wall_s"] for run in runs))}
    return Measured(tuple(figures), runs[0]["catalog"], Settings().hash(), detail)


class StageClock:
    """Splits a build's time over the stages that it reports.

    A report of work done charges the time since the last report to its stage; a report of nothing done yet only says
    that the stage begins. What comes after the last report belongs to the last stage.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._last = clock()
        self._stage = ""

    def __call__(self, stage: str, done: int) -> None:
        """A report: `done` items of `stage` are finished."""
        self._charge(stage if done else self._stage or stage)
        self._stage = stage

    def finish(self) -> dict[str, float]:
        """Seconds by stage, in the order of their beginning."""
        self._charge(self._stage)
        return {name: round(seconds, 3) for name, seconds in self.seconds.items()}

    def _charge(self, stage: str) -> None:
        now = self._clock()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now


def run(source: str, out: str) -> dict[str, Any]:
    """In a fresh process: build the index of the catalog `source` into `out`."""
    clock, begun, cpu = StageClock(), time.perf_counter(), _processor_s()
    with MemoryWatch() as memory, stages(f"building {Path(out).name}") as shown:

        def progress(stage: str, done: int, total: int | None) -> None:
            clock(stage, done)
            shown(stage, done, total)

        items = read_catalog(Path(source), rejects=Rejects(), on_progress=lambda rows: progress("reading", rows, None))
        manifest = build_index(items, Path(out), embedder=packaged_embedder(), progress=progress)
    return {
        "wall_s": time.perf_counter() - begun,
        "cpu_s": _processor_s() - cpu,
        "stages": clock.finish(),
        "peak_bytes": memory.peak_bytes(),
        "index_bytes": sum(file.stat().st_size for file in Path(out).rglob("*") if file.is_file()),
        "catalog": {"hash": manifest["content_hash"], **{name: manifest[name] for name in _COUNTS}},
    }


def _processor_s() -> float:
    """Processor seconds of this process and of the ended ones that it started."""
    return sum(os.times()[:4])
