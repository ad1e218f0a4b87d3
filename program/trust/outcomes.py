"""What an answer is beside its tracks: attributed fallbacks, and whether a person should look at it.

A question to the listener is the soft way out and is no business of a reviewer; a handed-over answer is the hard one.
"""

from __future__ import annotations

from data.contracts import Handover, HandoverReason, Owner, Playlist
from program.state import Session
from program.trust.markers import STEERING
from program.trust.reasons import attributed, outcome_fault

_OWNERS: dict[HandoverReason, Owner] = {
    "no_tool_answered": "operator",
    "answer_cut": "reviewer",
    "plan_inconsistent": "developer",
    "suspicious_request": "reviewer",
    "low_confidence": "reviewer",
}
_PLAN_CODES = frozenset({"route_ineligible", "route_malformed", "route_inconsistent"})


def with_outcomes(playlist: Playlist, session: Session) -> Playlist:
    """The answer with a reason and an owner on every fallback, and a hand-over where one is due."""
    verdict = session.verdict
    gave_up = verdict.reason if verdict is not None and verdict.action == "fallback" else ""
    fault = outcome_fault(playlist, session.intent, gave_up)
    faults = (*playlist.fallback, fault) if fault else playlist.fallback
    return playlist.model_copy(update={"fallback": tuple(map(attributed, faults)), "handover": handover(playlist, session)})


def handover(playlist: Playlist, session: Session) -> Handover | None:
    """The first that holds: somebody tries to steer the model, the plan or the answer was not sound, nothing answered."""
    codes = {fault.code: fault.message for fault in playlist.fallback}
    if steering := sorted(STEERING.intersection(session.suspect)):
        return _handed("suspicious_request", f"the request speaks to a model: {', '.join(steering)}")
    if found := _PLAN_CODES.intersection(codes):
        return _handed("plan_inconsistent", codes[min(found)])
    if "answer_cut" in codes:
        return _handed("answer_cut", codes["answer_cut"])
    if (trip := _doubtful(playlist, session)) is not None:
        return _handed("low_confidence", trip)
    if playlist.status == "failed":
        return _handed("no_tool_answered", "no retrieval tool answered and nothing was found")
    return None


def _doubtful(playlist: Playlist, session: Session) -> str | None:
    """What is still doubtful after all that code could do; a question to the listener settles it without a reviewer."""
    if playlist.status == "clarify":
        return None
    queued = [trip for trip in session.trips if trip.outcome == "queued"]
    return f"{queued[-1].node}: {queued[-1].cause}, confidence {queued[-1].final:.2f}" if queued else None


def _handed(reason: HandoverReason, summary: str) -> Handover:
    return Handover(reason=reason, owner=_OWNERS[reason], summary=summary)
