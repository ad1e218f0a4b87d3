"""Which kind of task each node is, and so which threshold its outputs are held against."""

from __future__ import annotations

from data.contracts import NodeName
from data.trust import TaskKind

TASKS: dict[NodeName, TaskKind] = {
    "understand": "analytical",
    "plan": "analytical",
    "execute": "factual",
    "reflect": "factual",
    "synthesize": "creative",
}
"""Source: A-07; which node is which is our own."""
