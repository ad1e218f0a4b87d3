"""L3, plan-time guards: pure checks of a compiled plan against the request and the verified intent.

Each guard has a name and a switch. A hit says which words set it off and what must happen before any tool fires.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from data.contracts import Constraint, GuardHit, Intent, Plan, ToolArgs, ToolCall, ToolName
from data.names import name_key
from data.vocab.request_words import request_words
from program.grounding.tokens import tokenize

Sketch = tuple[ToolName, ...]
"""Tool names, most useful first."""


@dataclass(frozen=True)
class GuardInput:
    """What a guard looks at."""

    intent: Intent
    plan: Plan
    request: str


Guard = Callable[[GuardInput], list[GuardHit]]


def _ids(args: ToolArgs) -> set[str]:
    return {*args.track_ids, *args.artist_ids, *args.album_ids}


def negation_leak(given: GuardInput) -> list[GuardHit]:
    """An excluded name or facet must not be searched for."""
    hits = []
    excluded = {entity.entity_id: entity for entity in given.intent.by_role("exclude")}
    banned = {(c.facet, value) for c in given.intent.constraints if c.op == "not" for value in c.values}
    for call in given.plan.routes:
        positive = _ids(call.args) & set(excluded) if call.tool != "similar_tracks" else set()
        for identity in sorted(positive):
            name = excluded[identity].name
            hits.append(_hit("negation_leak", f"{name} is excluded and must not be searched for", name, "drop", identity))
        for constraint in call.args.constraints:
            leaked = [value for value in constraint.values if constraint.op == "is" and (constraint.facet, value) in banned]
            if leaked:
                hits.append(_leak(constraint, leaked[0]))
    return hits


def _leak(constraint: Constraint, value: str) -> GuardHit:
    message = f"{constraint.facet} {value} is excluded"
    return _hit("negation_leak", message, constraint.surface, "drop", f"{constraint.facet}:{value}")


def verb_prefix(given: GuardInput) -> list[GuardHit]:
    """The command word that opens a request is no name: "play X" does not ask for something called Play."""
    tokens = tokenize(given.request)
    if len(tokens) < 2 or "command" not in request_words().get(tokens[0].key, ()):
        return []
    verb = tokens[0].key
    named = [e for e in given.intent.by_role("target", "seed") if name_key(e.name) == verb]
    if len(named) < 1 or verb in {token.key for token in tokens[1:]}:
        return []
    searched = {identity for call in given.plan.routes for identity in _ids(call.args)}
    return [
        _hit("verb_prefix", f"{tokens[0].text} is the command here, not a name", tokens[0].text, "drop", entity.entity_id)
        for entity in named
        if entity.entity_id in searched
    ]


def unverified_id(given: GuardInput) -> list[GuardHit]:
    """Only ids that L1 verified for this request may be arguments."""
    verified = {entity.entity_id for entity in given.intent.entities}
    hits = []
    for call in given.plan.routes:
        for identity in sorted(_ids(call.args) - verified):
            hits.append(_hit("unverified_id", f"{identity} was not verified for this request", "", "drop", identity))
    return hits


def _hit(guard: str, message: str, words: str, remedy: str, target: str) -> GuardHit:
    return GuardHit.model_validate({"guard": guard, "message": message, "words": words, "remedy": remedy, "target": target})


GUARDS: dict[str, Guard] = {"negation_leak": negation_leak, "verb_prefix": verb_prefix, "unverified_id": unverified_id}


def apply_guards(intent: Intent, plan: Plan, request: str, enabled: frozenset[str]) -> tuple[Plan, tuple[GuardHit, ...]]:
    """The plan with everything dropped that a guard rejects, and the hits.

    A route that loses its last id where it had some is removed; so a plan may end up without routes.
    """
    given = GuardInput(intent, plan, request)
    hits = tuple(hit for name, guard in GUARDS.items() if name in enabled for hit in guard(given))
    targets = {hit.target for hit in hits if hit.remedy == "drop"}
    if not targets:
        return plan, hits
    kept = [call for call in (_without(call, targets) for call in plan.routes) if call is not None]
    return plan.model_copy(update={"routes": tuple(kept)}), hits


def _without(call: ToolCall, targets: set[str]) -> ToolCall | None:
    """The call without the rejected ids and constraints; None when it has nothing of its own left to search for."""
    args = call.args

    def keep(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(identity for identity in ids if identity not in targets)

    def leaks(constraint: Constraint) -> bool:
        return constraint.op == "is" and any(f"{constraint.facet}:{value}" in targets for value in constraint.values)

    update = {
        "track_ids": keep(args.track_ids),
        "artist_ids": keep(args.artist_ids),
        "album_ids": keep(args.album_ids),
        "constraints": tuple(constraint for constraint in args.constraints if not leaks(constraint)),
    }
    changed = args.model_copy(update=update)
    lost_names = bool(_ids(args)) and not _ids(changed)
    lost_all = bool(args.constraints) and not (changed.constraints or _ids(changed) or changed.query)
    return None if lost_names or lost_all else call.model_copy(update={"args": changed})
