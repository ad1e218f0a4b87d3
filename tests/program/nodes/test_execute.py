from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from data.contracts import Intent, Plan, ToolArgs, ToolCall, ToolName
from data.errors import CatalogIndexError, ToolFailedError
from program.index.engine import EmbeddedIndex
from program.index.protocol import Filter
from program.nodes.execute import ExecuteNode
from program.settings import ExecuteSettings, Settings
from program.state import Session
from program.tools.protocol import Tool, ToolContext
from program.tools.registry import TOOLS
from tests.sessions import constraint, entity, resources, session

POST_PUNK = constraint(0, "genre", "post-punk", strength="core")
Body = Callable[[ToolArgs, ToolContext], Any]


class Stub:
    """A tool made of one function. calls: how often it ran."""

    card = "a stub"

    def __init__(self, body: Body, name: ToolName = "semantic_recall") -> None:
        self.name = name
        self.body = body
        self.calls = 0

    def eligible(self, intent: Intent) -> bool:
        """Always."""
        return True

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Whatever the function gives."""
        self.calls += 1
        result: list[str] = self.body(args, context)
        return result


def _raising(error: Exception) -> Body:
    def body(args: ToolArgs, context: ToolContext) -> list[str]:
        raise error

    return body


def execute(stub: Stub) -> ExecuteNode:
    """The node with the real exact search and a stub in the place of recall by meaning."""
    tools: dict[ToolName, Tool] = {"catalog_search": TOOLS["catalog_search"], stub.name: stub}
    return ExecuteNode(tools)


def _planned(intent: Intent, *tools: ToolName, deadline_ms: int = 2000, limit: int = 100) -> Session:
    """A session whose plan asks each tool for the intent's constraints."""
    made = session("x", intent)
    args = ToolArgs(constraints=intent.constraints, limit=limit)
    calls = tuple(ToolCall(tool=tool, args=args, deadline_ms=deadline_ms) for tool in tools)
    made.plan = Plan(routes=calls)
    return made


BOTH: tuple[ToolName, ToolName] = ("catalog_search", "semantic_recall")
DISCOVER = Intent(kind="discover", constraints=(POST_PUNK,))


def test_two_tools_are_merged(tiny_index: EmbeddedIndex) -> None:
    """A track that both tools return stands first; every candidate carries its ranks and its marks."""
    stub = Stub(lambda args, context: context.keep([tiny_index.by_ids(["theyr--rudolf"])["theyr--rudolf"].row]))
    made = _planned(DISCOVER, *BOTH)
    found = execute(stub)(made, resources(tiny_index))

    assert found.candidates[0].track_id == "theyr--rudolf"
    assert set(found.candidates[0].route_ranks) == set(BOTH)
    assert [result.ok for result in found.results] == [True, True]
    assert all(candidate.satisfies == {"c0": "yes"} for candidate in found.candidates)
    assert made.found is found
    assert set(made.entries) >= {candidate.track_id for candidate in found.candidates}


@pytest.mark.parametrize(
    ("body", "kind", "calls"),
    [
        (_raising(ToolFailedError("index gone")), "unavailable", 2),
        (_raising(ConnectionResetError("reset")), "unavailable", 2),
        (_raising(CatalogIndexError("damaged")), "unavailable", 1),
        (_raising(ValueError("no seed")), "bad_args", 1),
        (_raising(RuntimeError("boom")), "malformed", 1),
        (_raising(KeyError("x")), "malformed", 1),
        (_raising(AssertionError()), "malformed", 1),
        (lambda args, context: None, "malformed", 1),
        (lambda args, context: 7, "malformed", 1),
    ],
    ids=[
        "dead",
        "connection lost",
        "damaged index",
        "wrong arguments",
        "broken",
        "broken look-up",
        "broken assertion",
        "returns nothing at all",
        "returns a number",
    ],
)
def test_a_failing_tool_takes_nothing_with_it(tiny_index: EmbeddedIndex, body: Body, kind: str, calls: int) -> None:
    """The other tool's tracks still come, the fault has its kind, and only infrastructure is tried again."""
    stub = Stub(body)
    found = execute(stub)(_planned(DISCOVER, *BOTH), resources(tiny_index))
    expected = tiny_index.count(Filter(constraints=(POST_PUNK,)))

    assert len(found.candidates) == expected
    assert [result.ok for result in found.results] == [True, False]
    assert found.results[1].error is not None
    assert found.results[1].error.kind == kind
    assert found.results[1].tracks == ()
    assert "\n" not in found.results[1].error.message
    assert stub.calls == calls


