"""Guard: what is excluded must not be searched for."""

from __future__ import annotations

from data.contracts import Constraint, GuardHit
from program.grounding.guards.base import GuardInput, argument_ids, guard_hit


def negation_leak(given: GuardInput) -> list[GuardHit]:
    """An excluded name or facet must not be searched for."""
    hits = []
    excluded = {entity.entity_id: entity for entity in given.intent.by_role("exclude")}
    banned = {(c.facet, value) for c in given.intent.constraints if c.op == "not" for value in c.values}
    for call in given.plan.routes:
        positive = argument_ids(call.args) & set(excluded) if call.tool not in ("similar_tracks", "similar_artists") else set()
        for identity in sorted(positive):
            name = excluded[identity].name
            message = f"{name} is excluded and must not be searched for"
            hits.append(guard_hit("negation_leak", "drop", message, words=name, target=identity))
        for constraint in call.args.constraints:
            leaked = [value for value in constraint.values if constraint.op == "is" and (constraint.facet, value) in banned]
            hits.extend(_leak(constraint, value) for value in leaked)
    return list(dict.fromkeys(hits))


def _leak(constraint: Constraint, value: str) -> GuardHit:
    message = f"{constraint.facet} {value} is excluded"
    return guard_hit("negation_leak", "drop", message, words=constraint.surface, target=f"{constraint.facet}:{value}")
