"""All guards by name, and what they make of a plan."""

from __future__ import annotations

from data.contracts import Constraint, GuardHit, Plan, ToolCall
from program.grounding.guards.base import Guard, GuardInput, argument_ids
from program.grounding.guards.commands import verb_prefix
from program.grounding.guards.homonyms import homonym_pair
from program.grounding.guards.pairs import possessive_split, works_exclusion
from program.grounding.guards.phrases import functional_phrase
from program.grounding.guards.polarity import negation_leak
from program.grounding.guards.short import short_token
from program.grounding.guards.support import thin_support
from program.grounding.guards.tags import artist_as_tag
from program.grounding.guards.verified import unverified_id
from program.grounding.guards.versions import version_mismatch

GUARDS: dict[str, Guard] = {
    "negation_leak": negation_leak,
    "verb_prefix": verb_prefix,
    "unverified_id": unverified_id,
    "possessive_split": possessive_split,
    "artist_as_tag": artist_as_tag,
    "functional_phrase": functional_phrase,
    "short_token": short_token,
    "works_exclusion": works_exclusion,
    "version_mismatch": version_mismatch,
    "thin_support": thin_support,
    "homonym_pair": homonym_pair,
}
"""In the order of the architecture; a name is also the name of the guard's switch."""


def apply_guards(given: GuardInput, enabled: frozenset[str]) -> tuple[Plan, tuple[GuardHit, ...]]:
    """The plan without everything that a guard rejects, and the hits, each once.

    What a hit rejects is gone from the plan here, whatever its remedy; what comes in its place is for `remedies.py` and
    PLAN. A route that loses its last id where it had some is removed, so a plan may end up without routes.
    """
    hits = tuple(dict.fromkeys(hit for name, guard in GUARDS.items() if name in enabled for hit in guard(given)))
    targets = {hit.target for hit in hits if hit.remedy in ("drop", "broaden")}
    if not targets:
        return given.plan, hits
    kept = [call for call in (_without(call, targets) for call in given.plan.routes) if call is not None]
    return given.plan.model_copy(update={"routes": tuple(kept)}), hits


def _without(call: ToolCall, targets: set[str]) -> ToolCall | None:
    """The call without the rejected ids and values; None when it has nothing of its own left to search for."""
    args = call.args

    def keep(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(identity for identity in ids if identity not in targets)

    constraints = (_unleaked(constraint, targets) for constraint in args.constraints)
    update = {
        "track_ids": keep(args.track_ids),
        "artist_ids": keep(args.artist_ids),
        "album_ids": keep(args.album_ids),
        "constraints": tuple(constraint for constraint in constraints if constraint is not None),
    }
    changed = args.model_copy(update=update)
    lost_names = bool(argument_ids(args)) and not argument_ids(changed)
    lost_all = bool(args.constraints) and not (changed.constraints or argument_ids(changed) or changed.query)
    return None if lost_names or lost_all else call.model_copy(update={"args": changed})


def _unleaked(constraint: Constraint, targets: set[str]) -> Constraint | None:
    """The constraint without the values that leak; None when no value is left."""
    if constraint.op != "is":
        return constraint
    kept = tuple(value for value in constraint.values if f"{constraint.facet}:{value}" not in targets)
    if kept == constraint.values:
        return constraint
    return constraint.model_copy(update={"values": kept}) if kept else None
