"""What PLAN, EXECUTE, REFLECT and SYNTHESIZE made, looked at by somebody else: clean outputs pass, spoilt ones name the part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from data.contracts import CandidateSet, Plan, Verdict
from data.trust import Signal
from program.index.engine import EmbeddedIndex
from program.nodes.execute import ExecuteNode
from program.nodes.plan import PlanNode
from program.nodes.reflect import ReflectNode
from program.nodes.synthesize import SynthesizeNode
from program.nodes.understand import UnderstandNode
from program.settings import BreakerSettings, RetrySettings, Settings
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot, snapshot
from program.trust.breaker.validators import RECEIVED, VALIDATORS
from program.trust.breaker.validators.words import drift
from tests.program.trust.breaker.parts import invented, off_topic
from tests.sessions import resources, session

CLEAN = (
    "Africa by Toto", "songs by Metallica", "post-punk", "songs like Africa", "niche Icelandic post-punk", "1999 by Prince",
    "jazz or blues from the 80s", "rock or metal without Metallica", "no Adele, quiet songs", "来点爵士乐", "周杰伦的歌",
    "100 songs of niche Icelandic post-punk from the 80s", "30 minutes of rock", "rain on a window", "竹内まりや",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One run of a node."""

    node: str
    output: Any
    session: Session
    resources: Resources
    before: Snapshot

    def look(self, output: Any = None) -> dict[str, Signal]:
        """Signals by name, about this output or another."""
        judged = self.output if output is None else output
        given = (judged, self.session, self.resources, self.before)
        consumer = RECEIVED[self.node](*given) if self.node in RECEIVED else ()
        return {one.name: one for one in (*VALIDATORS[self.node](*given), *consumer)}


def _steps(index: EmbeddedIndex, text: str, settings: Settings | None = None) -> Iterator[Step]:
    """Every run of every node, as the graph goes, stopped where the caller looks."""
    made, given = session(text), resources(index, settings)
    nodes: dict[str, Any] = {"understand": UnderstandNode(), "plan": PlanNode(), "execute": ExecuteNode(),
                             "reflect": ReflectNode(), "synthesize": SynthesizeNode()}  # fmt: skip
    order = ["understand", "plan", "execute", "reflect"]
    while order:
        name = order.pop(0)
        before = snapshot(made)
        output = nodes[name](made, given)
        yield Step(name, output, made, given, before)
        if name == "reflect":
            order = ["plan", "execute", "reflect"] if output.action.startswith("retry") else ["synthesize"]


def _step(index: EmbeddedIndex, text: str, node: str, settings: Settings | None = None) -> Step:
    return next(step for step in _steps(index, text, settings) if step.node == node)


@pytest.mark.parametrize("text", CLEAN)
def test_clean_outputs(tiny_index: EmbeddedIndex, text: str) -> None:
    """No node's own output is complained of, in any round."""
    for step in _steps(tiny_index, text):
        assert {name: (one.score, one.part) for name, one in step.look().items() if one.score < 1} == {}, step.node


# -- PLAN ----------------------------------------------------------------------------------------------------------------


def _changed(plan: Plan, which: slice = slice(None), **args: Any) -> Plan:
    routes = list(plan.routes)
    routes[which] = [call.model_copy(update={"args": call.args.model_copy(update=args)}) for call in routes[which]]
    return plan.model_copy(update={"routes": tuple(routes)})


@pytest.mark.parametrize("which", [slice(None), slice(0, 1)], ids=["all", "one"])
def test_a_forgotten_condition(tiny_index: EmbeddedIndex, which: slice) -> None:
    """In one route or in all; the part says it in words."""
    step = _step(tiny_index, "niche Icelandic post-punk", "plan")
    found = step.look(_changed(step.output, which, constraints=step.session.active[1:]))["serves"]

    assert found.score <= 0.2
    assert found.part


