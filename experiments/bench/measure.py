"""Runs one job in the measuring process: finds the part's module and calls it."""

from __future__ import annotations

import importlib
from dataclasses import asdict
from typing import Any

from experiments.bench.child import spawn
from experiments.bench.job import Job, Measured

MODULES = {
    "build": "experiments.bench.parts.build",
    "startup": "experiments.bench.parts.startup",
    "lookup": "experiments.bench.parts.lookup",
    "shortcut": "experiments.bench.parts.shortcut",
    "execute": "experiments.bench.parts.execute",
    "relax": "experiments.bench.parts.relax",
    "none": "experiments.bench.parts.answers",
    "store": "experiments.bench.parts.store",
    "lm": "experiments.bench.parts.answers",
}


def measured(job: Job) -> Measured:
    """Measure in a new process.

    Raises:
        NotMeasurableError: it cannot be measured here.
        InfrastructureError: the process failed.
    """
    return Measured.read(spawn("experiments.bench.measure", {"job": asdict(job)}))


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Measure in this process; the part's module is imported here, so that no other one's imports are in its memory."""
    todo = Job(**job)
    found: Measured = importlib.import_module(MODULES[todo.part]).measure(todo)
    return asdict(found)
