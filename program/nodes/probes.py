"""PLAN's probes: prepared with typed arguments, asked of the index or of one tool under its deadline, told in one line."""

from __future__ import annotations

from data.contracts import Constraint, Plan, ToolCall, ToolName
from data.planning import Observation, PlanStep, Probe
from program.index.protocol import Filter
from program.nodes.compile import compile_plan
from program.nodes.describe import constraint_words
from program.nodes.execute import ExecuteNode
from program.retry.counts import counter
from program.state import Resources, Session
from program.tools.protocol import Tool, ToolContext

_MOST_PROBES = 8
_SHOWN = 3
_EXACT: frozenset[ToolName] = frozenset({"catalog_search", "popular_within", "fresh"})
"""Tools that find nothing but what holds every condition."""


def prepared(tools: list[Tool], session: Session, resources: Resources) -> tuple[Probe, ...]:
    """At most eight probes: of every tool the count and the first titles, then the count of each condition alone."""
    names = {tool.name for tool in tools}
    plan = compile_plan(session.need_intent(), session, tuple(tool.name for tool in tools), resources.settings)
    calls = [call for call in plan.routes if call.tool in names]
    routes = [Probe(kind=kind, call=call) for call in calls for kind in ("count", "titles")]
    alone = [Probe(kind="condition", condition=one) for one in session.active] if len(session.active) > 1 else []
    return (*routes, *alone)[:_MOST_PROBES]


def probe_words(probe: Probe, tool_numbers: dict[ToolName, str]) -> str:
    """Such as "count what t0 finds"."""
    if probe.condition is not None:
        return f"count {constraint_words(probe.condition)} alone"
    number = tool_numbers[_call(probe).tool]
    return f"count what {number} finds" if probe.kind == "count" else f"show the first titles of {number}"


def observe(probe: Probe, session: Session, resources: Resources) -> Observation:
    """Look. A tool that fails or is late is an observation of nothing known."""
    if probe.condition is not None:
        return Observation(found=counter(resources.index, Filter())((probe.condition,)))
    context = ToolContext(resources.index, resources.settings.execute, session.listener)
    (result,) = ExecuteNode().run_calls(Plan(routes=(_call(probe),)), context)
    if not result.ok:
        return Observation()
    tracks = [context.seen[track_id].track for track_id in result.tracks[:_SHOWN]] if probe.kind == "titles" else []
    shown = tuple(f"{track.title} - {track.artists[0].name}" for track in tracks)
    return Observation(found=len(result.tracks), shown=shown)


def observation_words(words: str, observation: Observation) -> str:
    """Such as "count what t0 finds: 12 tracks"."""
    if observation.found is None:
        return f"{words}: it failed"
    shown = f" ({'; '.join(observation.shown)})" if observation.shown else ""
    return f"{words}: {observation.found} tracks{shown}"


def empty_routes(steps: list[PlanStep]) -> frozenset[ToolName]:
    """The tools that were seen to find nothing, or to fail."""
    return frozenset(
        step.probe.call.tool
        for step in steps
        if step.probe and step.probe.call and step.observation and not step.observation.found
    )


def disagreement(steps: list[PlanStep]) -> str:
    """Which two observations cannot both be so; empty where all can."""
    counts: dict[ToolName, int] = {}
    for step in steps:
        if step.probe is None or step.probe.call is None or step.observation is None or step.observation.found is None:
            continue
        tool, found = step.probe.call.tool, step.observation.found
        if counts.setdefault(tool, found) != found:
            return f"{tool} found {counts[tool]} tracks and then {found}"
    held = _held(steps)
    for tool in _EXACT & counts.keys():
        if more := [found for found in held if found < counts[tool]]:
            return f"{tool} found {counts[tool]} tracks, a condition of it alone only {min(more)}"
    return ""


def _held(steps: list[PlanStep]) -> list[int]:
    """Tracks that single conditions hold."""
    seen = [(step.probe.condition, step.observation) for step in steps if step.probe and step.observation]
    return [one.found for condition, one in seen if isinstance(condition, Constraint) and one.found is not None]


def _call(probe: Probe) -> ToolCall:
    assert probe.call is not None
    return probe.call
