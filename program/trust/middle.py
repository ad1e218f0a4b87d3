"""The guard between PLAN and EXECUTE: a plan must fit the tools' schema, the intent, and what was decided before.

Code compiles every plan, so nothing here fires while the nodes do their work; it holds for a node that is replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from data.contracts import Constraint, Fallback, Intent, Plan, ToolArgs, ToolCall
from program.nodes.compile import compile_plan, default_sketch, fixed_args, wants_taste
from program.state import Resources, Session
from program.tools.registry import PROTECTED, eligible_tools, served


@dataclass(frozen=True)
class RouteFault:
    """What is wrong with one route. code: one of `route_malformed`, `route_ineligible`, `route_inconsistent`."""

    code: str
    message: str


def sound_plan(plan: Plan, session: Session, resources: Resources) -> Plan:
    """The plan without the routes that must not run; code's own plan where none is left. Faults are noted on the session."""
    kept = []
    for call in plan.routes:
        if (fault := route_fault(call, session, resources)) is None:
            kept.append(call)
        else:
            session.note(Fallback(node="plan", kind="policy", code=fault.code, message=f"{call.tool}: {fault.message}"))
    if len(kept) == len(plan.routes) and plan.round == session.round:
        return plan
    if not kept and plan.routes:
        kept = list(_own_plan(session, resources).routes)
    return plan.model_copy(update={"routes": tuple(kept), "round": session.round})


def route_fault(call: ToolCall, session: Session, resources: Resources) -> RouteFault | None:
    """Why a route must not run; None where it may."""
    try:
        args = ToolArgs.model_validate(dict(call.args))
    except ValidationError as error:
        first = error.errors()[0]
        return RouteFault("route_malformed", f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    intent = session.need_intent()
    if call.tool not in eligible(session, resources):
        return RouteFault("route_ineligible", "the request gives it nothing to work on")
    if strange := _unknown_ids(args, intent):
        return RouteFault("route_inconsistent", f"{strange[0]} is not what the request names")
    return _forgotten(args, session)


def eligible(session: Session, resources: Resources) -> frozenset[str]:
    """The tools that may run for the session's intent, with its constraints as they stand."""
    intent = session.need_intent()
    among = served(resources.index, resources.settings.execute)
    standing = intent.model_copy(update={"constraints": session.active})
    names = {tool.name for tool in eligible_tools(standing, bool(session.words), among)}
    if intent.personal != "none":
        return frozenset(names & PROTECTED)
    taste = {"taste_recall"} if wants_taste(intent, session, resources.settings) else set()
    return frozenset({*names, "semantic_recall", *taste})


def _unknown_ids(args: ToolArgs, intent: Intent) -> list[str]:
    wanted = {entity.entity_id for entity in intent.entities if entity.role != "exclude"}
    excluded = {entity.entity_id for entity in intent.by_role("exclude")}
    searched = [name for name in (*args.track_ids, *args.artist_ids, *args.album_ids) if name not in wanted]
    left_out = (*args.exclude_track_ids, *args.exclude_artist_ids, *args.exclude_album_ids)
    return [*searched, *(name for name in left_out if name not in excluded)]


def _forgotten(args: ToolArgs, session: Session) -> RouteFault | None:
    """What was ruled out must be ruled out in every route, and no condition may be one that nobody asked for."""
    fixed = fixed_args(session.need_intent())
    pairs = (
        (fixed.exclude_track_ids, args.exclude_track_ids), (fixed.exclude_artist_ids, args.exclude_artist_ids),
        (fixed.exclude_album_ids, args.exclude_album_ids),
    )  # fmt: skip
    if any(not set(wanted) <= set(given) for wanted, given in pairs):
        return RouteFault("route_inconsistent", "it lets in what the request rules out")
    ruled_out = [constraint for constraint in session.active if constraint.op == "not"]
    if any(constraint not in args.constraints for constraint in ruled_out):
        return RouteFault("route_inconsistent", "it forgets a condition that rules out")
    if any(not is_of(constraint, session.active) for constraint in args.constraints):
        return RouteFault("route_inconsistent", "it holds a condition that is not the session's")
    return None


def is_of(constraint: Constraint, active: Sequence[Constraint]) -> bool:
    """Whether a route's condition is one of the session's, or one that a guard on the plan took a value from."""
    return constraint in active or any(
        one.op == constraint.op == "is" and one.constraint_id == constraint.constraint_id and one.facet == constraint.facet
        and set(constraint.values) < set(one.values)
        for one in active
    )  # fmt: skip


def _own_plan(session: Session, resources: Resources) -> Plan:
    intent = session.need_intent()
    among = served(resources.index, resources.settings.execute)
    tools = eligible_tools(intent.model_copy(update={"constraints": session.active}), bool(session.words), among)
    return compile_plan(intent, session, default_sketch(intent, tools, session.round), resources.settings)
