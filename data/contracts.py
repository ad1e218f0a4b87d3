"""What crosses a node: frozen, closed pydantic types with a JSON round-trip.

Field names are API (they are printed by `melo ask --json`). Types carry data only; what decides lives in `program/`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

EntityType = Literal["track", "artist", "album"]
NameKind = Literal["artist", "work"]
"""What a name in a request may be before the catalog says more; a work is a track or an album."""
MatchKind = Literal["exact", "alias", "normalised", "transliterated", "fuzzy"]
Role = Literal["target", "seed", "exclude", "context"]
Facet = Literal["genre", "mood", "activity", "instrument", "region", "language", "vocal", "era", "tempo", "popularity", "version"]
Op = Literal["is", "not", "range"]
Strength = Literal["core", "soft"]
IntentKind = Literal["play", "discover", "similar", "lyric", "personal", "other"]
ToolName = Literal[
    "catalog_search", "similar_tracks", "semantic_recall", "similar_artists", "lyric_search", "fresh", "popular_within",
    "liked_songs", "history", "taste_recall", "generative_retriever",
]  # fmt: skip
Satisfied = Literal["yes", "no", "unknown"]
RelaxOp = Literal["widen", "substitute", "soften", "drop"]
Action = Literal["proceed", "retry_rewrite", "retry_relaxed", "fallback"]
LedgerState = Literal["kept", "widened", "substituted", "softened", "dropped"]
Status = Literal["ok", "partial", "clarify", "not_found", "refused", "failed"]
NodeName = Literal["understand", "plan", "execute", "reflect", "synthesize"]
FaultReason = Literal[
    "timeout", "malformed", "unavailable", "budget",  # infrastructure
    "nothing_eligible", "ambiguous", "unsupported", "unsafe",  # policy
]  # fmt: skip
Owner = Literal["operator", "model_keeper", "catalog_keeper", "developer", "reviewer", "listener"]
"""Who should look at a fallback or a handed-over answer."""
HandoverReason = Literal["no_tool_answered", "answer_cut", "plan_inconsistent", "suspicious_request", "low_confidence"]
Span = tuple[int, int]


class Contract(BaseModel):
    """Base of every contract: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Evidence(Contract):
    """One reading of one span of the request, as the catalog's own index supports it.

    Attributes:
        evidence_id: `e0`, `e1`, … unique within a request.
        surface: the span's words as written. span: character offsets [start, end) into the request.
        available_tracks: playable tracks behind the entity (1 for a track).
        popularity: percentile within the entity's type, 0..1.
        works: up to 5 top titles of an artist or album; empty for a track.
        rivals: how many *other* entities of any type answer to the same surface.
        support: how well the catalog backs this reading, 0..1, higher is better.
    """

    evidence_id: str
    surface: str
    span: Span
    entity_type: EntityType
    entity_id: str
    name: str
    artists: tuple[str, ...] = ()
    match: MatchKind
    available_tracks: int = Field(ge=0)
    popularity: float = Field(ge=0, le=1)
    works: tuple[str, ...] = ()
    rivals: int = Field(default=0, ge=0)
    support: float = Field(ge=0, le=1)


class EntityRef(Contract):
    """A verified entity that the intent uses, with the part it plays."""

    evidence_id: str
    entity_id: str
    entity_type: EntityType
    name: str
    role: Role


class Constraint(Contract):
    """One facet condition of the request.

    Attributes:
        op: `is` (any of values), `not` (none of values), `range` (two numbers as strings, empty = open).
        values: vocabulary ids of the facet; for `range` exactly (low, high).
        strength: `core` is what the request is about (exclusions, named things, what only/must governs, its head); else `soft`.
        span: character offsets into the request; (0, 0) when the words did not name it.
        unknown_ok: tracks whose record does not say are accepted too (a softened constraint).
    """

    constraint_id: str
    facet: Facet
    op: Op
    values: tuple[str, ...]
    strength: Strength
    span: Span = (0, 0)
    surface: str = ""
    unknown_ok: bool = False


