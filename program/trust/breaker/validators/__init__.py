"""What an artifact is worth to somebody who did not make it: one file a node, each gives signals. No LM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from data.trust import Signal
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot
from program.trust.breaker.validators import found, reading, routes, verdict, words

Look = Callable[[Any, Session, Resources, Snapshot], tuple[Signal, ...]]

VALIDATORS: dict[str, Look] = {
    "understand": reading.signals,
    "plan": routes.signals,
    "execute": found.signals,
    "reflect": verdict.signals,
    "synthesize": words.signals,
}
"""Does the output match the task?"""
RECEIVED: dict[str, Look] = {
    "understand": reading.received,
    "plan": routes.received,
    "execute": found.received,
    "synthesize": words.received,
}
"""Can the node after it use the output?"""