def test_a_tool_that_returns_no_text_is_malformed(tiny_index: EmbeddedIndex) -> None:
    """Rows instead of ids are the tool's fault, not its caller's."""
    found = execute(Stub(lambda args, context: [1, 2, 3]))(_planned(DISCOVER, *BOTH), resources(tiny_index))

    assert found.results[1].error is not None
    assert found.results[1].error.kind == "malformed"


def test_invented_ids_are_never_candidates(tiny_index: EmbeddedIndex) -> None:
    """Ids that the catalog does not hold fall out of the merge and leave the others alone."""
    made = _planned(DISCOVER, *BOTH)
    found = execute(Stub(lambda args, context: ["nobody--nothing", "'; drop table", ""]))(made, resources(tiny_index))
    ids = [candidate.track_id for candidate in found.candidates]

    assert set(tiny_index.by_ids(ids)) == set(ids)
    assert len(ids) == tiny_index.count(Filter(constraints=(POST_PUNK,)))


def test_a_tool_that_returns_only_invented_ids_is_malformed(tiny_index: EmbeddedIndex) -> None:
    """Nothing but unknown ids is a fault of the tool and is told as one."""
    stub = Stub(lambda args, context: ["nobody--nothing"])
    found = execute(stub)(_planned(DISCOVER, "semantic_recall"), resources(tiny_index))

    assert not found.results[0].ok
    assert found.results[0].error is not None
    assert found.results[0].error.kind == "malformed"


def test_a_flaky_tool_is_tried_again(tiny_index: EmbeddedIndex) -> None:
    """One failure of the infrastructure is not seen from outside; how often to try is a setting."""

    def once_dead(args: ToolArgs, context: ToolContext) -> list[str]:
        if stub.calls == 1:
            raise ToolFailedError("hiccup")
        return context.keep([0])

    stub = Stub(once_dead)
    intent = Intent(kind="discover", free_text="rain")
    found = execute(stub)(_planned(intent, "semantic_recall"), resources(tiny_index))
    assert (found.results[0].ok, stub.calls) == (True, 2)

    stub = Stub(once_dead)
    never = Settings(execute=ExecuteSettings(transport_retries=0))
    found = execute(stub)(_planned(intent, "semantic_recall"), resources(tiny_index, never))
    assert (found.results[0].ok, stub.calls) == (False, 1)


@pytest.fixture
def late_errors(monkeypatch: pytest.MonkeyPatch) -> list[BaseException | None]:
    """What threads raise after the answer has gone."""
    errors: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda given: errors.append(given.exc_value))
    return errors


def _wait_for_tools() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("melo-"):
            thread.join(20)


def test_a_slow_tool_is_left_behind(tiny_index: EmbeddedIndex, late_errors: list[BaseException | None]) -> None:
    """Past its deadline a tool is a timeout, the other tool's tracks come, and what it finds later changes nothing."""
    release = threading.Event()

    def slow(args: ToolArgs, context: ToolContext) -> list[str]:
        release.wait(20)
        return context.keep([tiny_index.by_ids(["toto--africa"])["toto--africa"].row])

    made = _planned(DISCOVER, *BOTH, deadline_ms=40)
    found = execute(Stub(slow))(made, resources(tiny_index))
    release.set()
    _wait_for_tools()

    assert [result.ok for result in found.results] == [True, False]
    assert found.results[1].error is not None
    assert found.results[1].error.kind == "timeout"
    assert len(found.candidates) == tiny_index.count(Filter(constraints=(POST_PUNK,)))
    assert "toto--africa" not in made.entries


def test_a_late_result_is_dropped_in_silence(tiny_index: EmbeddedIndex, late_errors: list[BaseException | None]) -> None:
    """A tool that ends after its deadline leaves nothing behind, no traceback either."""
    release = threading.Event()
    execute(Stub(lambda args, context: [str(release.wait(20))]))(_planned(DISCOVER, *BOTH, deadline_ms=20), resources(tiny_index))
    release.set()
    _wait_for_tools()

    assert late_errors == []


def test_hanging_tools_do_not_starve_later_requests(tiny_index: EmbeddedIndex, late_errors: list[BaseException | None]) -> None:
    """A healthy tool answers, however many calls of another one are still hanging."""
    release = threading.Event()
    hanging: list[ToolName] = ["semantic_recall"] * 8
    node = execute(Stub(lambda args, context: [str(release.wait(20))]))
    try:
        node(_planned(DISCOVER, *hanging, deadline_ms=20), resources(tiny_index))
        found = node(_planned(DISCOVER, "catalog_search", deadline_ms=500), resources(tiny_index))
    finally:
        release.set()
        _wait_for_tools()

    assert [result.ok for result in found.results] == [True]