class Intent(Contract):
    """What the request asks for, with every name verified by the catalog.

    Attributes:
        absent: names the request uses that the catalog does not hold, as written.
        free_text: the words that no entity and no facet holds.
        unwanted: words that are ruled out and are no name and no facet; no title of the answer may hold one.
        personal: which personal set is asked for. period: when it was liked or played: an id of the period vocabulary or a
            year; empty for any time.
        size: how many tracks to return, 1..100. minutes: how long the list should play, where that was asked for.
        order: `newest`: the latest recordings first. `most_played`: what the listener played most often.
        ambiguity: evidence ids that the request cannot tell apart; empty when it is clear.
    """

    kind: IntentKind
    entities: tuple[EntityRef, ...] = ()
    absent: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    free_text: str = ""
    unwanted: tuple[str, ...] = ()
    personal: Literal["none", "liked", "history"] = "none"
    period: str = ""
    size: int = Field(default=20, ge=1, le=100)
    minutes: int | None = Field(default=None, ge=1, le=1440)
    order: Literal["relevance", "newest", "most_played"] = "relevance"
    locale: str = "en"
    ambiguity: tuple[str, ...] = ()

    def by_role(self, *roles: Role) -> tuple[EntityRef, ...]:
        """The entities that play one of `roles`, in request order."""
        return tuple(entity for entity in self.entities if entity.role in roles)


class ToolArgs(Contract):
    """Typed arguments shared by the retrieval tools; a tool reads what its card names.

    Attributes:
        track_ids, artist_ids, album_ids: verified ids to search for or to start from.
        constraints: the facet conditions to hold.
        exclude_track_ids, exclude_artist_ids, exclude_album_ids: verified ids that must not come back.
        period, most_played: of a listener's own set: when it was liked or played, and in which order.
        query: free words for the tools that take them; for `lyric_search` the remembered words. words: the words as they were
            written, where the query says them in English; empty: as the query.
        tags: words of the source's own tags, all of which the track must carry. soundtrack_of: a film, series or game.
        limit: tracks to return, 1..200.
    """

    track_ids: tuple[str, ...] = ()
    artist_ids: tuple[str, ...] = ()
    album_ids: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    exclude_track_ids: tuple[str, ...] = ()
    exclude_artist_ids: tuple[str, ...] = ()
    exclude_album_ids: tuple[str, ...] = ()
    query: str = ""
    words: str = ""
    period: str = ""
    most_played: bool = False
    tags: tuple[str, ...] = ()
    soundtrack_of: str = ""
    limit: int = Field(default=50, ge=1, le=200)


class ToolCall(Contract):
    """One tool with its arguments, the constraints it serves, its weight in the merge and its deadline."""

    tool: ToolName
    args: ToolArgs
    serves: tuple[str, ...] = ()
    weight: float = Field(default=1.0, gt=0, le=4)
    deadline_ms: int = Field(default=2000, ge=1)


class GuardHit(Contract):
    """A plan-time guard (L3) that fired.

    Attributes:
        guard: its name. words: the words of the request that set it off.
        remedy: what the plan must do before any tool fires.
    """

    guard: str
    message: str
    words: str = ""
    remedy: Literal["revise", "broaden", "safer_retriever", "drop"]
    target: str = ""


class Plan(Contract):
    """The tool calls of one round. round: 0 for the first, at most 2."""

    routes: tuple[ToolCall, ...]
    round: int = Field(default=0, ge=0, le=2)
    guard_hits: tuple[GuardHit, ...] = ()
    revised_from: str | None = None


class ToolError(Contract):
    """Why a tool gave nothing."""

    kind: Literal["timeout", "malformed", "unavailable", "bad_args"]
    message: str


class ToolResult(Contract):
    """What one tool returned.

    Attributes:
        tracks: ids, best first. latency_ms: wall time.
        sources: track id → what the tool took it by, where it says so: a line of the lyrics, or "playlists", "content", "both".
    """

    tool: ToolName
    ok: bool
    tracks: tuple[str, ...] = ()
    sources: dict[str, str] = Field(default_factory=dict)
    error: ToolError | None = None
    latency_ms: float = Field(ge=0)


