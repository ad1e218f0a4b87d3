"""Does a verdict agree with the candidates that it is about? For REFLECT."""

from __future__ import annotations

from data.contracts import Verdict
from data.trust import Signal
from program.retry.gates import gate, match_score
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot

_CONTRADICTS = 0.1
_NEAR = 0.01


def signals(verdict: Verdict, session: Session, resources: Resources, before: Snapshot) -> tuple[Signal, ...]:
    """The gates are reckoned again from the session as it was before the verdict changed it."""
    found, intent, settings = session.need_found(), before.intent, resources.settings.retry
    report = gate(intent, found.candidates, before.active, session.entries, settings)
    sufficient = report.size_ok and report.coverage_ok
    faults = []
    if verdict.is_sufficient != sufficient:
        faults.append(f"it says {'enough' if verdict.is_sufficient else 'not enough'}, the gates say otherwise")
    if verdict.total_candidates != len(found.candidates):
        faults.append(f"it counts {verdict.total_candidates} candidates of {len(found.candidates)}")
    if abs(verdict.semantic_match_score - match_score(found.candidates, intent.constraints)) > _NEAR:
        faults.append("its match score is not that of the candidates")
    faults += _action_faults(verdict, session, resources, before, sufficient=sufficient)
    return (Signal(name="consistent", score=_CONTRADICTS if faults else 1.0, part="; ".join(faults)),)


def _action_faults(verdict: Verdict, session: Session, resources: Resources, before: Snapshot, *, sufficient: bool) -> list[str]:
    """An action that the state of things does not call for."""
    settings = resources.settings.retry
    if verdict.action in ("retry_relaxed", "retry_rewrite"):
        if sufficient:
            return ["it repairs what is enough"]
        if not settings.enabled or before.round >= settings.max_rounds:
            return ["no round is left"]
        same = session.active == before.active and session.intent == before.intent
        return ["it changes nothing"] if same else []
    if verdict.action == "fallback" and sufficient and not before.ledger.loosened_core:
        return ["it gives up on what is enough"]
    asks_nothing = before.intent.personal != "none" or before.intent.absent
    can_retry = settings.enabled and before.round < settings.max_rounds and not asks_nothing
    if verdict.action == "proceed" and not sufficient and can_retry and not _holds_enough(session, resources, before):
        return ["it goes on with too few"]
    return []


def _holds_enough(session: Session, resources: Resources, before: Snapshot) -> bool:
    """Whether the catalog holds as many as are needed, so that loosening would not help; asked of the index."""
    from program.nodes.reflect import base_filter
    from program.retry.counts import counter
    from program.retry.gates import needed

    if not before.active:
        return False
    held = counter(resources.index, base_filter(before.intent))(before.active)
    return held >= needed(before.intent, resources.settings.retry)
