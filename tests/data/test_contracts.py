from __future__ import annotations

import inspect
from typing import Any

import pytest
from pydantic import ValidationError

import data.contracts as contracts
from data.contracts import (
    Artifact,
    AssertionOutcome,
    Candidate,
    CandidateSet,
    Clarification,
    Confidence,
    Constraint,
    Contract,
    ContractTrack,
    EntityRef,
    Evidence,
    Fallback,
    GateReport,
    GuardHit,
    Handover,
    Intent,
    LedgerEntry,
    Option,
    Plan,
    Playlist,
    PlaylistTrack,
    Relaxation,
    Reply,
    ReplyContract,
    TaskState,
    ToolArgs,
    ToolCall,
    ToolError,
    ToolResult,
    TrackReason,
    Usage,
    Verdict,
)

EVIDENCE = Evidence(
    evidence_id="e0", surface="Toto's", span=(5, 11), entity_type="artist", entity_id="toto", name="Toto",
    artists=(), match="exact", available_tracks=3, popularity=0.8, works=("Africa", "Rosanna"), rivals=1, support=0.9,
)  # fmt: skip
ENTITY = EntityRef(evidence_id="e0", entity_id="toto", entity_type="artist", name="Toto", role="exclude")
CONSTRAINT = Constraint(
    constraint_id="c0", facet="era", op="range", values=("", "1985"), strength="core", span=(3, 9), surface="bis 85 ☂",
    unknown_ok=True,
)  # fmt: skip
INTENT = Intent(
    kind="similar", entities=(ENTITY,), absent=("Zorblax",), constraints=(CONSTRAINT,), free_text="ceiling",
    unwanted=("skits",), minutes=30, order="newest", personal="liked", period="last-week", size=7, locale="zh",
    ambiguity=("e0", "e1"),
)  # fmt: skip
ARGS = ToolArgs(
    track_ids=("t",), artist_ids=("a",), album_ids=("b",), constraints=(CONSTRAINT,), exclude_track_ids=("x",),
    exclude_artist_ids=("y",), exclude_album_ids=("z",), query="cold", words="kalt", tags=("night",),
    soundtrack_of="A Film", period="2019", most_played=True, limit=9,
)  # fmt: skip
CALL = ToolCall(tool="semantic_recall", args=ARGS, serves=("c0",), weight=0.5, deadline_ms=100)
HIT = GuardHit(guard="verb_prefix", message="play is the command", words="play", remedy="drop", target="moby")
ERROR = ToolError(kind="timeout", message="no answer within 100 ms")
RESULT = ToolResult(tool="catalog_search", ok=False, tracks=("t",), sources={"t": "content"}, error=ERROR, latency_ms=1.5)
CANDIDATE = Candidate(
    track_id="t", score=0.25, route_ranks={"catalog_search": 3}, satisfies={"c0": "unknown"},
    sources={"similar_tracks": "both"}, features={"lead": 1.0},
)  # fmt: skip
RELAXATION = Relaxation.model_validate(
    {"relaxation_id": "x0", "constraint_id": "c0", "op": "widen", "from": ("IS",), "to": ("nordic",), "gain": 4, "cost": 0.25}
    | {"label": "Nordic"}
)
LEDGER = LedgerEntry.model_validate(
    {"constraint_id": "c0", "facet": "region", "state": "widened", "from": ("IS",), "to": ("nordic",), "why": "too few"}
    | {"round": 1, "share": 0.5}
)
CONTRACT_TRACK = ContractTrack(
    ref="t1", track_id="t", title="Africa", artists=("Toto",), year=1982, facts=("1982",), cites=("c0",),
    heard=("a line",), state={"liked_at": "2026-03-17"},
)  # fmt: skip
TASK = TaskState(kind="play", names=("Toto",), conditions=("era 1982",), asked=3, round=1)
REASON = TrackReason(track_id="t", text="asked for", citations=("c0", "e0"))
OPTION = Option(option_id="o1", label="Hello by Adele", entity_type="track", entity_id="adele--hello")
CLARIFICATION = Clarification(question="Which one?", options=(OPTION, Option(option_id="o2", label="neither")))
FALLBACK = Fallback(node="guard", kind="policy", code="bad_request", message="empty", reason="unsupported", owner="listener")
HANDOVER = Handover(reason="answer_cut", owner="reviewer", summary="taken out: the number 9")
USAGE = Usage(calls=1, prompt_tokens=20, cached_tokens=10, completion_tokens=3, seconds=0.5, cost_usd=None)
TRACK = PlaylistTrack(
    track_id="t", title="晴天", artists=("Jay Chou",), album="叶惠美", year=2003, reason="asked for", citations=("t",)
)
CONFIDENCE = Confidence(own=0.7, validator=None, final=0.7)
OUTCOME = AssertionOutcome(name="known_ids", outcome="repaired", message="e9 was not offered")