class Candidate(Contract):
    """One track on its way to the answer.

    Attributes:
        route_ranks: 0-based rank per tool that returned it.
        score: fused relevance, higher is better.
        satisfies: per constraint id, the constraint as it was asked, read off the catalog's record.
        features: what it was ranked by, each 0..1; empty before ranking.
        sources: tool → what it took the track by (see `ToolResult`).
    """

    track_id: str
    score: float
    route_ranks: dict[str, int]
    sources: dict[str, str] = Field(default_factory=dict)
    satisfies: dict[str, Satisfied] = Field(default_factory=dict)
    features: dict[str, float] = Field(default_factory=dict)


class GateReport(Contract):
    """REFLECT's two gates. needed: 1.5 x the asked size; coverage: core constraint id → share of candidates that satisfy it."""

    total: int = Field(ge=0)
    needed: int = Field(ge=0)
    size_ok: bool
    coverage: dict[str, float] = Field(default_factory=dict)
    coverage_ok: bool


class CandidateSet(Contract):
    """The merged, filtered candidates, best first, and what each tool reported."""

    candidates: tuple[Candidate, ...]
    results: tuple[ToolResult, ...]
    counts: dict[str, int] = Field(default_factory=dict)


class Relaxation(Contract):
    """One way to loosen one constraint, counted on the index.

    Attributes:
        relaxation_id: `x0`, `x1`, …
        from_, to: values before and after (empty `to` = dropped).
        gain: tracks it adds to the strict set, counted. cost: how much meaning it gives up, 0..1, lower is better.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    relaxation_id: str
    constraint_id: str
    op: RelaxOp
    from_: tuple[str, ...] = Field(alias="from")
    to: tuple[str, ...] = ()
    gain: int = Field(ge=0)
    cost: float = Field(ge=0, le=1)
    label: str = ""


class Verdict(Contract):
    """REFLECT's decision about one round.

    Attributes:
        semantic_match_score: mean share of the request's constraints that the candidates satisfy, 0..1.
        reason: the suspected cause, in words. suggestion: the one revision that PLAN gets as a hint.
    """

    action: Action
    is_sufficient: bool
    total_candidates: int = Field(ge=0)
    semantic_match_score: float = Field(ge=0, le=1)
    relaxation_ids: tuple[str, ...] = ()
    corrected_understanding: Intent | None = None
    reason: str = ""
    suggestion: str = ""


class LedgerEntry(Contract):
    """What became of one constraint.

    Attributes:
        share: part of the returned tracks that still satisfy the original constraint by the catalog's record, 0..1.
        round: the round that changed it; 0 when nothing did.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    constraint_id: str
    facet: str
    state: LedgerState
    from_: tuple[str, ...] = Field(alias="from")
    to: tuple[str, ...] = ()
    why: str = ""
    round: int = Field(default=0, ge=0, le=2)
    share: float = Field(default=1.0, ge=0, le=1)


class ContractTrack(Contract):
    """What the writer may know about one chosen track; `ref` (`t1`, …) is how it is cited.

    Attributes:
        facts: of the facets that were asked for, in words. cites: ids and user-state keys that a reason may name.
        heard: what tools took it by, in the catalog's words (a line of lyrics). state: user-state key → value.
    """

    ref: str
    track_id: str
    title: str
    artists: tuple[str, ...]
    year: int | None = None
    facts: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    state: dict[str, str] = Field(default_factory=dict)


class TaskState(Contract):
    """Where the session stands when the words are written.

    Attributes:
        names: what the intent names, as the catalog writes it. conditions: those that were asked for, in words.
        asked: tracks asked for; 0 where the contract is not of a session. round: of the last plan.
    """

    kind: IntentKind = "discover"
    names: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    asked: int = Field(default=0, ge=0)
    round: int = Field(default=0, ge=0, le=2)


