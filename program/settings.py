"""Every number and switch of the program, frozen, with its unit and where it comes from.

A variant is `settings.model_copy(update=...)`, never a mutation. `Settings.load` reads a TOML file; an unknown key is an
error, so a switch that switches nothing cannot be written.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.contracts import ToolName
from data.errors import SettingsError


class Group(BaseModel):
    """Base of the setting groups."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RequestLimits(Group):
    """What the pre-guard accepts."""

    max_chars: int = Field(default=2_000, ge=1, le=100_000)


class GroundingSettings(Group):
    """Catalog-specific thresholds of L1 and L2 (popularity percentiles; own defaults, to be tuned per catalog).

    lookup: L1, catalog reverse lookup; without it names go straight to the first search hit. rules: L2, the rules by which
    the evidence is used, in the prompt and in code; without them the longest and best supported names win.
    lyric_sure: likeness to lyrics from which a request that does not say so quotes them (one that does: execute.lyric_floor).
    fuzzy_min_chars, fuzzy_two_edits_chars: letters of a word from which one error, and two, are forgiven. fuzzy_max_spans:
    unexplained words a request that are tried with errors (0: none). phonetic: try by sound what no spelling repairs.
    """

    lookup: bool = True
    rules: bool = True
    max_span_tokens: int = Field(default=8, ge=1, le=16)
    p_hi: float = Field(default=0.6, ge=0, le=1)
    p_lo: float = Field(default=0.2, ge=0, le=1)
    fuzzy_min_chars: int = Field(default=5, ge=3)
    fuzzy_two_edits_chars: int = Field(default=8, ge=6)
    fuzzy_max_spans: int = Field(default=4, ge=0, le=64)
    phonetic: bool = True
    everyday_zipf: float = Field(default=5.3, ge=0, le=9)
    ambiguity_margin: float = Field(default=0.12, ge=0, le=1)
    shortcut_margin: float = Field(default=0.15, ge=0)
    lyric_sure: float = Field(default=0.85, ge=0, le=1)
    max_evidence: int = Field(default=10, ge=1, le=40)
    max_readings: int = Field(default=4, ge=1, le=8)


class UnderstandSettings(Group):
    """How UNDERSTAND asks its LM.

    order: `evidence`: what the catalog holds is found first, and the LM chooses among it; `draft`: the LM first names what the
    request names, and code chooses among the catalog's readings with that as evidence. draft_all: a draft is also asked for
    where code's reading is clear by itself. draft_locales: languages of the requests that are drafted, the others are
    read by code; empty: all.
    """

    order: Literal["evidence", "draft"] = "evidence"
    draft_all: bool = False
    draft_locales: tuple[str, ...] = ()


class PlanSettings(Group):
    """How PLAN asks its LM.

    stage: `one`: one call over what code prepared; `loop`: the LM may look first, with probes that code prepared, and ends
    with its routes; what it saw is put back into its prompt. Without an LM both are code's own routes. max_steps: calls of one
    loop; one that has not ended by then gives way to code's routes.
    """

    stage: Literal["one", "loop"] = "one"
    max_steps: int = Field(default=3, ge=1, le=3)


class GuardSwitches(Group):
    """The plan-time guards (L3), each on its own switch."""

    negation_leak: bool = True
    verb_prefix: bool = True
    unverified_id: bool = True
    possessive_split: bool = True
    artist_as_tag: bool = True
    functional_phrase: bool = True
    short_token: bool = True
    works_exclusion: bool = True
    version_mismatch: bool = True
    thin_support: bool = True
    homonym_pair: bool = True

    @classmethod
    def none(cls) -> Self:
        """All of them off."""
        return cls.model_validate(dict.fromkeys(cls.model_fields, False))

    @property
    def enabled(self) -> frozenset[str]:
        """Names of the guards that are on."""
        return frozenset(name for name, on in self.model_dump().items() if on)


