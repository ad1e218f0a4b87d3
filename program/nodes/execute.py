"""EXECUTE: runs the plan's tools in parallel under deadlines and merges what they return. No LM."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextvars import copy_context

from pydantic import ValidationError

from data.contracts import CandidateSet, Intent, Plan, ToolArgs, ToolCall, ToolError, ToolName, ToolResult
from data.errors import MeloError, ToolFailedError
from program.index.protocol import TrackEntry
from program.state import Resources, Session
from program.tools.merge import candidates, collapse_versions, fuse
from program.tools.protocol import Tool, ToolContext, allowed
from program.tools.registry import TOOLS

_WORKERS = 8
_BACKOFF_S = 0.02


class ExecuteNode:
    """`Plan` → `CandidateSet`. A late tool never blocks the answer; each fault is kept with its kind."""

    def __init__(self, tools: dict[ToolName, Tool] | None = None) -> None:
        self._tools = tools or TOOLS
        self._pool = ThreadPoolExecutor(max_workers=_WORKERS, thread_name_prefix="melo-tool")

    def __call__(self, session: Session, resources: Resources) -> CandidateSet:
        """Run the session's plan."""
        plan = session.plan
        assert plan is not None
        context = ToolContext(resources.index, resources.settings.execute)
        results = self._run(plan, context)
        entries = dict(context.seen)
        session.entries.update(entries)
        session.found = self._merge(plan, results, entries, session, resources)
        return session.found

    def _run(self, plan: Plan, context: ToolContext) -> tuple[ToolResult, ...]:
        started = [(call, self._submit(call, context)) for call in plan.routes]
        begun = time.monotonic()
        return tuple(_collect(call, future, begun) for call, future in started)

    def _submit(self, call: ToolCall, context: ToolContext) -> Future[ToolResult]:
        return self._pool.submit(copy_context().run, self._call, call, context)

    def _call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        tool = self._tools.get(call.tool)
        begun = time.monotonic()
        if tool is None:
            return _failed(call, "unavailable", f"no tool is called {call.tool}", begun)
        for attempt in range(context.settings.transport_retries + 1):
            try:
                tracks = tool.run(call.args, context)
                return ToolResult(tool=call.tool, ok=True, tracks=tuple(tracks), latency_ms=_since(begun))
            except (ValueError, ValidationError) as error:
                return _failed(call, "bad_args", str(error), begun)
            except (ToolFailedError, OSError) as error:
                if attempt == context.settings.transport_retries:
                    return _failed(call, "unavailable", str(error), begun)
                time.sleep(_BACKOFF_S * (attempt + 1))
            except MeloError as error:
                return _failed(call, "unavailable", error.one_line(), begun)
            except Exception as error:  # noqa: BLE001 - a broken tool must not take the answer with it
                return _failed(call, "malformed", f"{type(error).__name__}: {error}", begun)
        raise AssertionError("unreachable")

    @staticmethod
    def _merge(
        plan: Plan,
        results: tuple[ToolResult, ...],
        entries: dict[str, TrackEntry],
        session: Session,
        resources: Resources,
    ) -> CandidateSet:
        lists = [(r.tool, call.weight, r.tracks) for call, r in zip(plan.routes, results, strict=True) if r.ok]
        fused = fuse(lists, resources.settings.execute.rank_constant)
        intent = session.need_intent()
        limits = _hard_limits(intent, plan)
        kept = {track_id: entries[track_id] for track_id in fused if track_id in entries and allowed(entries[track_id], limits)}
        ranked = candidates(fused, kept, intent.constraints)
        versions = any(constraint.facet == "version" for constraint in intent.constraints)
        named = any(entity.entity_type == "track" for entity in intent.by_role("target"))
        collapsed = collapse_versions(ranked, kept, keep_all=versions or named)
        counts = {"fused": len(fused), "allowed": len(kept), "distinct": len(collapsed)}
        return CandidateSet(candidates=tuple(collapsed), results=results, counts=counts)

    def close(self) -> None:
        """Stop accepting calls; running tools end by themselves."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _hard_limits(intent: Intent, plan: Plan) -> ToolArgs:
    """What no candidate may break, whatever tool brought it: exclusions and the round's constraints."""
    excluded = intent.by_role("exclude")
    return ToolArgs(
        constraints=plan.routes[0].args.constraints if plan.routes else (),
        exclude_track_ids=tuple(e.entity_id for e in excluded if e.entity_type == "track"),
        exclude_artist_ids=tuple(e.entity_id for e in excluded if e.entity_type == "artist"),
    )


def _collect(call: ToolCall, future: Future[ToolResult], begun: float) -> ToolResult:
    left = call.deadline_ms / 1000 - (time.monotonic() - begun)
    try:
        return future.result(timeout=max(0.0, left))
    except FutureTimeout:
        future.cancel()
        return _failed(call, "timeout", f"no answer within {call.deadline_ms} ms", begun)


def _failed(call: ToolCall, kind: str, message: str, begun: float) -> ToolResult:
    error = ToolError.model_validate({"kind": kind, "message": " ".join(message.split())[:300]})
    return ToolResult(tool=call.tool, ok=False, error=error, latency_ms=_since(begun))


def _since(begun: float) -> float:
    return round((time.monotonic() - begun) * 1000, 3)
