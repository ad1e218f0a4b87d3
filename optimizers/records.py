"""What one answer was: everything that scores and feedback read, kept apart from any label.

Records are what runs leave on disk. A corrected label or a new metric is computed from them without asking again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args

import dspy
from pydantic import BaseModel, Field

from data.catalog.schema import Track
from data.contracts import (
    Action,
    Artifact,
    AssertionOutcome,
    CandidateSet,
    Contract,
    Fallback,
    HandoverReason,
    Intent,
    LedgerEntry,
    NodeName,
    Plan,
    Playlist,
    Status,
    ToolError,
    Usage,
    Verdict,
)
from program.baselines.stated import Stated
from program.index.protocol import CatalogIndex
from program.lm.faults import UNAVAILABLE

_P = TypeVar("_P", bound=BaseModel)
_NODES = frozenset(get_args(NodeName))


class Asked(Contract):
    """What every answered task leaves behind.

    Attributes:
        error: why it crashed; empty for an answer of any quality.
        outage: what around the program failed (an LM that does not answer), so that the answer says nothing about it.
        usage: what it spent on LMs, all nodes together. remembered: LM calls of it that a cache answered.
        waited_s: seconds of it that a limit on the rate of calls made it wait.
        seconds: wall time of the answer. asked_on: the day, ISO 8601.
    """

    error: str = ""
    outage: str = ""
    usage: Usage = Usage()
    remembered: int = 0
    waited_s: float = 0.0
    seconds: float = 0.0
    asked_on: str = ""


class ToolOutcome(Contract):
    """How one tool call ended."""

    tool: str
    ok: bool
    error: ToolError | None = None


class Round(Contract):
    """One turn of PLAN, EXECUTE and REFLECT.

    Attributes:
        merged: candidates after the merge.
        action, sufficient, reason: of the verdict; action is None where the graph broke off before it.
        changed: relaxations that the verdict chose.
    """

    plan: Plan
    tools: tuple[ToolOutcome, ...] = ()
    merged: int = 0
    action: Action | None = None
    sufficient: bool = False
    reason: str = ""
    changed: tuple[str, ...] = ()


class AnsweredTrack(Contract):
    """A returned track as the catalog's record has it. popularity: percentile within the catalog, 0..1."""

    track: Track
    popularity: float


