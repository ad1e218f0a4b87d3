"""Provenance: a node's output wrapped with its hash, parents and versions, and the checks on receipt."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable

import orjson
from pydantic import BaseModel

from data.contracts import Artifact, AssertionOutcome, Confidence
from data.errors import StoreError

SCHEMA_VERSION = "1.0.0"
NODE_VERSIONS = {
    "request": "1",
    "understand": "1",
    "plan": "1",
    "execute": "1",
    "reflect": "1",
    "synthesize": "1",
    "playlist": "1",
}
_SUMMARY_CHARS = 50


def new_trace_id() -> str:
    """A fresh trace id: 16 hex digits."""
    return uuid.uuid4().hex[:16]


def content_hash(payload: dict[str, object]) -> str:
    """SHA-256 of the payload's canonical JSON (sorted keys)."""
    return hashlib.sha256(orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)).hexdigest()


class Recorder:
    """Makes the artifacts of one session, each a child of the one before unless parents are given.

    Args:
        now: wall clock, seconds since 1970.
    """

    def __init__(self, trace_id: str, now: Callable[[], float], parameters: dict[str, str]) -> None:
        self.trace_id = trace_id
        self.artifacts: list[Artifact] = []
        self._now = now
        self._parameters = parameters

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
        """Wrap one output."""
        payload = output.model_dump(mode="json", by_alias=True)
        last = self.artifacts[-1].artifact_id if self.artifacts else None
        failed = any(outcome.outcome == "failed" for outcome in assertions)
        artifact = Artifact(
            artifact_id=f"{self.trace_id}-{len(self.artifacts):02d}", trace_id=self.trace_id, parents=(last,) if last else (),
            node=node, node_version=NODE_VERSIONS[node], schema_version=SCHEMA_VERSION, created_at=self._now(),
            content_hash=content_hash(payload), payload=payload, payload_type=type(output).__name__,
            confidence=confidence or Confidence(), validation="failed" if failed else "passed", assertions=assertions,
            parameters=self._parameters, summary=summary[:_SUMMARY_CHARS], note=note,
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
