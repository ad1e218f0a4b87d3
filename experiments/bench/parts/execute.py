"""EXECUTE alone: one round of the tools and their merge, for a listener with likes and plays.

The plans use every tool that code's own plan may call: all but `similar_artists`, which is a model's choice.
"""

from __future__ import annotations

import time
from collections import Counter
from random import Random
from statistics import median

from data.contracts import Plan, Playlist
from data.users.schema import Event
from experiments.bench.figures import figure
from experiments.bench.job import Job, Measured
from experiments.bench.parts.opened import catalog_facts, open_warm, outcomes, program
from experiments.bench.requests import Request, search_requests
from experiments.commands.progress import Stages
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.settings import Settings
from program.users.listener import Listener, listener_of

_DRAWN = 3
_OWN = 100
"""Tracks that the listener likes, and as many that were played."""
_DAY_S = 86_400


def measure(job: Job) -> Measured:
    """Answer requests until `job.n` of them have reached EXECUTE; `job.warmup` others before them are not counted.

    Retries are switched off, so that a request has one EXECUTE.
    """
    index, usual = open_warm(job.index), Settings()
    settings = usual.model_copy(update={"retry": usual.retry.model_copy(update={"enabled": False})})
    requests = search_requests(index, _DRAWN * job.n + job.warmup, job.seed)
    listener = _somebody(index, job.seed)
    with program(index, settings) as melo:
        for request in requests[: job.warmup]:
            melo(request=request.text, listener=listener)
        times, tools, detail = _executed(melo, requests[job.warmup :], job, listener)
    every = [took for of_plan in times.values() for took in of_plan]
    figures = (figure("EXECUTE", "ms", every), *(figure(f"EXECUTE, {plan}", "ms", times[plan]) for plan in sorted(times)))
    return Measured(figures, catalog_facts(index), settings.hash(), {"tool_calls": dict(tools), **detail})


def _somebody(index: CatalogIndex, seed: int) -> Listener:
    """A listener who likes and plays tracks drawn from the catalog, one a day."""
    rng, now = Random(seed), time.time()
    drawn = [index.track(rng.randrange(index.info.tracks)).track.track_id for _ in range(2 * _OWN)]
    events = [Event(name, "like", now - day * _DAY_S) for day, name in enumerate(drawn[:_OWN])]
    events += [Event(name, "play", now - day * _DAY_S) for day, name in enumerate(drawn[_OWN:])]
    return listener_of("bench", events, index, now)


def _executed(
    melo: Melo, requests: list[Request], job: Job, listener: Listener
) -> tuple[dict[str, list[float]], Counter[str], dict[str, object]]:
    """EXECUTE's ms by the tools of the plan, how often each tool was called, and what became of the requests."""
    times: dict[str, list[float]] = {}
    tools: Counter[str] = Counter()
    answers: list[tuple[Request, float, Playlist]] = []
    sizes: list[int] = []
    shown, reached = Stages(f"EXECUTE on {job.catalog}"), 0
    for request in requests:
        if reached == job.n:
            break
        prediction = melo(request=request.text, listener=listener)
        answers.append((request, 0.0, prediction.playlist))
        plan: Plan | None = prediction.plan
        took = prediction.playlist.timings_ms.get("execute")
        if plan is not None and took is not None:
            reached += 1
            sizes.append(len(prediction.playlist.tracks))
            names = [call.tool for call in plan.routes]
            tools.update(names)
            times.setdefault(" + ".join(names) or "no tool", []).append(took)
            shown("requests", reached, job.n)
    shown.close()
    return times, tools, {"requests": len(answers), "outcomes": outcomes(answers), "tracks_p50": median(sizes or [0])}
