"""A plan that does not fit the tools, the intent or what was decided before does not run."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import Plan, ToolArgs, ToolCall
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.nodes.plan import PlanNode
from program.nodes.understand import UnderstandNode
from program.settings import SafetySettings, Settings
from program.state import Session
from program.trust.middle import sound_plan
from tests.sessions import constraint, melo, resources, session
from tests.test_no_invented_ids import requests

REQUEST = "post-punk but no IDLES and nothing sad"


class _Planner:
    """PLAN, with its first route changed. change: fields of the arguments, or of the call with a leading underscore."""

    def __init__(self, change: dict[str, Any], *, all_routes: bool = True) -> None:
        self._inner, self._change, self._all = PlanNode(), change, all_routes

    def __call__(self, session: Session, resources: Any) -> Plan:
        plan = self._inner(session, resources)
        routes = tuple(self._changed(call) if self._all or not place else call for place, call in enumerate(plan.routes))
        session.plan = plan.model_copy(update={"routes": routes})
        return session.plan

    def _changed(self, call: ToolCall) -> ToolCall:
        own = {name[1:]: value for name, value in self._change.items() if name.startswith("_")}
        update = {name: value for name, value in self._change.items() if not name.startswith("_")}
        args = ToolArgs.model_construct(**(dict(call.args) | update))
        return call.model_copy(update={"args": args, **own})


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an exclusion forgotten": ({"exclude_artist_ids": ()}, "route_inconsistent"),
    "a negation forgotten": ({"constraints": (constraint(0, "genre", "post-punk"),)}, "route_inconsistent"),
    "a name from nowhere": ({"artist_ids": ("metallica",)}, "route_inconsistent"),
    "an exclusion from nowhere": ({"exclude_track_ids": ("adele--hello",)}, "route_inconsistent"),
    "a protected tool": ({"_tool": "liked_songs"}, "route_ineligible"),
    "a tool without its seeds": ({"_tool": "similar_tracks"}, "route_ineligible"),
    "too high a limit": ({"limit": 5_000}, "route_malformed"),
    "no text": ({"query": 7}, "route_malformed"),
}
bad = pytest.mark.parametrize(("change", "code"), BAD.values(), ids=BAD.keys())


def _program(index: EmbeddedIndex, change: dict[str, Any], *, on: bool, all_routes: bool = True) -> Melo:
    program = melo(index, settings=Settings(safety=SafetySettings(middle=on)))
    replaced: Any = _Planner(change, all_routes=all_routes)
    program.plan = replaced
    return program


@bad
def test_an_unsound_plan_gives_way_to_codes_own(tiny_index: EmbeddedIndex, change: dict[str, Any], code: str) -> None:
    """The answer is that of a sound plan, and says what was wrong, for a developer to see."""
    expected = melo(tiny_index)(request=REQUEST).playlist
    found = _program(tiny_index, change, on=True)(request=REQUEST).playlist

    assert [track.track_id for track in found.tracks] == [track.track_id for track in expected.tracks]
    assert found.tracks
    assert {fault.code for fault in found.fallback} >= {code}
    assert found.handover is not None
    assert (found.handover.reason, found.handover.owner) == ("plan_inconsistent", "developer")


@pytest.mark.parametrize("change", [BAD["an exclusion forgotten"][0], BAD["too high a limit"][0]], ids=["exclusion", "limit"])
def test_with_the_switch_off_it_runs(tiny_index: EmbeddedIndex, change: dict[str, Any]) -> None:
    """The plan is carried out as it is, and nothing is said."""
    prediction = _program(tiny_index, change, on=False)(request=REQUEST)

    assert prediction.playlist.handover is None
    assert not [fault for fault in prediction.playlist.fallback if fault.code.startswith("route_")]
    assert all(getattr(call.args, name) == value for call in prediction.plan.routes for name, value in change.items())


def test_sound_routes_stay(tiny_index: EmbeddedIndex) -> None:
    """Only the route that is wrong is left out, and the artifact of the plan is the one that ran."""
    prediction = _program(tiny_index, BAD["no text"][0], on=True, all_routes=False)(request=REQUEST)
    whole = melo(tiny_index)(request=REQUEST)

    assert [call.tool for call in prediction.plan.routes] == [call.tool for call in whole.plan.routes[1:]]


def test_the_round_is_the_sessions(tiny_index: EmbeddedIndex) -> None:
    """A plan of another round than the session is in is set right."""
    made = session("post-punk")
    given = resources(tiny_index)
    UnderstandNode()(made, given)
    plan = PlanNode()(made, given)

    assert sound_plan(plan.model_copy(update={"round": 2}), made, given).round == 0
    assert sound_plan(plan, made, given) is plan


def test_no_plan_of_the_nodes_is_unsound(tiny_index: EmbeddedIndex) -> None:
    """Two hundred varied requests: the guard never stands in the way of the nodes' own plans."""
    program = melo(tiny_index)
    told = [
        (text, fault.message)
        for text in requests(200, 11)
        for fault in program(request=text).playlist.fallback
        if fault.code.startswith("route_")
    ]

    assert told == []
