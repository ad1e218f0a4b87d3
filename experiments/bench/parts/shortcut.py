"""The shortcut path from end to end: head requests, answered without a language model, artifacts stored."""

from __future__ import annotations

from experiments.bench.figures import figure
from experiments.bench.job import Job, Measured
from experiments.bench.parts.opened import answer_all, catalog_facts, open_warm, outcomes, program
from experiments.bench.requests import Request, head_requests
from program.grounding.readings import understand_by_code
from program.index.protocol import CatalogIndex
from program.nodes.understand import is_clear
from program.settings import Settings

_DRAWN = 3
"""Requests drawn for each one that is measured; those whose words a language model would have to settle are left out."""


def measure(job: Job) -> Measured:
    """Answer `job.n` distinct head requests; `job.warmup` others before them are not counted."""
    index, settings = open_warm(job.index), Settings()
    drawn = head_requests(index, _DRAWN * (job.n + job.warmup), job.seed)
    clear = [request for request in drawn if takes_shortcut(request, index, settings)]
    with program(index, settings) as melo:
        answer_all(melo, clear[job.n : job.n + job.warmup], "shortcut warm-up")
        answers = answer_all(melo, clear[: job.n], f"shortcut on {job.catalog}", job.repeats)
    times: dict[str, list[float]] = {}
    for request, took, _ in answers:
        times.setdefault(request.kind, []).append(took)
    every = [took for _, took, _ in answers]
    figures = (
        figure("shortcut answer", "ms", every),
        *(figure(f"shortcut, {kind}", "ms", times[kind]) for kind in sorted(times)),
    )
    detail = {
        "clear_share": round(len(clear) / len(drawn), 3),
        "outcomes": outcomes(answers),
        "examples": [request.text for request in clear[:8]],
    }
    return Measured(figures, catalog_facts(index), settings.hash(), detail)


def takes_shortcut(request: Request, index: CatalogIndex, settings: Settings) -> bool:
    """Whether UNDERSTAND would read the request without a language model."""
    return is_clear(understand_by_code(request.text, index, settings), settings.grounding.shortcut_margin)