def test_a_tool_that_nobody_registered(tiny_index: EmbeddedIndex) -> None:
    """A plan that names a missing tool gets what the others find, and the fault."""
    found = execute(Stub(_raising(RuntimeError())))(_planned(DISCOVER, "similar_tracks", "catalog_search"), resources(tiny_index))

    assert [result.ok for result in found.results] == [False, True]
    assert found.results[0].error is not None
    assert found.results[0].error.kind == "unavailable"
    assert found.candidates


def test_all_tools_dead_is_an_empty_set(tiny_index: EmbeddedIndex) -> None:
    """Without any tool there are no candidates and no exception."""
    stub = Stub(_raising(ToolFailedError("gone")))
    found = execute(stub)(_planned(DISCOVER, "semantic_recall", "semantic_recall"), resources(tiny_index))

    assert found.candidates == ()
    assert [result.ok for result in found.results] == [False, False]


def test_a_plan_without_routes(tiny_index: EmbeddedIndex) -> None:
    """A plan that the guards have emptied gives an empty set."""
    found = execute(Stub(_raising(RuntimeError())))(_planned(DISCOVER), resources(tiny_index))

    assert (found.candidates, found.results) == ((), ())


def _everything(args: ToolArgs, context: ToolContext) -> list[str]:
    return context.keep(list(range(context.index.info.tracks)))


@pytest.mark.parametrize(
    ("intent", "banned"),
    [
        (DISCOVER, {"toto--africa", "mystery-tape--sidea"}),
        (Intent(kind="discover", constraints=(constraint(0, "genre", "post-punk", op="not"),)), {"theyr--rudolf"}),
        (
            Intent(
                kind="discover",
                entities=(entity("artist", "toto", "exclude"), entity("track", "kukl--dismembered", "exclude", 1)),
            ),
            {"toto--africa", "toto--rosanna", "kukl--dismembered"},
        ),
        (Intent(kind="discover"), {"taylor-swift--lovestory"}),
    ],
    ids=["a constraint", "an exclusion", "excluded names", "not playable"],
)  # fmt: skip
def test_a_rogue_tool_cannot_break_the_hard_limits(tiny_index: EmbeddedIndex, intent: Intent, banned: set[str]) -> None:
    """Whatever a tool returns, exclusions, the round's constraints and playability hold on the merged set."""
    found = execute(Stub(_everything))(_planned(intent, "semantic_recall"), resources(tiny_index))
    ids = {candidate.track_id for candidate in found.candidates}

    assert ids
    assert not ids & banned


def test_an_excluded_album_is_a_hard_limit(tiny_index: EmbeddedIndex) -> None:
    """Tracks of an album that the request excludes never come back."""
    intent = Intent(kind="discover", entities=(entity("album", "moby/play", "exclude"),))
    found = execute(Stub(_everything))(_planned(intent, "semantic_recall"), resources(tiny_index))

    assert "moby--porcelain" not in {candidate.track_id for candidate in found.candidates}


@pytest.mark.parametrize(
    ("intent", "expected"),
    [
        (Intent(kind="discover"), {"kate-bush--runningupthathill", "placebo--runningupthathill"}),
        (
            Intent(kind="discover", constraints=(constraint(0, "version", "live"),)),
            {"kate-bush--runningupthathilllive"},
        ),
        (
            Intent(kind="play", entities=(entity("track", "kate-bush--runningupthathill"),)),
            {
                "kate-bush--runningupthathill",
                "kate-bush--runningupthathilllive",
                "placebo--runningupthathill",
            },
        ),
    ],
    ids=["one a recording", "a version was asked for", "a track was named"],
)
def test_versions_collapse_unless_asked_for(tiny_index: EmbeddedIndex, intent: Intent, expected: set[str]) -> None:
    """One candidate a recording and artist, but all of them where versions or a track were named."""
    found = execute(Stub(_everything))(_planned(intent, "semantic_recall"), resources(tiny_index))

    assert {c.track_id for c in found.candidates if "runningup" in c.track_id} == expected


def test_the_same_plan_gives_the_same_candidates(tiny_index: EmbeddedIndex) -> None:
    """Parallel tools do not change the order from run to run."""
    node = ExecuteNode()
    runs = []
    for _ in range(3):
        made = session("x", DISCOVER)
        recall = ToolArgs(constraints=(POST_PUNK,), query="cold dark music")
        made.plan = Plan(routes=(ToolCall(tool="catalog_search", args=recall), ToolCall(tool="semantic_recall", args=recall)))
        runs.append(node(made, resources(tiny_index)).candidates)

    assert runs[0] == runs[1] == runs[2]
    assert runs[0]