def test_a_name_that_no_route_searches_for(tiny_index: EmbeddedIndex) -> None:
    """The part is the name."""
    step = _step(tiny_index, "songs by Metallica", "plan")
    found = step.look(_changed(step.output, artist_ids=(), track_ids=(), album_ids=()))["names"]

    assert (found.score <= 0.2, found.part) == (True, "Metallica")


def test_a_route_that_does_not_fit(tiny_index: EmbeddedIndex) -> None:
    """EXECUTE cannot run it: the share of routes that it can."""
    step = _step(tiny_index, "no Adele, quiet songs", "plan")
    whole = step.look()["schema"]
    found = step.look(_changed(step.output, exclude_artist_ids=()))["schema"]

    assert (whole.score, found.score) == (1.0, 0.0)
    assert found.part


def test_an_empty_plan_is_nobodys_fault(tiny_index: EmbeddedIndex) -> None:
    """There is nothing to look at."""
    step = _step(tiny_index, "post-punk", "plan")

    assert all(one.score == 1 for one in step.look(Plan(routes=())).values())


# -- EXECUTE -------------------------------------------------------------------------------------------------------------


def test_an_invented_track(tiny_index: EmbeddedIndex) -> None:
    """One is enough; the part is its id."""
    step = _step(tiny_index, "post-punk", "execute")
    found = step.look(invented(step.output, step.session))["ids"]

    assert (found.score, found.part) == (0.0, "nobody--nothing")


def test_candidates_that_hold_nothing_of_it(tiny_index: EmbeddedIndex) -> None:
    """Tracks of another request: the share that holds the conditions, and how many do not."""
    step = _step(tiny_index, "post-punk", "execute")
    other = _step(tiny_index, "songs by Metallica", "execute")
    step.session.entries.update(other.session.entries)
    mixed = (*step.output.candidates[:4], *other.output.candidates[:4])
    found = step.look(CandidateSet(candidates=mixed, results=step.output.results))["conditions"]

    assert (found.score, found.part) == (0.5, "4 of 8 candidates")


def test_what_is_ruled_out_came_back(tiny_index: EmbeddedIndex) -> None:
    """The part is its title."""
    step = _step(tiny_index, "rock or metal without Metallica", "execute")
    other = _step(tiny_index, "songs by Metallica", "execute")
    step.session.entries.update(other.session.entries)
    mixed = (*step.output.candidates, other.output.candidates[0])
    found = step.look(CandidateSet(candidates=mixed, results=step.output.results))["excluded"]
    title = other.session.entries[other.output.candidates[0].track_id].track.title

    assert (found.score, found.part) == (0.0, title)


def test_no_candidates(tiny_index: EmbeddedIndex) -> None:
    """Nothing found is REFLECT's to judge."""
    step = _step(tiny_index, "post-punk", "execute")

    assert step.look(CandidateSet(candidates=(), results=step.output.results)) == {}


# -- REFLECT -------------------------------------------------------------------------------------------------------------

ENOUGH, THIN = "post-punk", "niche Icelandic post-punk"
CONTRARY: dict[str, tuple[str, dict[str, Any], str]] = {
    "enough is called too little": (ENOUGH, {"is_sufficient": False}, "it says not enough"),
    "too little is called enough": (THIN, {"is_sufficient": True}, "it says enough"),
    "it counts wrong": (ENOUGH, {"total_candidates": 3}, "it counts 3 candidates"),
    "its match score is made up": (ENOUGH, {"semantic_match_score": 0.1}, "match score"),
    "it repairs what is enough": (ENOUGH, {"action": "retry_relaxed"}, "it repairs what is enough"),
    "it gives up on what is enough": (ENOUGH, {"action": "fallback"}, "it gives up on what is enough"),
    "it goes on with too few": (THIN, {"action": "proceed"}, "it goes on with too few"),
}


