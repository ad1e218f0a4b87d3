"""What each node's output looks like as an artifact."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from data.contracts import Confidence, Contract
from program.nodes.describe import intent_words
from program.state import Session
from program.trust.artifacts import Recorder


class RequestRecord(Contract):
    """The request after the pre-guard: the root of a trace."""

    text: str


def record(recorder: Recorder, node: str, output: Any, session: Session) -> None:
    """Add the artifact of `node`; SYNTHESIZE's reply is taken from the session."""
    payload, summary = _payload(node, output, session)
    own = _own_confidence(node, session)
    assertions = session.assertions.get(node, ()) if node in session.assertions else ()
    recorder.record(node, payload, summary=summary, assertions=assertions, confidence=Confidence(own=own, final=own))


def _payload(node: str, output: Any, session: Session) -> tuple[BaseModel, str]:
    if node == "request":
        return RequestRecord(text=session.text), session.text
    if node == "understand":
        return output, intent_words(output)
    if node == "plan":
        return output, f"round {output.round}: {', '.join(call.tool for call in output.routes)}"
    if node == "execute":
        return output, f"{len(output.candidates)} candidates"
    if node == "reflect":
        return output, f"{output.action}: {output.total_candidates} candidates"
    if node == "synthesize":
        assert session.reply is not None
        return session.reply, session.reply.title
    return output, f"{output.status}: {len(output.tracks)} tracks"


def _own_confidence(node: str, session: Session) -> float:
    """The producer's own score: evidence support for UNDERSTAND, the match score for REFLECT, else 0.5 (not scored)."""
    if node == "understand" and session.understanding and session.understanding.best.evidence:
        supports = [item.support for item in session.understanding.best.evidence]
        return round(min(1.0, sum(supports) / len(supports)), 4)
    if node == "reflect" and session.verdict:
        return session.verdict.semantic_match_score
    return 0.5
