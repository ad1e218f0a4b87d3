"""Every node, tool call and LM call becomes an artifact that knows where it came from, and none of it changes an answer."""

from __future__ import annotations

from typing import Any

import pytest

from data.contracts import Artifact, CandidateSet, Constraint, Intent, Plan, Playlist, ToolArgs, ToolCall, ToolError, ToolResult
from program.index.engine import EmbeddedIndex
from program.recording import record
from program.settings import Settings, StoreSettings
from program.trust.artifacts import Recorder, content_hash, verify
from tests.scripted import dead_lm
from tests.sessions import KeptStore, constraint, entity, melo, number_of, scripted, session, verdict, words

THIN = "niche Icelandic post-punk"
RULES = [
    ("plan", lambda p: {"routes": [number_of(p, "exact search")]}),
    ("reflect", lambda p: verdict("retry_relaxed", number_of(p, "to any"))),
    ("synthesize", [words("Made up by nobody", "Words that nobody gave."), words()]),
]


def _kept(index: EmbeddedIndex, lm: Any = None, **store: object) -> tuple[list[Artifact], Playlist]:
    kept = KeptStore()
    settings = Settings(store=StoreSettings.model_validate(store), head_shortcut=lm is None)
    playlist = melo(index, lm, settings, store=kept)(request=THIN).playlist
    return kept.artifacts, playlist


def _plain(playlist: Playlist) -> dict[str, Any]:
    own = playlist.model_dump(mode="json", exclude={"trace_id", "timings_ms"})
    for usage in own["usage"].values():
        usage.pop("seconds")
    return own


def test_every_tool_call_is_an_artifact(tiny_index: EmbeddedIndex) -> None:
    """Tool calls are children of the plan and parents of the candidates, in the order of the plan, round by round."""
    artifacts, _ = _kept(tiny_index)
    by_id = {artifact.artifact_id: artifact for artifact in artifacts}
    rounds = [artifact for artifact in artifacts if artifact.node == "execute"]

    assert len(rounds) == 2
    for executed in rounds:
        plan, *calls = (by_id[parent] for parent in executed.parents)
        assert plan.node == "plan"
        assert {(call.node, call.parents) for call in calls} == {("tool", (plan.artifact_id,))}
        assert [call.payload["tool"] for call in calls] == [route["tool"] for route in plan.payload["routes"]]
        assert [call.payload["found"] for call in calls] == [len(result["tracks"]) for result in executed.payload["results"]]
        assert [call.parameters["tool"] for call in calls] == [call.payload["tool"] for call in calls]


def test_every_lm_call_is_an_artifact(tiny_index: EmbeddedIndex) -> None:
    """Each with model, parameters, hashes, tokens and reply; a repair turn is one more parent of the same output."""
    lm, engine = scripted([("understand", {"reading": "r0", "add": [], "drop": [], "unsure": [], "name": ""}), *RULES])
    artifacts, playlist = _kept(tiny_index, lm)
    calls = [artifact for artifact in artifacts if artifact.node == "lm"]
    by_id = {artifact.artifact_id: artifact for artifact in artifacts}
    written = next(artifact for artifact in artifacts if artifact.node == "synthesize")

    assert [call.payload["node"] for call in calls] == [prompt.node for prompt in engine.prompts]
    assert len(calls) == sum(usage.calls for usage in playlist.usage.values())
    assert sum(call.payload["prompt_tokens"] for call in calls) == sum(use.prompt_tokens for use in playlist.usage.values())
    assert [by_id[parent].node for parent in written.parents] == ["reflect", "lm", "lm"]
    for call in calls:
        assert call.parameters["model"] == call.payload["model"] != ""
        assert call.payload["parameters"].items() <= call.parameters.items()
        assert "max_tokens" in call.payload["parameters"]
        assert len(call.payload["prompt_sha256"]) == len(call.payload["reply_sha256"]) == 64
        assert THIN.split()[1] in call.payload["prompt"] or call.payload["node"] != "understand"
        assert call.payload["reply"]


def test_an_lm_call_that_failed(tiny_index: EmbeddedIndex) -> None:
    """A dead model leaves an artifact that says so, without a reply."""
    artifacts, _ = _kept(tiny_index, dead_lm())
    calls = [artifact for artifact in artifacts if artifact.node == "lm"]

    assert calls
    assert {call.validation for call in calls} == {"failed"}
    assert all(call.payload["fault"] and not call.payload["reply_sha256"] for call in calls)


