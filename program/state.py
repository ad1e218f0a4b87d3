"""The typed state of one session: what the nodes have decided so far, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from data.contracts import (
    AssertionOutcome,
    CandidateSet,
    Confidence,
    Constraint,
    Fallback,
    Intent,
    Plan,
    Reply,
    ReplyContract,
    Verdict,
)
from data.planning import PlanStep
from data.trust import Trip
from program.grounding.other_tasks import OtherTask
from program.grounding.readings import Understanding
from program.index.protocol import CatalogIndex, TrackEntry
from program.lm.backbones import Backbone
from program.lm.meter import Meter
from program.retry.ledger import Ledger
from program.settings import Settings
from program.tools.weights import HAND_SET, Weights
from program.users.listener import Listener


@dataclass(frozen=True)
class Resources:
    """What every node is given; nothing else reaches it.

    Attributes:
        backbones: by node name.
        clock: seconds, monotonic. weights: of the ranking features, hand-set or learned.
        by_code: no model is asked, whatever the backbones are.
    """

    index: CatalogIndex
    settings: Settings
    backbones: dict[str, Backbone]
    clock: Callable[[], float]
    weights: Weights = HAND_SET
    by_code: bool = False


@dataclass
class Session:
    """One request on its way through the graph.

    Attributes:
        text: the request after the pre-guard. listener: whose request it is, as far as anything is known.
        active: the constraints as they stand, after relaxations.
        words: what stands in for constraints that the catalog cannot check.
        hint: REFLECT's words for the next PLAN.
        entries: every catalog record that was read, by track id.
        contract: what the words about the answer may say, once SYNTHESIZE has run.
        task: what the request wants instead of music, as far as its words tell; the catalog may know them as a name.
        steps: of PLAN's loop in this round, until they are recorded.
        suspect: kinds of markers in the request that speak to a model; with any, no model is asked.
        nudge: what a model is told when it is asked once more because its answer was doubtful.
        confidence: by node, of its last artifact. trips: what the breaker stopped.
    """

    text: str
    trace_id: str
    meter: Meter
    n: int | None = None
    listener: Listener | None = None
    understanding: Understanding | None = None
    intent: Intent | None = None
    active: tuple[Constraint, ...] = ()
    words: tuple[str, ...] = ()
    hint: str = ""
    round: int = 0
    plan: Plan | None = None
    found: CandidateSet | None = None
    verdict: Verdict | None = None
    ledger: Ledger = field(default_factory=lambda: Ledger(()))
    reply: Reply | None = None
    entries: dict[str, TrackEntry] = field(default_factory=dict)
    contract: ReplyContract | None = None
    steps: list[PlanStep] = field(default_factory=list)
    suspect: tuple[str, ...] = ()
    task: OtherTask | None = None
    nudge: str = ""
    confidence: dict[str, Confidence] = field(default_factory=dict)
    trips: list[Trip] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    assertions: dict[str, tuple[AssertionOutcome, ...]] = field(default_factory=dict)
    timings_ms: dict[str, float] = field(default_factory=dict)

    def need_intent(self) -> Intent:
        """The intent, once UNDERSTAND has run."""
        assert self.intent is not None
        return self.intent

    def need_found(self) -> CandidateSet:
        """The candidates, once EXECUTE has run."""
        assert self.found is not None
        return self.found

    def note(self, fault: Fallback | None) -> None:
        """Remember a fallback; the same one is kept once."""
        if fault is not None and fault not in self.fallbacks:
            self.fallbacks.append(fault)
