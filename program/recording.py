"""What each node's output looks like as an artifact, and the tool and LM calls on its way to it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from data.contracts import CandidateSet, Confidence, Contract, Intent, ToolCall, ToolError, ToolName, ToolResult
from data.planning import PlanStep
from program.lm.calls import LMCall
from program.nodes.describe import constraint_words, intent_words
from program.state import Session
from program.trust.artifacts import Recorder

_MOST_NAMES = 50
_NOTE_CHARS = 500


class RequestRecord(Contract):
    """The request after the pre-guard: the root of a trace."""

    text: str


class ToolCallRecord(Contract):
    """One tool call and what came of it.

    Attributes:
        args: those that were given; of a list the first fifty.
        found: how many tracks it returned. tracks: the first fifty, best first; the candidates of EXECUTE hold what was used.
    """

    tool: ToolName
    args: dict[str, Any] = Field(default_factory=dict)
    ok: bool
    found: int
    tracks: tuple[str, ...] = ()
    error: ToolError | None = None
    latency_ms: float


def record(recorder: Recorder, node: str, output: Any, session: Session) -> None:
    """Add the artifact of `node`, behind those of its tool and LM calls; SYNTHESIZE's reply is taken from the session."""
    _record_calls(recorder, output, session)
    payload, summary = _payload(node, output, session)
    own = _own_confidence(node, session)
    held = session.confidence.get(node) or Confidence(own=own, final=own)
    assertions = session.assertions.get(node, ()) if node in session.assertions else ()
    recorder.record(node, payload, summary=summary, assertions=assertions, confidence=held, note=_note(output))


def record_doubted(recorder: Recorder, node: str, output: Any, confidence: Confidence, session: Session) -> str:
    """Add the artifact of an output that the breaker stopped, and its calls. Returns its id."""
    _record_calls(recorder, output, session)
    payload, summary = _payload(node, output, session)
    return recorder.record_doubted(node, payload, summary=summary, confidence=confidence).artifact_id


def _record_calls(recorder: Recorder, output: Any, session: Session) -> None:
    if isinstance(output, CandidateSet) and session.plan is not None and recorder.settings.tools:
        for call, result in zip(session.plan.routes, output.results, strict=True):
            _record_tool(recorder, call, result)
    for asked in session.meter.take_calls():
        if recorder.settings.lm_calls:
            _record_lm(recorder, asked)
    while session.steps:
        step = session.steps.pop(0)
        if recorder.settings.plan_steps:
            _record_step(recorder, step)


def _record_tool(recorder: Recorder, call: ToolCall, result: ToolResult) -> None:
    given = call.args.model_dump(mode="json", exclude_defaults=True)
    args = {name: value[:_MOST_NAMES] if isinstance(value, list) else value for name, value in given.items()}
    done = ToolCallRecord(
        tool=call.tool, args=args, ok=result.ok, found=len(result.tracks), tracks=result.tracks[:_MOST_NAMES],
        error=result.error, latency_ms=result.latency_ms,
    )  # fmt: skip
    outcome = result.error.kind if result.error else f"{len(result.tracks)} tracks"
    parameters = {"tool": call.tool, "weight": f"{call.weight:g}", "deadline_ms": str(call.deadline_ms)}
    recorder.record_call("tool", done, summary=f"{call.tool}: {outcome}", failed=not result.ok, parameters=parameters)


def _record_lm(recorder: Recorder, asked: LMCall) -> None:
    outcome = "no reply" if asked.fault else f"{asked.prompt_tokens} + {asked.completion_tokens} tokens"
    recorder.record_call(
        "lm", asked.within(recorder.settings.prompt_chars), summary=f"{asked.node}: {outcome}, {asked.model}",
        failed=bool(asked.fault), parameters={"model": asked.model, **asked.parameters},
    )  # fmt: skip


def _record_step(recorder: Recorder, step: PlanStep) -> None:
    summary = f"step {step.number}: {' '.join(step.choice) or 'no choice'}, {step.outcome}"
    failed = step.outcome not in ("observed", "ended")
    recorder.record_call("step", step, summary=summary, failed=failed, parameters={})


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


def _note(output: Any) -> str:
    """What downstream must keep and what it may bend, where a node has a say in it."""
    if not isinstance(output, Intent):
        return ""
    keep = [f"{entity.role} {entity.name}" for entity in output.entities if entity.role in ("target", "exclude")]
    keep += [constraint_words(one) for one in output.constraints if one.strength == "core"]
    keep += [f"nothing with {words}" for words in output.unwanted]
    bend = [constraint_words(one) for one in output.constraints if one.strength == "soft"]
    parts = [f"{verb}: {', '.join(words)}" for verb, words in (("keep", keep), ("may loosen", bend)) if words]
    return "; ".join(parts)[:_NOTE_CHARS]


def _own_confidence(node: str, session: Session) -> float:
    """The producer's own score: evidence support for UNDERSTAND, the match score for REFLECT, else 0.5 (not scored)."""
    if node == "understand" and session.understanding and session.understanding.best.evidence:
        supports = [item.support for item in session.understanding.best.evidence]
        return round(min(1.0, sum(supports) / len(supports)), 4)
    if node == "reflect" and session.verdict:
        return session.verdict.semantic_match_score
    return 0.5
