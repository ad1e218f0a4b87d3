"""What a node's decision leads to, by code alone: the searches of a plan, the next round after a repair, the chosen tracks."""

from __future__ import annotations

from optimizers.records import AnsweredTrack, AnswerRecord, Round, ToolOutcome
from program.answers import needs_question
from program.nodes.execute import ExecuteNode
from program.nodes.plan import PlanNode
from program.nodes.synthesize import chosen_tracks, ranked_tracks
from program.state import Resources, Session


def search(session: Session, resources: Resources, *, plan_first: bool = False) -> None:
    """Run the session's plan; `plan_first`: code makes the plan of this round before."""
    if plan_first:
        PlanNode()(session, resources)
    ExecuteNode()(session, resources)


def record_of_session(session: Session, resources: Resources) -> AnswerRecord:
    """The session so far as a record, with the tracks that would be chosen now; what was not reached is left empty."""
    intent = session.intent
    asks = intent is not None and needs_question(intent)
    return AnswerRecord(
        status="clarify" if asks else "ok", first_reading=intent, reading=intent, options=_options(session) if asks else (),
        rounds=(_round(session),) if session.plan else (), tracks=() if asks else _tracks(session, resources),
    )  # fmt: skip


def _options(session: Session) -> tuple[str, ...]:
    intent, known = session.need_intent(), session.understanding
    held = {item.evidence_id: item.entity_id for item in known.best.evidence} if known else {}
    return tuple(held[name] for name in intent.ambiguity if name in held)


def _round(session: Session) -> Round:
    assert session.plan is not None
    found, verdict = session.found, session.verdict
    tools = tuple(ToolOutcome(tool=one.tool, ok=one.ok, error=one.error) for one in found.results) if found else ()
    return Round(
        plan=session.plan, tools=tools, merged=len(found.candidates) if found else 0,
        action=verdict.action if verdict else None, sufficient=bool(verdict and verdict.is_sufficient),
        changed=verdict.relaxation_ids if verdict else (),
    )  # fmt: skip


def _tracks(session: Session, resources: Resources) -> tuple[AnsweredTrack, ...]:
    if session.found is None:
        return ()
    held = (
        session.entries[candidate.track_id] for candidate in chosen_tracks(session, resources, ranked_tracks(session, resources))
    )
    return tuple(AnsweredTrack(track=entry.track, popularity=entry.popularity) for entry in held)
