"""One line for what a request was read as, so that a table can hold the whole meaning of each request."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from data.contracts import Constraint, Intent
from program.grounding.readings import Understanding, understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings

Read = Callable[[str], Understanding]


def condition(constraint: Constraint) -> str:
    """`genre=rock`, `genre!=rock|pop`, `era~|1985`; with a star where it is core."""
    sign = {"is": "=", "not": "!=", "range": "~"}[constraint.op]
    return f"{constraint.facet}{sign}{'|'.join(constraint.values)}{'*' if constraint.strength == 'core' else ''}"


def summary(intent: Intent) -> str:
    """Kind and size, then `role:entity`, conditions, `absent:name`, `free:words`, each as far as there are any."""
    parts = [f"{intent.kind} {intent.size}"]
    parts.extend(f"{entity.role}:{entity.entity_id}" for entity in intent.entities)
    parts.extend(map(condition, intent.constraints))
    parts.extend(f"absent:{name}" for name in intent.absent)
    parts.extend([f"free:{intent.free_text}"] if intent.free_text else [])
    parts.extend([intent.personal] if intent.personal != "none" else [])
    return ", ".join(parts)


@pytest.fixture(scope="session")
def read(tiny_index: EmbeddedIndex) -> Read:
    """Reads a request against the tiny catalog with default settings."""
    settings = Settings()

    def understand(request: str) -> Understanding:
        return understand_by_code(request, tiny_index, settings)

    return understand