class ReplyContract(Contract):
    """The forward contract: everything SYNTHESIZE may know and say.

    Attributes:
        user_state_keys: what of the listener's state the answer rests on; nothing else of it may be spoken of.
        ledger, unavailable: what was given up, and what could not be used (a tool, lyrics), each with its reason.
        render: fields that the writer may set for the page.
    """

    request: str
    tracks: tuple[ContractTrack, ...]
    task: TaskState = TaskState()
    sources: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    user_state_keys: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()
    locale: str = "en"
    prior_observations: tuple[str, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    unavailable: tuple[str, ...] = ()
    render: tuple[str, ...] = ()


class TrackReason(Contract):
    """Why one track is there; citations: track ids, constraint ids and evidence ids of the contract."""

    track_id: str
    text: str
    citations: tuple[str, ...] = ()


class Reply(Contract):
    """The reverse contract: wording only."""

    title: str
    description: str
    reasons: tuple[TrackReason, ...] = ()
    render: dict[str, str] = Field(default_factory=dict)


class PlaylistTrack(Contract):
    """One track of the answer."""

    track_id: str
    title: str
    artists: tuple[str, ...]
    album: str | None = None
    year: int | None = None
    reason: str = ""
    citations: tuple[str, ...] = ()


class Option(Contract):
    """One possible meaning offered in a clarifying question."""

    option_id: str
    label: str
    entity_type: EntityType | None = None
    entity_id: str | None = None


class Clarification(Contract):
    """A question with at most four options."""

    question: str
    options: tuple[Option, ...] = Field(max_length=4)


class Fallback(Contract):
    """Why a node took its fallback.

    Attributes:
        kind: infrastructure, model output and budget have other owners than policy.
        code: stable, one for each cause. reason: the group of the code; owner: who should look. None: not attributed
            (`safety.outcomes` is off).
    """

    node: NodeName | Literal["guard"]
    kind: Literal["infrastructure", "model_output", "budget", "policy"]
    code: str
    message: str
    reason: FaultReason | None = None
    owner: Owner | None = None


class Handover(Contract):
    """An answer that a person should look at (hard escalation; a `Clarification` is the soft one, and not this).

    Attributes:
        summary: what happened, in one line; of the request it holds nothing.
    """

    reason: HandoverReason
    owner: Owner
    summary: str


class Usage(Contract):
    """What one node spent on LMs. cost_usd is None where no price is known (never 0)."""

    calls: int = Field(default=0, ge=0)
    prompt_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    seconds: float = Field(default=0.0, ge=0)
    cost_usd: float | None = None


class Playlist(Contract):
    """The answer. status is never `ok` on an empty list.

    Attributes:
        path: `shortcut` when no LM was asked, else `lm`.
        timings_ms: wall time per node, and `total`.
        usage: per node.
        handover: set where a person should look; whatever the status, the answer stands as it is.
    """

    status: Status
    tracks: tuple[PlaylistTrack, ...] = ()
    title: str = ""
    description: str = ""
    ledger: tuple[LedgerEntry, ...] = ()
    clarification: Clarification | None = None
    trace_id: str = ""
    path: Literal["shortcut", "lm"] = "shortcut"
    timings_ms: dict[str, float] = Field(default_factory=dict)
    usage: dict[str, Usage] = Field(default_factory=dict)
    fallback: tuple[Fallback, ...] = ()
    handover: Handover | None = None
    message: str = ""


class Confidence(Contract):
    """own: the producer's score; validator: an independent one; final: 0.4 own + 0.6 validator. All 0..1."""

    own: float = Field(default=0.5, ge=0, le=1)
    validator: float | None = Field(default=None, ge=0, le=1)
    final: float = Field(default=0.5, ge=0, le=1)


class AssertionOutcome(Contract):
    """One named check on a node's output: passed at once, after one repair turn, or given up for the deterministic path."""

    name: str
    outcome: Literal["passed", "repaired", "failed", "off"]
    message: str = ""


class Artifact(Contract):
    """One node's output with its provenance.

    Attributes:
        parents: artifact ids it was made from.
        content_hash: SHA-256 of the payload's canonical JSON.
        summary: at most 50 characters. note: what downstream may bend and must keep.
    """

    artifact_id: str
    trace_id: str
    parents: tuple[str, ...] = ()
    node: str
    node_version: str
    schema_version: str
    created_at: float
    content_hash: str
    payload: dict[str, Any]
    payload_type: str
    confidence: Confidence = Confidence()
    validation: Literal["pending", "passed", "failed"] = "pending"
    assertions: tuple[AssertionOutcome, ...] = ()
    parameters: dict[str, str] = Field(default_factory=dict)
    summary: str = Field(default="", max_length=50)
    note: str = ""