EXAMPLES: tuple[Contract, ...] = (
    EVIDENCE,
    ENTITY,
    CONSTRAINT,
    INTENT,
    ARGS,
    CALL,
    Plan(routes=(CALL,), round=2, guard_hits=(HIT,), revised_from="round 1"),
    HIT,
    ERROR,
    RESULT,
    CANDIDATE,
    GateReport(total=3, needed=30, size_ok=False, coverage={"c0": 0.5}, coverage_ok=True),
    CandidateSet(candidates=(CANDIDATE,), results=(RESULT,), counts={"fused": 1}),
    RELAXATION,
    Verdict(
        action="retry_relaxed", is_sufficient=False, total_candidates=3, semantic_match_score=0.5, relaxation_ids=("x0",),
        corrected_understanding=INTENT, reason="thin", suggestion="widen the region",
    ),
    LEDGER,
    CONTRACT_TRACK,
    ReplyContract(
        request="晴天", tracks=(CONTRACT_TRACK,), sources=("catalog",), tools_used=("catalog_search",),
        user_state_keys=("liked",), policy=("p",), locale="zh", prior_observations=("o",), ledger=(LEDGER,),
        task=TASK, unavailable=("no_lyrics: none are held",), render=("layout",),
    ),
    REASON,
    Reply(title="Rain", description="d", reasons=(REASON,), render={"cover": "grey"}),
    TRACK,
    OPTION,
    CLARIFICATION,
    FALLBACK,
    HANDOVER,
    TASK,
    USAGE,
    Playlist(
        status="partial", tracks=(TRACK,), title="Rain", description="d", ledger=(LEDGER,), clarification=CLARIFICATION,
        trace_id="T", path="lm", timings_ms={"total": 1.5}, usage={"plan": USAGE}, fallback=(FALLBACK,), message="m",
        handover=HANDOVER,
    ),
    CONFIDENCE,
    OUTCOME,
    Artifact(
        artifact_id="A", trace_id="T", parents=("B",), node="plan", node_version="1", schema_version="1", created_at=2.5,
        content_hash="0f", payload={"routes": [], "round": 0}, payload_type="Plan", confidence=CONFIDENCE,
        validation="passed", assertions=(OUTCOME,), parameters={"lm": "none"}, summary="s", note="n",
    ),
)  # fmt: skip
BY_CLASS = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)


def test_every_contract_has_an_example() -> None:
    """A contract cannot be added without an example here."""
    members = inspect.getmembers(contracts, inspect.isclass)
    defined = {cls for _, cls in members if issubclass(cls, Contract) and cls is not Contract}

    assert {type(example) for example in EXAMPLES} == defined


@BY_CLASS
def test_examples_say_everything(example: Contract) -> None:
    """The examples set every field, so the round trips below leave none out."""
    named = {name for name, field in type(example).model_fields.items() if not field.is_required()}

    assert named <= example.model_fields_set


@BY_CLASS
@pytest.mark.parametrize("by_alias", [True, False], ids=["by alias", "by name"])
def test_json_round_trip(example: Contract, by_alias: bool) -> None:
    """A contract written as JSON reads back equal, types of nested values included."""
    back = type(example).model_validate_json(example.model_dump_json(by_alias=by_alias))

    assert back == example
    assert repr(back) == repr(example)


@BY_CLASS
def test_frozen(example: Contract) -> None:
    """No field can be set after the fact."""
    name = next(iter(type(example).model_fields))

    with pytest.raises(ValidationError, match="frozen"):
        setattr(example, name, getattr(example, name))


@BY_CLASS
def test_unknown_keys_are_refused(example: Contract) -> None:
    """A key that the contract does not name is an error, not a silent loss."""
    with pytest.raises(ValidationError, match="surprise"):
        type(example).model_validate({**example.model_dump(), "surprise": 1})


@pytest.mark.parametrize(
    ("example", "change"),
    [
        (EVIDENCE, {"popularity": 1.01}),
        (EVIDENCE, {"support": -0.1}),
        (EVIDENCE, {"match": "guessed"}),
        (EVIDENCE, {"entity_type": "composer"}),
        (EVIDENCE, {"span": (1,)}),
        (ENTITY, {"role": "both"}),
        (CONSTRAINT, {"facet": "colour"}),
        (CONSTRAINT, {"op": "like"}),
        (INTENT, {"size": 0}),
        (INTENT, {"size": 101}),
        (INTENT, {"kind": "dance"}),
        (ARGS, {"limit": 201}),
        (CALL, {"tool": "web_search"}),
        (CALL, {"weight": 0}),
        (CALL, {"deadline_ms": 0}),
        (RELAXATION, {"cost": 1.5}),
        (RELAXATION, {"gain": -1}),
        (LEDGER, {"round": 3}),
        (CLARIFICATION, {"options": [OPTION.model_dump()] * 5}),
        (CONFIDENCE, {"final": 2}),
        (EXAMPLES[-1], {"summary": "x" * 51}),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else type(value).__name__,
)
def test_out_of_range(example: Contract, change: dict[str, Any]) -> None:
    """Values outside their range or their closed set are refused."""
    with pytest.raises(ValidationError, match=next(iter(change))):
        type(example).model_validate({**example.model_dump(), **change})


def test_from_is_the_json_name() -> None:
    """`from` is a Python word, so only JSON calls it that; both names are read."""
    assert RELAXATION.model_dump(by_alias=True)["from"] == ("IS",)
    assert LedgerEntry.model_validate({"constraint_id": "c0", "facet": "era", "state": "kept", "from": ["x"]}).from_ == ("x",)


def test_by_role() -> None:
    """Entities are picked by any of several roles, in the order of the request."""
    roles = ("target", "seed", "exclude", "target")
    entities = tuple(ENTITY.model_copy(update={"role": role, "name": str(place)}) for place, role in enumerate(roles))
    intent = Intent(kind="play", entities=entities)

    assert [entity.name for entity in intent.by_role("target", "seed")] == ["0", "1", "3"]
    assert intent.by_role("context") == ()
