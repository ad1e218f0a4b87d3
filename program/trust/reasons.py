"""What a fallback's code means: its reason, and who should look. Pure tables; what decides stands elsewhere."""

from __future__ import annotations

from data.contracts import Fallback, FaultReason, Intent, Owner, Playlist

INFRASTRUCTURE: frozenset[FaultReason] = frozenset({"timeout", "malformed", "unavailable", "budget"})
"""Reasons that say something around the program failed; the others are policy."""

_POLICY: dict[str, tuple[FaultReason, Owner]] = {
    "ambiguous_name": ("ambiguous", "listener"),
    "nothing_asked": ("ambiguous", "listener"),
    "name_not_held": ("nothing_eligible", "catalog_keeper"),
    "nothing_matches": ("nothing_eligible", "catalog_keeper"),
    "too_few": ("nothing_eligible", "catalog_keeper"),
    "no_lyrics": ("unsupported", "catalog_keeper"),
    "no_lyric_match": ("nothing_eligible", "catalog_keeper"),
    "no_user_data": ("unsupported", "listener"),
    "own_set_empty": ("nothing_eligible", "listener"),
    "out_of_scope": ("unsupported", "listener"),
    "bad_request": ("unsupported", "listener"),
    "no_lm": ("unsupported", "operator"),
    "markers_in_request": ("unsafe", "reviewer"),
    "route_ineligible": ("nothing_eligible", "developer"),
    "route_malformed": ("unsupported", "developer"),
    "route_inconsistent": ("unsupported", "developer"),
    "plan_limit": ("unsupported", "developer"),
    "plan_invalid": ("unsupported", "model_keeper"),
    "plan_contradiction": ("unsupported", "model_keeper"),
    "answer_cut": ("unsafe", "reviewer"),
    "answer_unformed": ("unsafe", "model_keeper"),
    "breaker_paused": ("unsafe", "operator"),
}
_INFRASTRUCTURE: dict[str, FaultReason] = {
    "tool_timeout": "timeout",
    "tool_malformed": "malformed",
    "tool_unavailable": "unavailable",
    "lm_unavailable": "unavailable",
    "lm_refused": "malformed",
    "store": "unavailable",
    "breaker_degraded": "unavailable",
}


def attributed(fault: Fallback) -> Fallback:
    """`fault` with its reason and owner; a code that no table holds gets those of its kind."""
    reason, owner = _meaning(fault)
    return fault.model_copy(update={"reason": reason, "owner": owner})


def known_codes() -> frozenset[str]:
    """Every code with a meaning of its own (those of `budget` and `model_output` faults have their kind's)."""
    return frozenset({*_POLICY, *_INFRASTRUCTURE})


def _meaning(fault: Fallback) -> tuple[FaultReason, Owner]:
    if fault.kind == "policy":
        return _POLICY.get(fault.code, ("unsupported", "developer"))
    if fault.kind == "model_output":
        return "malformed", "model_keeper"
    return ("budget" if fault.kind == "budget" else _INFRASTRUCTURE.get(fault.code, "unavailable")), "operator"


def outcome_fault(playlist: Playlist, intent: Intent | None, gave_up: str) -> Fallback | None:
    """Why an answer is not simply the list that was asked for; None where it is, or where a fault says so already.

    Args:
        gave_up: REFLECT's reason for giving up; empty where it did not.
    """
    if playlist.status == "clarify":
        options = playlist.clarification.options if playlist.clarification else ()
        code, message = (
            ("ambiguous_name", "names that nothing tells apart") if options else ("nothing_asked", "it names no music")
        )
        return Fallback(node="understand", kind="policy", code=code, message=message)
    if playlist.status == "not_found" and _ABSENCES.isdisjoint(fault.code for fault in playlist.fallback):
        return _absence(intent)
    if gave_up and playlist.status in ("ok", "partial"):
        return Fallback(node="reflect", kind="policy", code="too_few", message=gave_up)
    return None


def _absence(intent: Intent | None) -> Fallback:
    if intent is not None and intent.absent:
        return Fallback(node="understand", kind="policy", code="name_not_held", message="a name that the catalog does not hold")
    if intent is not None and intent.personal != "none":
        return Fallback(node="execute", kind="policy", code="own_set_empty", message="nothing of the own set fits")
    return Fallback(node="execute", kind="policy", code="nothing_matches", message="the catalog holds nothing of it")


_ABSENCES = frozenset({"no_lyrics", "no_lyric_match", "no_user_data"})
"""Codes that say already why nothing was found."""
