"""What the breaker and the people behind it exchange: trips, records of node versions, items to review, corrections.

Frozen, closed pydantic types like those of `data.contracts`; they are written to disk and printed by `melo review`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from data.contracts import Contract, EntityType, HandoverReason, Owner

TaskKind = Literal["factual", "analytical", "creative"]
TripOutcome = Literal["recovered", "degraded", "queued", "recorded"]
Judgement = Literal["open", "approved", "rejected"]


class Signal(Contract):
    """One thing that a validator measured. score: 0..1, higher is better. part: the words or fields that it is about."""

    name: str
    score: float = Field(ge=0, le=1)
    part: str = ""


class Trip(Contract):
    """The breaker stopped an artifact.

    Attributes:
        trip_id: the artifact's id, unless it tripped twice.
        node, node_version: who made it. parameters_key: what it was made with (settings, catalog, program), in short.
        at: seconds since 1970.
        final, threshold: the confidence that was too low, and what it was held against.
        signals: the worst first; signals[0].part is the part that deviates.
        cause: a stable code of the worst signal, such as `evidence`, `coverage`, `schema`, `drift`.
        outcome: `recovered` by a retry, `degraded` to the deterministic path, `queued` for a person besides; `recorded`: seen in
            the cold start, nothing was done.
        fix: what mended it (`context`, `temperature`, `version`, `deterministic`), empty where nothing did.
        similar: what happened to similar ones, in words; empty where there were none.
    """

    trip_id: str
    artifact_id: str
    trace_id: str
    node: str
    node_version: str
    parameters_key: str = ""
    task: TaskKind
    at: float
    own: float = Field(ge=0, le=1)
    validator: float | None = Field(default=None, ge=0, le=1)
    final: float = Field(ge=0, le=1)
    threshold: float = Field(ge=0, le=1)
    signals: tuple[Signal, ...] = ()
    cause: str
    outcome: TripOutcome
    fix: str = ""
    similar: str = ""


class NodeRecord(Contract):
    """What is known of one node version.

    Attributes:
        seen, trips, recovered, drifted: artifacts so far, and of those.
        confidence_sum: over `seen`; divided, the mean confidence.
        threshold: as it stands now.
        approved, rejected: verdicts of people over its trips: approved = the artifact was right, the trip was false.
    """

    node: str
    node_version: str
    seen: int = Field(default=0, ge=0)
    trips: int = Field(default=0, ge=0)
    recovered: int = Field(default=0, ge=0)
    drifted: int = Field(default=0, ge=0)
    confidence_sum: float = Field(default=0.0, ge=0)
    threshold: float = Field(default=0.75, ge=0, le=1)
    approved: int = Field(default=0, ge=0)
    rejected: int = Field(default=0, ge=0)


class ReviewItem(Contract):
    """One answer that a person should look at, and what was said of it.

    Attributes:
        item_id: short, safe to type. at, judged_at: seconds since 1970.
        request: as it was asked, neutralised. trip: where the breaker sent it.
        judgement: `approved`: the answer is right as it is; `rejected`: it is wrong.
        author, note: of the judgement.
    """

    item_id: str
    trace_id: str
    at: float
    request: str
    reason: HandoverReason
    owner: Owner
    summary: str
    trip: Trip | None = None
    user_key: str = ""
    judgement: Judgement = "open"
    author: str = ""
    note: str = ""
    judged_at: float | None = None


class Correction(Contract):
    """A surface that a person bound to an entity of the catalog ("this means that").

    Attributes:
        surface: the words of the request. entity_id: what they mean in the catalog.
        item_id: the review item that it came from, if any.
        taken_back_at: set once it no longer counts.
    """

    correction_id: str
    surface: str
    entity_id: str
    entity_type: EntityType
    name: str
    author: str
    at: float
    item_id: str = ""
    taken_back_at: float | None = None
