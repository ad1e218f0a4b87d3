"""Does a plan serve what the intent asks for? For PLAN's routes."""

from __future__ import annotations

from data.contracts import Plan
from data.trust import Signal
from program.nodes.describe import constraint_words
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot
from program.trust.middle import is_of, route_fault

_FORGOTTEN = 0.2


def signals(plan: Plan, session: Session, _: Resources, __: Snapshot) -> tuple[Signal, ...]:
    """Every route holds every condition, and some route searches for each name."""
    if not plan.routes:
        return ()
    missing = {
        constraint.constraint_id: constraint_words(constraint)
        for constraint in session.active
        for call in plan.routes
        if not any(is_of(held, (constraint,)) for held in call.args.constraints)
    }
    wanted = {entity.entity_id: entity.name for entity in session.need_intent().by_role("target", "seed")}
    searched = {name for call in plan.routes for name in (*call.args.track_ids, *call.args.artist_ids, *call.args.album_ids)}
    unsought = [name for entity_id, name in wanted.items() if entity_id not in searched]
    return (
        Signal(name="serves", score=_FORGOTTEN if missing else 1.0, part=", ".join(missing.values())),
        Signal(name="names", score=_FORGOTTEN if unsought and not searched else 1.0, part=", ".join(unsought)),
    )


def received(plan: Plan, session: Session, resources: Resources, _: Snapshot) -> tuple[Signal, ...]:
    """EXECUTE runs only routes that fit the tools and the intent."""
    faults = [fault for call in plan.routes if (fault := route_fault(call, session, resources))]
    share = 1 - len(faults) / len(plan.routes) if plan.routes else 1.0
    return (Signal(name="schema", score=round(share, 4), part="; ".join(fault.message for fault in faults)),)
