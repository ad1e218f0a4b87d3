"""EXECUTE: runs the plan's tools in parallel under deadlines and merges what they return. No LM."""

from __future__ import annotations

import random
import time
from collections import Counter
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextvars import copy_context
from threading import Thread

from pydantic import ValidationError

from data.contracts import CandidateSet, Fallback, Intent, Plan, ToolArgs, ToolCall, ToolError, ToolName, ToolResult
from data.errors import MeloError, ToolFailedError
from data.names import base_title, name_form
from program.index.protocol import CatalogIndex, TrackEntry
from program.nodes.compile import fixed_args
from program.state import Resources, Session
from program.tools.joint_credits import is_joint_credit
from program.tools.merge import candidates, collapse_versions, fuse, recording, sources_of
from program.tools.protocol import Tool, ToolContext, allowed
from program.tools.registry import PROTECTED, TOOLS

_BACKOFF_S = 0.02


class ExecuteNode:
    """`Plan` → `CandidateSet`. A late tool never blocks the answer; each fault is kept with its kind."""

    def __init__(self, tools: dict[ToolName, Tool] | None = None) -> None:
        self._tools = tools or TOOLS

    def __call__(self, session: Session, resources: Resources) -> CandidateSet:
        """Run the session's plan."""
        plan = session.plan
        assert plan is not None
        context = ToolContext(resources.index, resources.settings.execute, session.listener)
        results = self.run_calls(plan, context)
        for result in results:
            session.note(_fault(result))
        entries = dict(context.seen)
        session.entries.update(entries)
        session.found = self._merge(plan, results, entries, session, resources)
        return session.found

    def run_calls(self, plan: Plan, context: ToolContext) -> tuple[ToolResult, ...]:
        """What each call of the plan brought, in its order; all run side by side under their deadlines, none raises."""
        started = [(call, self._start(call, context)) for call in plan.routes]
        begun = time.monotonic()
        return tuple(_collect(call, future, begun) for call, future in started)

    def _start(self, call: ToolCall, context: ToolContext) -> Future[ToolResult]:
        """Run a tool in a thread of its own: one that hangs takes no other request's place."""
        future: Future[ToolResult] = Future()
        run = copy_context().run
        work = Thread(target=lambda: future.set_result(run(self._call, call, context)), daemon=True, name=f"melo-{call.tool}")
        work.start()
        return future

    def _call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        tool = self._tools.get(call.tool)
        begun = time.monotonic()
        if tool is None:
            return _failed(call, "unavailable", f"no tool is called {call.tool}", begun)
        for attempt in range(context.settings.transport_retries + 1):
            try:
                tracks = tool.run(call.args, context)
            except (ValueError, ValidationError) as error:
                return _failed(call, "bad_args", str(error), begun)
            except (ToolFailedError, OSError) as error:
                if attempt == context.settings.transport_retries:
                    return _failed(call, "unavailable", str(error), begun)
                time.sleep(_BACKOFF_S * (attempt + 1) * random.uniform(0.5, 1.5))  # so that retries do not come all at once
            except MeloError as error:
                return _failed(call, "unavailable", error.one_line(), begun)
            except Exception as error:  # noqa: BLE001 - a broken tool must not take the answer with it
                return _failed(call, "malformed", f"{type(error).__name__}: {error}", begun)
            else:
                return _checked(call, tracks, context, begun)
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
        out = _ruled_out(intent, resources.index)
        own = _own_set(intent, results)
        kept = {
            track_id: entry
            for track_id in fused
            if (entry := entries.get(track_id)) is not None and allowed(entry, limits)
            and not _holds(entry, intent.unwanted) and recording(entry) not in out and not _is_with_excluded(entry, intent)
            and (own is None or track_id in own) and not _is_disliked(track_id, session)
        }  # fmt: skip
        ranked = candidates(fused, kept, intent.constraints, sources_of(results))
        versions = any(constraint.facet == "version" for constraint in intent.constraints)
        named = any(entity.entity_type == "track" for entity in intent.by_role("target"))
        collapsed = collapse_versions(ranked, kept, keep_all=versions or named or own is not None)
        faults = Counter(f"fault_{result.error.kind}" for result in results if result.error)
        counts = {"fused": len(fused), "allowed": len(kept), "distinct": len(collapsed), **faults}
        return CandidateSet(candidates=tuple(collapsed), results=results, counts=counts)


