"""L1: the reverse lookup of requests of twelve words, alone."""

from __future__ import annotations

from functools import partial
from statistics import median

from experiments.bench.figures import figure
from experiments.bench.job import Job, Measured
from experiments.bench.parts.opened import catalog_facts, open_warm, timed
from experiments.bench.requests import LOOKUP_WORDS, lookup_requests
from program.grounding.lookup import Lookup, look_up
from program.settings import Settings


def measure(job: Job) -> Measured:
    """Look up `job.n` distinct requests, `job.repeats` times each; the first pass over some others is not counted."""
    index, settings = open_warm(job.index), Settings()
    for request in lookup_requests(index, job.warmup, job.seed + 1):
        look_up(request.text, index, settings.grounding)
    requests = lookup_requests(index, job.n, job.seed)
    times: dict[str, list[float]] = {}
    found: list[Lookup] = []
    for request in requests * job.repeats:
        took, lookup = timed(partial(look_up, request.text, index, settings.grounding))
        times.setdefault(request.kind, []).append(took)
        found.append(lookup)
    every = [took for of_kind in times.values() for took in of_kind]
    figures = (figure("look_up", "ms", every), *(figure(f"look_up, {kind}", "ms", times[kind]) for kind in sorted(times)))
    detail = {
        "words": LOOKUP_WORDS,
        "requests": len(requests),
        "spans_p50": median(len(lookup.spans) for lookup in found),
        "mentions_p50": median(len(lookup.mentions) for lookup in found),
        "examples": [request.text for request in requests[:6]],
    }
    index.close()
    return Measured(figures, catalog_facts(index), settings.hash(), detail)
