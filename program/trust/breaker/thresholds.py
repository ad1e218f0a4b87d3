"""The threshold of a node version: where it starts, what a cold start makes of it, how outcomes move it. Pure functions."""

from __future__ import annotations

from data.trust import NodeRecord
from program.settings import BreakerSettings
from program.trust.breaker.tasks import TASKS


def starting(node: str, settings: BreakerSettings) -> float:
    """The threshold of a node's kind of task."""
    kind = TASKS[node]  # type: ignore[index]
    return {"factual": settings.factual, "analytical": settings.analytical, "creative": settings.creative}[kind]


def is_cold(record: NodeRecord | None, settings: BreakerSettings) -> bool:
    """Whether too little was seen of a node version to stop anything. Source: A-16."""
    return (record.seen if record else 0) < settings.cold_start


def moved(threshold: float, node: str, *, mended: bool, settings: BreakerSettings) -> float:
    """After a trip: lower where a retry brought what passes, so that less is stopped; higher where it did not. Source: A-08."""
    return _bounded(threshold + (-settings.step if mended else settings.step), node, settings)


def judged(threshold: float, node: str, *, right: bool, settings: BreakerSettings) -> float:
    """After a person's verdict on a trip: higher where it was right to stop, lower where the artifact was good."""
    return _bounded(threshold + (settings.step if right else -settings.step), node, settings)


def _bounded(threshold: float, node: str, settings: BreakerSettings) -> float:
    """Within what a threshold may be. Without a reach, a row of retries that fail drives it up until it stops all (LOG.md)."""
    start = starting(node, settings)
    low, high = max(settings.floor, start - settings.reach), min(settings.ceiling, start + settings.reach)
    return round(min(high, max(low, threshold)), 4)