class ExecuteSettings(Group):
    """Tools and merging. Source of tau_size: Melo appendix; the rest is our own.

    recall_words: recall by meaning takes tracks that share words with the request in turn with those near in meaning.
    recall_concepts: words in another language than English are looked for as the nearest moods and activities, where one is at
    least as near as concept_floor (cosine, -1..1); recall by meaning itself reads English only.
    deadlines_ms: of single tools, where they differ from `deadline_ms`.
    lyric_floor: least likeness (0..1) of remembered words to lyrics. together_weight: how much standing in the same
    playlists counts against content, where playlists are known.
    generative: recall by Semantic IDs too, where the index has them.
    """

    deadline_ms: int = Field(default=2_000, ge=1)
    deadlines_ms: dict[ToolName, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    tool_limit: int = Field(default=100, ge=1, le=200)
    transport_retries: int = Field(default=1, ge=0, le=3)
    rank_constant: int = Field(default=60, ge=1)
    recall_words: bool = True
    recall_concepts: bool = True
    concept_floor: float = Field(default=0.4, ge=-1, le=1)
    semantic_floor: float = Field(default=0.2, ge=-1, le=1)
    lyric_floor: float = Field(default=0.75, ge=0, le=1)
    together_weight: float = Field(default=0.6, ge=0, le=1)
    generative: bool = False
    max_share_per_artist: float = Field(default=0.25, gt=0, le=1)


class RetrySettings(Group):
    """REFLECT. Source: Melo 2.3 and appendix (2 rounds, tau_size 1.5, 20 tracks).

    core_share: of the returned tracks that hold what the request is about as it was asked, where any track does; 0: as it
    comes. Source: the definition of a preserved intent (own 0.8).
    """

    enabled: bool = True
    max_rounds: int = Field(default=2, ge=0, le=2)
    tau_size: float = Field(default=1.5, ge=1)
    list_size: int = Field(default=20, ge=1, le=100)
    coverage_floor: float = Field(default=0.5, ge=0, le=1)
    max_relaxations: int = Field(default=6, ge=1, le=40)
    max_applied: int = Field(default=3, ge=1, le=8)
    core_share: float = Field(default=0.8, ge=0, le=1)


class WordingSettings(Group):
    """SYNTHESIZE. Sizes are characters; known_words: least share of a reply's content words that its contract holds.

    repair: whether a rejected reply gets its repair turn; `auto` leaves it out for the embedded models, whose second try
    rarely passes (experiments/LOG.md).
    """

    max_title: int = Field(default=40, ge=10)
    max_description: int = Field(default=120, ge=40)
    repair: Literal["auto", "always", "never"] = "auto"
    known_words: float = Field(default=0.75, ge=0, le=1)


class LMSettings(Group):
    """Backbone names per node and the session's budget. An empty node name means `name`."""

    name: str = "none"
    understand: str = ""
    plan: str = ""
    reflect: str = ""
    synthesize: str = ""
    max_calls: int = Field(default=12, ge=0)
    max_tokens: int = Field(default=20_000, ge=0)
    max_seconds: float = Field(default=60.0, gt=0)

    def of(self, node: Literal["understand", "plan", "reflect", "synthesize"]) -> str:
        """The backbone that a node uses."""
        return str(getattr(self, node)) or self.name

    @property
    def label(self) -> str:
        """The backbones in one word: a name, or with `node=name` for each node that has its own, as `--lm` reads it."""
        nodes = {node: str(getattr(self, node)) for node in ("understand", "plan", "reflect", "synthesize")}
        own = [f"{node}={name}" for node, name in nodes.items() if name and name != self.name]
        return ",".join(own if own and self.name == "none" else [self.name, *own])


class PersonalSettings(Group):
    """What is known of a listener, where a request has one; nothing of it ever overrides what is asked.

    affinity: nearness to the taste orders tracks that hold what is asked equally well. recall: tracks near the taste join
    the candidates of requests that name nothing. open_requests: "play something" is answered from the taste instead of with
    a question. profile: UNDERSTAND's LM gets the taste in words. learned: the ranker beside the index is used, if any.
    """

    affinity: bool = True
    recall: bool = True
    recall_weight: float = Field(default=1.0, gt=0, le=4)
    open_requests: bool = True
    profile: bool = True
    learned: bool = True


class SafetySettings(Group):
    """The guards around the graph, a switch for each group; all off, answers are what the graph alone gives. Source: D-13, D-16.

    before: a request that carries instructions to a model is read by code alone, and instructions in catalog text and user
    data are struck out of every prompt. scope: requests that want something else than music are told so. middle: a plan must
    fit the tools, the intent and what was decided earlier. after: words of a model keep to a form, a script and no risky
    claims; no answer shows control characters. closure: what the final answer says beyond its contract is cut.
    outcomes: every fallback has a reason and an owner, and answers that a person should see are handed over.
    """

    before: bool = True
    scope: bool = True
    middle: bool = True
    after: bool = True
    closure: bool = True
    outcomes: bool = True

    @classmethod
    def none(cls) -> Self:
        """All of them off."""
        return cls.model_validate(dict.fromkeys(cls.model_fields, False))


class BreakerSettings(Group):
    """Confidence in what each node made, and the breaker that stops what is doubtful. Source: A-03 … A-18, A-30 unless said.

    own_weight: of the producer's own score against the validator's. validator, consumer: whether these are asked.
    factual, analytical, creative: thresholds by kind of task (the source's factual is 0.85; 0.8 on dev). step: how outcomes
    move them, at most by `reach` from where they began and within floor and ceiling; `fixed` keeps them where they are.
    cold_start: artifacts of a node version that are only recorded. retries: of an artifact, each with another
    perturbation in the order given. cool_down_s: how long a node whose retry failed goes by code alone. global_share:
    trips among the last `window` artifacts from which models are left alone for cool_down_s. drift: whose words are
    compared with what was asked by their vectors; drift_floor: cosine from which they are on the subject (the source has
    0.7 for another embedder). degraded: the threshold while the store or the validator is down; pause_s: how long it is
    then left alone.
    """

    enabled: bool = True
    own_weight: float = Field(default=0.4, ge=0, le=1)
    validator: bool = True
    consumer: bool = True
    factual: float = Field(default=0.8, ge=0, le=1)
    analytical: float = Field(default=0.75, ge=0, le=1)
    creative: float = Field(default=0.6, ge=0, le=1)
    fixed: bool = False
    step: float = Field(default=0.05, ge=0, le=0.5)
    reach: float = Field(default=0.05, ge=0, le=0.5)
    floor: float = Field(default=0.5, ge=0, le=1)
    ceiling: float = Field(default=0.95, ge=0, le=1)
    cold_start: int = Field(default=100, ge=0)
    retries: int = Field(default=1, ge=0, le=2)
    perturb: tuple[Literal["context", "temperature"], ...] = ("context", "temperature")
    warmer: float = Field(default=0.2, ge=0, le=1)
    cool_down_s: float = Field(default=30.0, ge=0)
    global_share: float = Field(default=0.3, gt=0, le=1)
    window: int = Field(default=100, ge=10)
    drift: Literal["model", "always", "never"] = "model"
    drift_floor: float = Field(default=0.2, ge=-1, le=1)
    degraded: float = Field(default=0.95, ge=0, le=1)
    pause_s: float = Field(default=30.0, ge=0)

    @classmethod
    def none(cls) -> Self:
        """Switched off."""
        return cls(enabled=False)


class ReviewSettings(Group):
    """The review queue. most_open: items that may wait for a person. Alarms of `melo review report`. Source: A-28, A-29, C-05.

    precision_low, precision_high: of the breaker, outside of which it is too sensitive or too loose. complete: least share of
    answers whose whole chain is kept. handed: most answers that go to people.
    """

    enabled: bool = True
    most_open: int = Field(default=1_000, ge=1)
    precision_low: float = Field(default=0.7, ge=0, le=1)
    precision_high: float = Field(default=0.95, ge=0, le=1)
    complete: float = Field(default=0.95, ge=0, le=1)
    handed: float = Field(default=0.05, ge=0, le=1)


class TrustSettings(Group):
    """Provenance. `store` False keeps no artifacts."""

    store: bool = True


class StoreSettings(Group):
    """The trace store. Addresses come from the environment alone: MELO_REDIS_URL, MELO_TRACE_URL.

    hot: where new traces are held for ttl_s (source: A-19, one hour); auto: in Redis where its address is given, else in
    memory. hot_mb: of the memory. pause_s: how long a Redis that failed is left alone. partitions: the stretch of time
    that one file holds. retention_days: whole partitions that are older go when the store is opened; 0 keeps all.
    check: every artifact is checked on receipt. tools, lm_calls, plan_steps: these become artifacts too. prompt_chars: of an LM
    call's prompt and reply that are kept beside their hash, each; 0 keeps the hash alone.
    """

    hot: Literal["auto", "none", "memory", "redis"] = "auto"
    ttl_s: int = Field(default=3_600, ge=1)
    hot_mb: int = Field(default=64, ge=1)
    pause_s: float = Field(default=5.0, gt=0)
    partitions: Literal["none", "month", "week"] = "month"
    retention_days: int = Field(default=0, ge=0)
    check: bool = True
    tools: bool = True
    lm_calls: bool = True
    plan_steps: bool = True
    prompt_chars: int = Field(default=2_000, ge=0, le=20_000)


class Settings(Group):
    """All settings of one program."""

    request: RequestLimits = RequestLimits()
    grounding: GroundingSettings = GroundingSettings()
    understand: UnderstandSettings = UnderstandSettings()
    plan: PlanSettings = PlanSettings()
    guards: GuardSwitches = GuardSwitches()
    execute: ExecuteSettings = ExecuteSettings()
    retry: RetrySettings = RetrySettings()
    wording: WordingSettings = WordingSettings()
    personal: PersonalSettings = PersonalSettings()
    lm: LMSettings = LMSettings()
    safety: SafetySettings = SafetySettings()
    breaker: BreakerSettings = BreakerSettings()
    review: ReviewSettings = ReviewSettings()
    trust: TrustSettings = TrustSettings()
    store: StoreSettings = StoreSettings()
    head_shortcut: bool = True
    assertions_off: frozenset[str] = frozenset()

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a TOML file.

        Raises:
            SettingsError: not readable, not TOML, an unknown key, or a value out of range; names the key.
        """
        try:
            return cls.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SettingsError(f"cannot read the settings file {path}: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            raise SettingsError(f"setting {name}: {first['msg']}") from error

    def hash(self) -> str:
        """SHA-256 of the canonical JSON, first 16 hex digits: names the settings in every result."""
        data = self.model_dump(mode="json")
        data["assertions_off"] = sorted(data["assertions_off"])
        canonical = type(self).model_construct(**data).model_dump_json(warnings=False)
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]
