"""The full path over requests that need a language model: with SmolLM2, and the same ones without any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from data.contracts import Playlist
from experiments.bench.figures import Figure, figure
from experiments.bench.job import Job, Measured, NotMeasurableError
from experiments.bench.parts.opened import answer_all, catalog_facts, open_warm, outcomes, program, with_lm
from experiments.bench.requests import Request
from experiments.bench.words import NEED_AN_LM
from program.lm.brains import install_hint, installed
from program.settings import Settings

BRAIN = "smollm2-135m"
_NODES = ("understand", "plan", "execute", "reflect", "synthesize")
Answers = Sequence[tuple[Request, float, Playlist]]


def measure(job: Job) -> Measured:
    """Answer the first `job.n` of the requests, `job.repeats` times; the last `job.warmup` ones, run first, are not counted.

    Raises:
        NotMeasurableError: the part needs the brain, and it is not installed.
    """
    asks = job.part == "lm"
    if asks and installed(BRAIN) is None:
        raise NotMeasurableError(f"the brain {BRAIN} is not installed", hint=install_hint(BRAIN))
    index, settings = open_warm(job.index), with_lm(Settings(), f"embedded/{BRAIN}" if asks else "none")
    requests = [Request("lm", text) for text in NEED_AN_LM]
    with program(index, settings) as melo:
        cold = answer_all(melo, requests[-job.warmup :], "warm-up")
        answers = answer_all(melo, requests[: job.n], "SmolLM2" if asks else "the same without a model", job.repeats)
    counted = [answer for answer in answers if answer[2].path == "lm"] if asks else answers
    if not counted:
        raise NotMeasurableError("no request reached the language model")
    detail = {
        "not_counted": len(answers) - len(counted),
        "first_answer_ms": round(cold[0][1], 1) if cold else None,
        "outcomes": outcomes(counted),
        "fallbacks": dict(Counter(fault.code for _, _, playlist in counted for fault in playlist.fallback)),
        "nodes": node_usage(counted),
        "requests": _by_request(counted),
    }
    return Measured(_figures(counted, asks), catalog_facts(index), settings.hash(), detail)


def _figures(answers: Answers, asks: bool) -> tuple[Figure, ...]:
    found = [figure("SmolLM2 answer" if asks else "answer without a model", "ms", [took for _, took, _ in answers])]
    for node in _NODES:
        times = [playlist.timings_ms[node] for _, _, playlist in answers if node in playlist.timings_ms]
        found.extend([figure(f"node {node}", "ms", times)] if times else [])
    if asks:
        for name in ("prompt", "cached", "completion"):
            totals = [sum(getattr(use, f"{name}_tokens") for use in p.usage.values()) for _, _, p in answers]
            found.append(figure(f"{name} tokens an answer", "tokens", totals))
    return tuple(found)


def node_usage(answers: Answers) -> dict[str, dict[str, float]]:
    """For each node that asked: in how many answers, and medians of its calls, tokens and LM seconds there."""
    nodes: dict[str, dict[str, float]] = {}
    for node in _NODES:
        uses = [playlist.usage[node] for _, _, playlist in answers if node in playlist.usage]
        if uses:
            fields = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "seconds")
            nodes[node] = {"answers": len(uses)} | {name: round(median(getattr(u, name) for u in uses), 3) for name in fields}
    return nodes


def _by_request(answers: Answers) -> list[dict[str, Any]]:
    """Each request once, with the median of its answers and what the last one was like."""
    rows: dict[str, dict[str, Any]] = {}
    for request, took, playlist in answers:
        row = rows.setdefault(request.text, {"request": request.text, "ms": []})
        row["ms"].append(took)
        row |= {"status": playlist.status, "tracks": len(playlist.tracks)}
    return [row | {"ms": round(median(row["ms"]), 1)} for row in rows.values()]
