"""Guard: only verified ids are arguments."""

from __future__ import annotations

from data.contracts import GuardHit
from program.grounding.guards.base import GuardInput, argument_ids, guard_hit


def unverified_id(given: GuardInput) -> list[GuardHit]:
    """Only ids that L1 verified for this request may be arguments."""
    verified = {entity.entity_id for entity in given.intent.entities}
    hits = []
    for call in given.plan.routes:
        for identity in sorted(argument_ids(call.args) - verified):
            message = f"{identity} was not verified for this request"
            hits.append(guard_hit("unverified_id", "drop", message, words="", target=identity))
    return hits
