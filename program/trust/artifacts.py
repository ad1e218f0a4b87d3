"""Provenance: a node's output wrapped with its hash, parents and versions, and the checks on receipt."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable
from typing import Any, Literal

import orjson
from pydantic import BaseModel

from data.contracts import Artifact, AssertionOutcome, Confidence
from data.errors import StoreError
from program.settings import StoreSettings

SCHEMA_VERSION = "1.0.0"
NODE_VERSIONS = {
    "request": "1",
    "understand": "1",
    "plan": "1",
    "execute": "1",
    "reflect": "1",
    "synthesize": "1",
    "playlist": "1",
    "tool": "1",
    "lm": "1",
    "step": "1",
}
_SUMMARY_CHARS = 50


def new_trace_id(at: float | None = None) -> str:
    """A fresh trace id: 4 hex digits of the hour and 12 random ones.

    The hour makes ids of one time neighbours in the store's indexes, which doubles what it writes a second. Two alike among
    ten thousand of an hour: once in five million hours.

    Args:
        at: seconds since 1970; now, unless given.
    """
    hour = int((time.time() if at is None else at) // 3600)
    return f"{hour & 0xFFFF:04x}{uuid.uuid4().hex[:12]}"


def content_hash(payload: dict[str, object]) -> str:
    """SHA-256 of the payload's canonical JSON (sorted keys)."""
    return hashlib.sha256(orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)).hexdigest()


class Recorder:
    """Makes the artifacts of one session: a chain of nodes, and beside it what a node called on its way.

    Args:
        now: wall clock, seconds since 1970.
        parameters: what every artifact of the session is made with.
        settings: what becomes an artifact, and how much is kept of it.
    """

    def __init__(
        self,
        trace_id: str,
        now: Callable[[], float],
        parameters: dict[str, str],
        settings: StoreSettings | None = None,
    ) -> None:
        self.trace_id = trace_id
        self.artifacts: list[Artifact] = []
        self.settings = settings or StoreSettings()
        self._now = now
        self._parameters = parameters
        self._last: tuple[str, ...] = ()
        self._called: tuple[str, ...] = ()

    def record(
        self,
        node: str,
        output: BaseModel,
        *,
        summary: str,
        assertions: tuple[AssertionOutcome, ...] = (),
        confidence: Confidence | None = None,
        note: str = "",
    ) -> Artifact:
        """Wrap one node's output: a child of the node before, and of what was called since."""
        failed = any(outcome.outcome == "failed" for outcome in assertions)
        made: dict[str, Any] = {"confidence": confidence or Confidence(), "validation": "failed" if failed else "passed"}
        parents = self._last + self._called
        artifact = self._wrap(node, output, parents, summary=summary, assertions=assertions, note=note, **made)
        self._last, self._called = (artifact.artifact_id,), ()
        return artifact

    def record_doubted(self, node: str, output: BaseModel, *, summary: str, confidence: Confidence) -> Artifact:
        """Wrap an output that the breaker stopped: what is made in its place comes from the same parents and from it."""
        parents = self._last + self._called
        artifact = self._wrap(node, output, parents, summary=summary, confidence=confidence, validation="failed")
        self._called += (artifact.artifact_id,)
        return artifact

    def record_call(
        self, kind: Literal["tool", "lm", "step"], call: BaseModel, *, summary: str, failed: bool, parameters: dict[str, str]
    ) -> Artifact:
        """Wrap one call of the node that is running: a child of the node's input, a parent of its output."""
        outcome = "failed" if failed else "passed"
        artifact = self._wrap(kind, call, self._last, summary=summary, validation=outcome, more=parameters)
        self._called += (artifact.artifact_id,)
        return artifact

    def _wrap(
        self,
        node: str,
        output: BaseModel,
        parents: tuple[str, ...],
        *,
        more: dict[str, str] | None = None,
        summary: str,
        **made: Any,
    ) -> Artifact:
        payload = output.model_dump(mode="json", by_alias=True)
        artifact = Artifact(
            artifact_id=f"{self.trace_id}-{len(self.artifacts):02d}", trace_id=self.trace_id, parents=parents,
            node=node, node_version=NODE_VERSIONS[node], schema_version=SCHEMA_VERSION, created_at=self._now(),
            content_hash=content_hash(payload), payload=payload, payload_type=type(output).__name__,
            parameters=self._parameters | (more or {}), summary=summary[:_SUMMARY_CHARS], **made,
        )  # fmt: skip
        self.artifacts.append(artifact)
        return artifact


def verify(artifact: Artifact, known: Callable[[str], bool]) -> None:
    """Check an artifact on receipt.

    Args:
        known: whether the store holds an artifact id.

    Raises:
        StoreError: the content does not match its hash, a parent is missing, or the schema's major version differs.
    """
    if content_hash(artifact.payload) != artifact.content_hash:
        raise StoreError(f"artifact {artifact.artifact_id} does not match its hash")
    missing = [parent for parent in artifact.parents if not known(parent)]
    if missing:
        raise StoreError(f"artifact {artifact.artifact_id} names the unknown parent {missing[0]}")
    if artifact.schema_version.split(".")[0] != SCHEMA_VERSION.split(".")[0]:
        raise StoreError(f"artifact {artifact.artifact_id} has schema {artifact.schema_version}, not {SCHEMA_VERSION}")