@pytest.mark.parametrize(("text", "change", "words"), CONTRARY.values(), ids=CONTRARY.keys())
def test_a_verdict_that_contradicts(tiny_index: EmbeddedIndex, text: str, change: dict[str, Any], words: str) -> None:
    """The gates, reckoned again, say otherwise; the part says how."""
    step = _step(tiny_index, text, "reflect")
    output: Verdict = step.output.model_copy(update=change)
    found = step.look(output)["consistent"]

    assert found.score <= 0.1
    assert words in found.part


def test_a_repair_that_changes_nothing(tiny_index: EmbeddedIndex) -> None:
    """It says that it loosens, and the session is as it was."""
    step = _step(tiny_index, THIN, "reflect")
    step.before.restore(step.session)
    found = step.look()["consistent"]

    assert "it changes nothing" in found.part


def test_no_round_is_left(tiny_index: EmbeddedIndex) -> None:
    """A repair after the last round."""
    step = _step(tiny_index, THIN, "reflect")
    last = replace(step, resources=resources(tiny_index, Settings(retry=RetrySettings(max_rounds=0))))

    assert "no round is left" in last.look()["consistent"].part


# -- SYNTHESIZE ----------------------------------------------------------------------------------------------------------


def test_words_on_another_subject(tiny_index: EmbeddedIndex) -> None:
    """Hardly a word of them was given."""
    step = _step(tiny_index, "post-punk", "synthesize")
    found = step.look(off_topic(step.output, step.session))["subject"]

    assert found.score < 0.4


def test_words_beyond_the_contract(tiny_index: EmbeddedIndex) -> None:
    """A name or a number that nobody gave; the part is that."""
    step = _step(tiny_index, "post-punk", "synthesize")
    chosen, reply = step.output
    found = step.look((chosen, reply.model_copy(update={"description": "20 tracks like those of Madonna in 1984."})))["closure"]

    assert found.score <= 0.2
    assert "1984" in found.part or "Madonna" in found.part


@pytest.mark.parametrize("where", ["chosen", "reasons"])
def test_a_track_that_was_no_candidate(tiny_index: EmbeddedIndex, where: str) -> None:
    """In the list or among the reasons, though the catalog may hold it."""
    step = _step(tiny_index, "post-punk", "synthesize")
    chosen, reply = step.output
    if where == "chosen":
        chosen = [chosen[0].model_copy(update={"track_id": "adele--hello"}), *chosen[1:]]
    else:
        reason = reply.reasons[0].model_copy(update={"track_id": "adele--hello"})
        reply = reply.model_copy(update={"reasons": (reason, *reply.reasons[1:])})
    found = step.look((chosen, reply))["ids"]

    assert (found.score, found.part) == (0.0, "adele--hello")


def test_drift(tiny_index: EmbeddedIndex) -> None:
    """Nearness as a share of the floor: the same words are on the subject, others are not; the floor moves it."""
    step = _step(tiny_index, "post-punk", "synthesize")
    _, reply = step.output
    near = reply.model_copy(update={"title": "Post-punk", "description": "post-punk"})
    far = off_topic(step.output, step.session)[1]

    def of(said: Any, floor: float) -> float:
        settings = Settings(breaker=BreakerSettings(drift_floor=floor))
        return drift(said, step.session, resources(tiny_index, settings)).score

    assert of(near, 0.25) == 1.0
    assert of(far, 0.25) < 0.8
    assert of(near, 1.0) < 1.0
    assert of(far, -1.0) == 1.0


def test_no_tracks_no_words(tiny_index: EmbeddedIndex) -> None:
    """An answer without tracks has no words to judge."""
    step = _step(tiny_index, "post-punk", "synthesize")

    assert step.look(([], step.output[1].model_copy(update={"reasons": ()}))) == {}


def test_each_node_has_a_validator() -> None:
    """All five; REFLECT's verdict is used by the graph alone, so nobody receives it."""
    assert set(VALIDATORS) == {"understand", "plan", "execute", "reflect", "synthesize"}
    assert set(VALIDATORS) - set(RECEIVED) == {"reflect"}