class AnswerRecord(Asked):
    """One request's way through the graph.

    Attributes:
        first_reading: UNDERSTAND's intent; reading: the one that the last plan served. None where there is none.
        tracks: as returned, best first. options: entity ids that a question offered.
        unknown_ids: ids in the plans or the answer that the catalog, or the candidates, do not hold.
        handover: why a person should look at the answer; None where nobody has to.
        title, description: the words of the answer, as they were given.
        confidences: node → its own score of its last output, 0..1 (0.5 where it has none).
        stated: what the fused monolith said; None for everything else.
        assertions: by node; timings_ms: wall time by node, and `total`; by_node: usage.
    """

    status: Status = "failed"
    path: str = ""
    message: str = ""
    first_reading: Intent | None = None
    reading: Intent | None = None
    rounds: tuple[Round, ...] = ()
    tracks: tuple[AnsweredTrack, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    options: tuple[str, ...] = ()
    unknown_ids: tuple[str, ...] = ()
    title: str = ""
    description: str = ""
    confidences: dict[str, float] = Field(default_factory=dict)
    stated: Stated | None = None
    assertions: dict[str, tuple[AssertionOutcome, ...]] = Field(default_factory=dict)
    fallbacks: tuple[Fallback, ...] = ()
    handover: HandoverReason | None = None
    timings_ms: dict[str, float] = Field(default_factory=dict)
    by_node: dict[str, Usage] = Field(default_factory=dict)

    @property
    def crashed(self) -> bool:
        """Whether there is no answer to judge."""
        return bool(self.error)

    @property
    def plan(self) -> Plan | None:
        """The last plan."""
        return self.rounds[-1].plan if self.rounds else None


def record_of(
    prediction: dspy.Prediction, artifacts: Sequence[Artifact], index: CatalogIndex, *, asked_on: str = ""
) -> AnswerRecord:
    """The record of one answer.

    Args:
        prediction: what `Melo` returned. artifacts: of the same session, in order.
        asked_on: the day.
    """
    playlist: Playlist = prediction.playlist
    held = index.by_ids(track.track_id for track in playlist.tracks)
    rounds, candidates = _rounds(artifacts)
    options = playlist.clarification.options if playlist.clarification else ()
    return AnswerRecord(
        outage=outage_of(playlist.fallback), usage=total_usage(playlist.usage), asked_on=asked_on,
        seconds=playlist.timings_ms.get("total", 0.0) / 1000,
        status=playlist.status, path=playlist.path, message=playlist.message,
        first_reading=_first(artifacts, "understand", Intent), reading=prediction.intent, rounds=rounds,
        tracks=tuple(
            AnsweredTrack(track=held[track.track_id].track, popularity=held[track.track_id].popularity)
            for track in playlist.tracks
            if track.track_id in held
        ),
        ledger=playlist.ledger, options=tuple(option.entity_id for option in options if option.entity_id),
        unknown_ids=_unknown_ids(playlist, rounds, candidates, index),
        title=playlist.title, description=playlist.description,
        confidences={artifact.node: artifact.confidence.own for artifact in artifacts if artifact.node in _NODES},
        stated=next((_payload(artifact, Stated) for artifact in artifacts if artifact.payload_type == Stated.__name__), None),
        assertions={artifact.node: artifact.assertions for artifact in artifacts if artifact.assertions},
        fallbacks=playlist.fallback, handover=playlist.handover.reason if playlist.handover else None,
        timings_ms=playlist.timings_ms, by_node=playlist.usage,
    )  # fmt: skip


def total_usage(by_node: Mapping[str, Usage]) -> Usage:
    """The sum over nodes; its cost is None as soon as one node's is."""
    spent = list(by_node.values())
    costs = [usage.cost_usd for usage in spent]
    return Usage(
        calls=sum(usage.calls for usage in spent),
        prompt_tokens=sum(usage.prompt_tokens for usage in spent),
        cached_tokens=sum(usage.cached_tokens for usage in spent),
        completion_tokens=sum(usage.completion_tokens for usage in spent),
        seconds=sum(usage.seconds for usage in spent),
        cost_usd=None if not costs or None in costs else sum(cost for cost in costs if cost is not None),
    )


def outage_of(fallbacks: Sequence[Fallback]) -> str:
    """Which LM did not answer at all; empty when none did. A call that an LM refuses (a prompt too long) is an answer."""
    return next((f"{fault.node}: {fault.message}" for fault in fallbacks if fault.code == UNAVAILABLE), "")


def _payload(artifact: Artifact, kind: type[_P]) -> _P:
    return kind.model_validate(artifact.payload)


def _first(artifacts: Sequence[Artifact], node: str, kind: type[_P]) -> _P | None:
    return next((_payload(artifact, kind) for artifact in artifacts if artifact.node == node), None)


def _rounds(artifacts: Sequence[Artifact]) -> tuple[tuple[Round, ...], set[str]]:
    """The rounds in order, and the ids of every candidate that was found."""
    rounds: list[Round] = []
    candidates: set[str] = set()
    for artifact in artifacts:
        if artifact.node == "plan":
            rounds.append(Round(plan=_payload(artifact, Plan)))
        elif artifact.node == "execute" and rounds:
            found = _payload(artifact, CandidateSet)
            candidates.update(candidate.track_id for candidate in found.candidates)
            tools = tuple(ToolOutcome(tool=result.tool, ok=result.ok, error=result.error) for result in found.results)
            rounds[-1] = rounds[-1].model_copy(update={"tools": tools, "merged": len(found.candidates)})
        elif artifact.node == "reflect" and rounds:
            verdict = _payload(artifact, Verdict)
            told: dict[str, Any] = {"action": verdict.action, "sufficient": verdict.is_sufficient, "reason": verdict.reason}
            rounds[-1] = rounds[-1].model_copy(update={**told, "changed": verdict.relaxation_ids})
    return tuple(rounds), candidates


def _unknown_ids(playlist: Playlist, rounds: Sequence[Round], candidates: set[str], index: CatalogIndex) -> tuple[str, ...]:
    args = [call.args for each in rounds for call in each.plan.routes]
    planned = {name for one in args for name in (*one.track_ids, *one.exclude_track_ids)}
    artists = {name for one in args for name in (*one.artist_ids, *one.exclude_artist_ids)}
    returned = {track.track_id for track in playlist.tracks}
    held = index.by_ids(planned | returned)
    unknown = {name for name in planned | returned if name not in held}
    unknown |= returned - candidates if rounds else set()
    return tuple(sorted(unknown | {name for name in artists if index.artist_by_id(name) is None}))