def _own_set(intent: Intent, results: tuple[ToolResult, ...]) -> frozenset[str] | None:
    """The tracks of the own set that was asked for, outside of which nothing is played; None where none was."""
    if intent.personal == "none":
        return None
    return frozenset(track_id for result in results if result.tool in PROTECTED for track_id in result.tracks)


def _is_disliked(track_id: str, session: Session) -> bool:
    """Whether the listener turned the track down; one that is named, or of the own set, is played all the same."""
    listener, intent = session.listener, session.need_intent()
    if listener is None or intent.personal != "none" or track_id not in listener.dislikes:
        return False
    return all(entity.entity_id != track_id for entity in intent.by_role("target"))


def _is_with_excluded(entry: TrackEntry, intent: Intent) -> bool:
    """Whether a track is credited jointly to an artist that is ruled out: without Prince, none of Prince & The Revolution."""
    banned = [entity.name for entity in intent.by_role("exclude") if entity.entity_type == "artist"]
    wanted = {entity.entity_id for entity in intent.by_role("target", "seed")}
    credits = [credit.name for credit in entry.track.artists if credit.artist_id not in wanted] if banned else []
    return any(is_joint_credit(credit, name) for credit in credits for name in banned)


def _holds(entry: TrackEntry, unwanted: tuple[str, ...]) -> bool:
    """Whether a title holds all words of a phrase that is ruled out, in the plural or not ("no skits")."""
    held = set(name_form(entry.track.title).split()) if unwanted else set()
    phrases = [words for phrase in unwanted if (words := name_form(phrase).split())]
    return any(all(word in held or word.removesuffix("s") in held for word in words) for words in phrases)


def _ruled_out(intent: Intent, index: CatalogIndex) -> frozenset[tuple[str, str]]:
    """The recordings whose every version goes with an excluded track; one excluded by its remark ("(Live)") goes alone."""
    excluded = [entity.entity_id for entity in intent.by_role("exclude") if entity.entity_type == "track"]
    entries = index.by_ids(excluded).values() if excluded else ()
    return frozenset(recording(entry) for entry in entries if entry.track.title == base_title(entry.track.title))


def _hard_limits(intent: Intent, plan: Plan) -> ToolArgs:
    """What no candidate may break, whatever tool brought it: exclusions and the round's constraints."""
    fixed = fixed_args(intent)
    return ToolArgs(
        constraints=plan.routes[0].args.constraints if plan.routes else (),
        exclude_track_ids=fixed.exclude_track_ids,
        exclude_artist_ids=fixed.exclude_artist_ids,
        exclude_album_ids=fixed.exclude_album_ids,
    )


def _collect(call: ToolCall, future: Future[ToolResult], begun: float) -> ToolResult:
    left = call.deadline_ms / 1000 - (time.monotonic() - begun)
    try:
        return future.result(timeout=max(0.0, left))
    except FutureTimeout:
        return _failed(call, "timeout", f"no answer within {call.deadline_ms} ms", begun)


def _checked(call: ToolCall, tracks: object, context: ToolContext, begun: float) -> ToolResult:
    """A tool's output: a list of ids that it read from the catalog, or a malformed result."""
    if not isinstance(tracks, list) or not all(isinstance(track, str) for track in tracks):
        return _failed(call, "malformed", "the tool returned no list of track ids", begun)
    known = tuple(track for track in tracks if track in context.seen)
    if tracks and not known:
        return _failed(call, "malformed", "none of the returned ids is in the catalog", begun)
    known = known[: call.args.limit]
    sources = {track: context.sources[call.tool, track] for track in known if (call.tool, track) in context.sources}
    return ToolResult(tool=call.tool, ok=True, tracks=known, sources=sources, latency_ms=_since(begun))


def _fault(result: ToolResult) -> Fallback | None:
    """What the answer says of a tool that did not do its work; arguments that do not suit it are no such fault."""
    if result.error is None or result.error.kind == "bad_args":
        return None
    code, message = f"tool_{result.error.kind}", f"{result.tool}: {result.error.message}"
    return Fallback(node="execute", kind="infrastructure", code=code, message=message)


def _failed(call: ToolCall, kind: str, message: str, begun: float) -> ToolResult:
    error = ToolError.model_validate({"kind": kind, "message": " ".join(message.split())[:300]})
    return ToolResult(tool=call.tool, ok=False, error=error, latency_ms=_since(begun))


def _since(begun: float) -> float:
    return round((time.monotonic() - begun) * 1000, 3)
