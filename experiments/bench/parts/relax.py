"""Counting relaxations: what REFLECT's code does between a thin result and the choice of what to loosen."""

from __future__ import annotations

from functools import partial

from data.contracts import Intent
from experiments.bench.figures import figure
from experiments.bench.job import Job, Measured
from experiments.bench.parts.opened import catalog_facts, open_warm, timed
from experiments.bench.requests import narrow_requests
from program.grounding.readings import understand_by_code
from program.index.protocol import CatalogIndex
from program.nodes.reflect import base_filter
from program.retry.counts import counter
from program.retry.gates import needed
from program.retry.options import changes
from program.retry.plan import Choice, cheapest
from program.settings import RetrySettings, Settings

_DRAWN = 4


def measure(job: Job) -> Measured:
    """Count the relaxations of `job.n` requests that match too few tracks; `job.warmup` others before them are not counted."""
    index, settings = open_warm(job.index), Settings()
    times: list[float] = []
    offered: list[int] = []
    for request in narrow_requests(index, _DRAWN * (job.n + job.warmup), job.seed):
        intent = understand_by_code(request.text, index, settings).best.intent
        if counter(index, base_filter(intent))(intent.constraints) >= needed(intent, settings.retry):
            continue
        took, (count, _) = timed(partial(_enumerate, intent, index, settings.retry))
        times.append(took)
        offered.append(count)
        if len(times) == job.n + job.warmup:
            break
    measured = figure("relaxations", "ms", times[job.warmup :])
    facts = catalog_facts(index)
    index.close()
    return Measured((measured,), facts, settings.hash(), {"offered_mean": sum(offered) / max(1, len(offered))})


def _enumerate(intent: Intent, index: CatalogIndex, settings: RetrySettings) -> tuple[int, Choice | None]:
    """How many changes there are, each with its counted gain, and the cheapest set that is enough."""
    count = counter(index, base_filter(intent))
    found, enough = changes(intent.constraints, count, index), needed(intent, settings)
    return len(found), cheapest(intent.constraints, found, enough, count, most=settings.max_applied)