@pytest.mark.parametrize("with_lm", [False, True])
def test_the_chain_is_whole(tiny_index: EmbeddedIndex, with_lm: bool) -> None:
    """Every artifact passes the checks on receipt, and all but the answer went into something."""
    artifacts, playlist = _kept(tiny_index, scripted(RULES_FOR_ALL)[0] if with_lm else None)
    names = {artifact.artifact_id for artifact in artifacts}
    for artifact in artifacts:
        verify(artifact, names.__contains__)
        assert len(artifact.summary) <= 50
    parents = {parent for artifact in artifacts for parent in artifact.parents}

    assert names - parents == {artifacts[-1].artifact_id}
    assert artifacts[-1].payload["trace_id"] == playlist.trace_id
    assert [artifact.artifact_id for artifact in artifacts if not artifact.parents] == [artifacts[0].artifact_id]


RULES_FOR_ALL = [("understand", {"reading": "r0", "add": [], "drop": [], "unsure": [], "name": ""}), *RULES]


@pytest.mark.parametrize(("switch", "node"), [("tools", "tool"), ("lm_calls", "lm")])
def test_switches_leave_the_answer_as_it_is(tiny_index: EmbeddedIndex, switch: str, node: str) -> None:
    """With a switch off its artifacts are not made, the others are, and the answer is the same."""
    kept, playlist = _kept(tiny_index, scripted(RULES_FOR_ALL)[0])
    fewer, same = _kept(tiny_index, scripted(RULES_FOR_ALL)[0], **{switch: False})

    assert [artifact.node for artifact in fewer] == [artifact.node for artifact in kept if artifact.node != node]
    assert node in {artifact.node for artifact in kept}
    assert _plain(same) == _plain(playlist)


@pytest.mark.parametrize("chars", [0, 10, 2_000])
def test_prompts_are_kept_up_to_a_bound(tiny_index: EmbeddedIndex, chars: int) -> None:
    """Of prompt and reply the beginning is kept, up to the setting, and the hash of the whole."""
    whole = [one.payload for one in _kept(tiny_index, scripted(RULES_FOR_ALL)[0], prompt_chars=20_000)[0] if one.node == "lm"]
    cut = [one.payload for one in _kept(tiny_index, scripted(RULES_FOR_ALL)[0], prompt_chars=chars)[0] if one.node == "lm"]

    assert [one["prompt"] for one in cut] == [one["prompt"][:chars] for one in whole]
    assert [one["reply"] for one in cut] == [one["reply"][:chars] for one in whole]
    assert [one["reply_sha256"] for one in cut] == [one["reply_sha256"] for one in whole]
    assert all(one["prompt_chars"] == len(one["prompt"]) for one in whole)


def test_a_tool_call_is_bounded() -> None:
    """Of long lists the first fifty names are kept, and how many there were; a failed tool is a failed artifact."""
    names = tuple(f"t{number}" for number in range(200))
    state = session("anything")
    args = ToolArgs(exclude_track_ids=names, query="rain", limit=200)
    state.plan = Plan(routes=(ToolCall(tool="semantic_recall", args=args), ToolCall(tool="catalog_search", args=ToolArgs())))
    results = (
        ToolResult(tool="semantic_recall", ok=True, tracks=names, latency_ms=1.0),
        ToolResult(tool="catalog_search", ok=False, error=ToolError(kind="timeout", message="late"), latency_ms=2.0),
    )
    recorder = Recorder("feed", lambda: 1.0, {})
    record(recorder, "execute", CandidateSet(candidates=(), results=results), state)
    found, late, _ = recorder.artifacts

    assert found.payload["args"] == {"exclude_track_ids": list(names[:50]), "query": "rain", "limit": 200}
    assert (found.payload["tracks"], found.payload["found"]) == (list(names[:50]), 200)
    assert (found.validation, late.validation) == ("passed", "failed")
    assert (found.summary, late.summary) == ("semantic_recall: 200 tracks", "catalog_search: timeout")
    assert found.content_hash == content_hash(found.payload)


def test_the_note_to_downstream() -> None:
    """UNDERSTAND's artifact says what must be kept and what may be loosened."""
    asked: tuple[Constraint, ...] = (
        constraint(0, "genre", "post-punk", strength="core"), constraint(1, "region", "IS"),
        constraint(2, "genre", "metal", op="not", strength="core"),
    )  # fmt: skip
    intent = Intent(kind="play", constraints=asked, entities=(entity("artist", "low", "exclude"),), unwanted=("skits",))
    recorder = Recorder("feed", lambda: 1.0, {})
    record(recorder, "understand", intent, session("anything", intent))
    keep, bend = recorder.artifacts[0].note.split("; ")

    assert keep.startswith("keep: exclude Low, genre ")
    assert "no genre" in keep
    assert "nothing with skits" in keep
    assert bend == "may loosen: region Iceland"
