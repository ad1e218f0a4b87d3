from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from data.contracts import Artifact, AssertionOutcome, Intent, Relaxation, Reply
from data.errors import StoreError
from program.trust.artifacts import SCHEMA_VERSION, Recorder, content_hash, new_trace_id, verify


def _recorder() -> Recorder:
    ticks = iter(range(100, 200))
    return Recorder("feed", lambda: float(next(ticks)), {"settings": "abc", "catalog": "def"})


def test_hash_is_of_the_canonical_json() -> None:
    """The hash is SHA-256 of compact JSON with sorted keys, so anyone can recount it."""
    payload: dict[str, object] = {"b": [1, 2.5, None], "a": {"z": "周杰伦", "y": True}}
    canonical = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    assert content_hash(payload) == hashlib.sha256(canonical).hexdigest()
    assert content_hash(dict(reversed(payload.items()))) == content_hash(payload)


def test_artifacts_of_a_session_form_a_chain() -> None:
    """Each artifact is a child of the one before and carries time, versions and parameters."""
    recorder = _recorder()
    first = recorder.record("request", Intent(kind="other"), summary="one")
    second = recorder.record("understand", Intent(kind="play", size=3), summary="two")

    assert (first.artifact_id, first.parents, first.created_at) == ("feed-00", (), 100.0)
    assert (second.artifact_id, second.parents, second.created_at) == ("feed-01", ("feed-00",), 101.0)
    assert second.payload_type == "Intent"
    assert second.schema_version == SCHEMA_VERSION
    assert second.parameters == {"settings": "abc", "catalog": "def"}
    assert recorder.artifacts == [first, second]


def test_payload_uses_the_names_of_the_contract() -> None:
    """The payload is the output's JSON under its public names, and reads back as the same output."""
    relaxation = Relaxation.model_validate(
        {"relaxation_id": "x0", "constraint_id": "c0", "op": "drop", "from": ["IS"], "gain": 3, "cost": 0.5}
    )
    artifact = _recorder().record("reflect", relaxation, summary="")

    assert artifact.payload["from"] == ["IS"]
    assert Relaxation.model_validate(artifact.payload) == relaxation


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [([], "passed"), (["passed", "repaired", "off"], "passed"), (["passed", "failed"], "failed")],
    ids=["none", "all held in the end", "one failed"],
)
def test_validation_follows_the_assertions(outcomes: list[Any], expected: str) -> None:
    """An artifact is marked failed exactly when one of its assertions failed for good."""
    assertions = tuple(AssertionOutcome(name=f"a{n}", outcome=outcome) for n, outcome in enumerate(outcomes))
    artifact = _recorder().record("understand", Intent(kind="play"), summary="", assertions=assertions)

    assert artifact.validation == expected
    assert artifact.assertions == assertions


def test_a_long_summary_is_cut() -> None:
    """The summary keeps its first fifty characters."""
    artifact = _recorder().record("synthesize", Reply(title="t", description="d"), summary="x" * 49 + "yz")

    assert artifact.summary == "x" * 49 + "y"


def test_trace_ids_differ() -> None:
    """Trace ids are sixteen hex digits and do not repeat; those of one hour stand together, before those of the next."""
    ids = {new_trace_id(7_200.0 + number) for number in range(50)}
    later = {new_trace_id(10_800.0 + number) for number in range(50)}

    assert len(ids | later) == 100
    assert all(len(name) == 16 and int(name, 16) >= 0 for name in ids | later | {new_trace_id()})
    assert max(ids) < min(later)


def _sound() -> Artifact:
    recorder = _recorder()
    recorder.record("request", Intent(kind="other"), summary="")
    return recorder.record("understand", Intent(kind="play", free_text="rain"), summary="")


def test_verify_accepts_a_sound_artifact() -> None:
    """An untouched artifact with a known parent passes, also after a round trip through JSON."""
    artifact = _sound()
    verify(artifact, {"feed-00"}.__contains__)
    verify(Artifact.model_validate_json(artifact.model_dump_json()), {"feed-00"}.__contains__)

    assert artifact.parents == ("feed-00",)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"payload": {"kind": "play"}}, "does not match its hash"),
        ({"payload": Intent(kind="play", free_text="Rain").model_dump(mode="json")}, "does not match its hash"),
        ({"content_hash": "0" * 64}, "does not match its hash"),
        ({"parents": ("feed-00", "feed-77")}, "unknown parent feed-77"),
        ({"schema_version": "2.0.0"}, "has schema 2.0.0"),
    ],
    ids=["payload replaced", "one letter of the payload", "hash", "parent", "schema"],
)
def test_verify_detects(change: dict[str, Any], complaint: str) -> None:
    """Each way to tamper with what an artifact says or where it comes from is told by name."""
    with pytest.raises(StoreError, match=complaint):
        verify(_sound().model_copy(update=change), {"feed-00"}.__contains__)


def test_verify_accepts_another_minor_schema() -> None:
    """Only the major version of the schema must agree."""
    newer = _sound().model_copy(update={"schema_version": "1.9.0"})
    verify(newer, {"feed-00"}.__contains__)

    assert newer.schema_version != SCHEMA_VERSION
