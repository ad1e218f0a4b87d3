"""Sessions to store: chains of artifacts as the graph makes them, small and quick."""

from __future__ import annotations

from data.contracts import Artifact, AssertionOutcome, Confidence, Intent
from program.trust.artifacts import Recorder

NODES = ("request", "understand", "plan")
WHOLE = ("request", "understand", "plan", "execute", "reflect", "synthesize", "playlist")
DAY_S = 86_400.0


def session_of(
    trace_id: str, at: float = 1.0, nodes: tuple[str, ...] = NODES, *, parameters: dict[str, str] | None = None
) -> list[Artifact]:
    """A chain of artifacts, all made at one time."""
    recorder = Recorder(trace_id, lambda: at, {"settings": "s", **(parameters or {})})
    for number, node in enumerate(nodes):
        recorder.record(
            node,
            Intent(kind="play", free_text=f"晴天 {number}"),
            summary=f"{node} of {trace_id}",
            assertions=(AssertionOutcome(name="schema", outcome="repaired", message="was open"),),
            confidence=Confidence(own=0.25, final=0.25),
            note="keep the exclusions",
        )
    return recorder.artifacts


def child_of(parent: Artifact, trace_id: str, at: float | None = None) -> list[Artifact]:
    """A session of another trace whose first artifact was made from `parent`."""
    first, *others = session_of(trace_id, parent.created_at if at is None else at, WHOLE)
    return [first.model_copy(update={"parents": (parent.artifact_id,)}), *others]
