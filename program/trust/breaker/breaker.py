"""The circuit breaker around the nodes: judge what one made, ask again, fall back to code, call a person. Source: A-02 … A-18."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from data.contracts import CandidateSet, Confidence, Fallback
from data.errors import MeloError
from data.trust import NodeRecord, Trip, TripOutcome
from program.settings import BreakerSettings
from program.state import Resources, Session
from program.trust.breaker.calibration import Calibration, packaged
from program.trust.breaker.circuit import Circuit
from program.trust.breaker.confidence import Assessment, confidence, own_alone
from program.trust.breaker.explain import cause_of, doubt, similar
from program.trust.breaker.log import BreakerLog, MemoryLog
from program.trust.breaker.own import BY_CODE, maker, own_score
from program.trust.breaker.snapshot import Snapshot, asked_since, snapshot
from program.trust.breaker.tasks import TASKS
from program.trust.breaker.thresholds import is_cold, moved, starting
from program.trust.breaker.validators import RECEIVED, VALIDATORS
from program.users.listener import user_key

Node = Callable[[Session, Resources], Any]
Doubted = Callable[[Any, Confidence], str]
"""Records a stopped output and its confidence, and gives the artifact's id."""
_PAUSED, _DEGRADED = "breaker_paused", "breaker_degraded"


class Breaker:
    """One for all sessions of a program.

    Args:
        log: what it remembers, and where.
        clock: seconds, monotonic. now: seconds since 1970.
        program: part of every node version: a compiled program is another agent than the plain one.
    """

    def __init__(
        self,
        settings: BreakerSettings,
        log: BreakerLog | None = None,
        *,
        program: str = "",
        calibration: Calibration | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.settings, self.log = settings, log or MemoryLog()
        self.circuit = Circuit(settings, clock)
        self._program, self._calibration = program, calibration or packaged()
        self._clock, self._now = clock, now
        self._validator_down_until = self._store_down_until = float("-inf")
        self._why = ""

    def run(self, name: str, node: Node, session: Session, resources: Resources, version: str, doubted: Doubted) -> Any:
        """Run a node; its output, or what was made in its place.

        Args:
            version: of the node's code. doubted: keeps what was stopped.
        """
        if not self.settings.enabled:
            return node(session, resources)
        resources = self._left_alone(name, session, resources)
        output = self._watched(name, node, session, resources, snapshot(session), version, doubted)
        if self._clock() < self._validator_down_until:
            told = f"nothing but own scores count for a while: the validator failed ({self._why})"
            session.note(Fallback(node="guard", kind="infrastructure", code=_DEGRADED, message=told))
        return output

    def _watched(
        self, name: str, node: Node, session: Session, resources: Resources, before: Snapshot, version: str, doubted: Doubted
    ) -> Any:
        watched = _Run(self, name, node, session, before, version)
        output = watched.once(resources)
        if not watched.is_low:
            self.circuit.observe(tripped=False)
            return output
        if watched.is_cold or (self.is_degraded and not watched.asked):
            watched.trip("recorded", "")
            return output
        self.circuit.observe(tripped=True)
        return watched.mend(output, resources, doubted)

    @property
    def is_degraded(self) -> bool:
        """Whether the store or the validator is down: own scores alone count, against a higher threshold. Source: A-30."""
        return self._clock() < max(self._validator_down_until, self._store_down_until)

    @property
    def store_is_down(self) -> bool:
        """Whether the trace store failed a moment ago and is left alone."""
        return self._clock() < self._store_down_until

    def store_failed(self) -> None:
        """The trace store does not take what was made; it is left alone for a while."""
        if not self.store_is_down:
            self._store_down_until = self._clock() + self.settings.pause_s

    def validator_failed(self, why: str = "it does not answer") -> None:
        """What the validator asks (the index, the embedder) does not answer; it is left alone for a while."""
        self._why = " ".join(why.split())
        self._validator_down_until = self._clock() + self.settings.pause_s

    def assess(
        self, name: str, output: Any, session: Session, resources: Resources, before: Snapshot
    ) -> tuple[Assessment, Confidence]:
        """The signals about an output, and the confidence that follows from them."""
        own = own_score(name, output, session, before, self._calibration)
        if self._clock() < self._validator_down_until:
            return Assessment(own), own_alone(Assessment(own))
        try:
            seen = VALIDATORS[name](output, session, resources, before) if self.settings.validator else ()
            received = RECEIVED[name](output, session, resources, before) if self.settings.consumer and name in RECEIVED else ()
        except (MeloError, OSError, RuntimeError) as error:
            self.validator_failed(str(error))
            return Assessment(own), own_alone(Assessment(own))
        found = Assessment(own, seen, received)
        return found, own_alone(found) if self.is_degraded else confidence(found, self.settings)

    def threshold(self, name: str, record: NodeRecord | None) -> float:
        """What a node's confidence is held against now."""
        if self.is_degraded:
            return self.settings.degraded
        if record is None or self.settings.fixed:
            return starting(name, self.settings)
        return record.threshold

    def version(self, version: str, made_by: str) -> str:
        """Who made an output: the node's code, the backbone or code alone, and the compiled program."""
        return ":".join([version, made_by, *([self._program] if self._program and made_by != BY_CODE else [])])

    def _left_alone(self, name: str, session: Session, resources: Resources) -> Resources:
        """Without models while the node's circuit or the global one is open, which is said on the answer."""
        if resources.backbones.get(name) is None or resources.backbones[name].lm is None:
            return resources
        if self.circuit.is_paused:
            message = (
                f"more than {self.settings.global_share:.0%} of what was made lately was doubtful: code answers alone for now"
            )
            session.note(Fallback(node="guard", kind="policy", code=_PAUSED, message=message))
            return replace(resources, by_code=True)
        return replace(resources, by_code=True) if self.circuit.is_open(name) else resources

    def now(self) -> float:
        """Seconds since 1970."""
        return self._now()


class _Run:
    """One node of one session, with its retries."""

    def __init__(self, breaker: Breaker, name: str, node: Node, session: Session, before: Snapshot, version: str) -> None:
        self._breaker, self._name, self._node = breaker, name, node
        self._session, self._before, self._version = session, before, version
        self._artifact_id = ""
        self.asked = False

    def once(self, resources: Resources) -> Any:
        """Run and judge."""
        breaker, session = self._breaker, self._session
        output = self._node(session, resources)
        self.asked = self.asked or asked_since(self._name, session, self._before)
        self.found, self.confidence = breaker.assess(self._name, output, session, resources, self._before)
        made_by = maker(self._name, session, self._before)
        self.node_version = breaker.version(self._version, made_by)
        self.record = breaker.log.record(self._name, self.node_version)
        self.threshold = breaker.threshold(self._name, self.record)
        session.confidence[self._name] = self.confidence
        drifted = any(signal.name == "drift" and signal.score < 1 for signal in self.found.signals)
        start = starting(self._name, breaker.settings)
        breaker.log.observe(self._name, self.node_version, self.confidence.final, drifted=drifted, threshold=start)
        return output

    @property
    def is_low(self) -> bool:
        """Whether the last output is doubtful."""
        return self.confidence.final < self.threshold

    @property
    def is_cold(self) -> bool:
        """Whether too little is known of who made it to stop it."""
        return is_cold(self.record, self._breaker.settings)

    def mend(self, output: Any, resources: Resources, doubted: Doubted) -> Any:
        """Ask again, then go by code; what is still doubtful is for a person."""
        first = (self.found, self.confidence, self.threshold, self.node_version)
        self._artifact_id = doubted(output, self.confidence)
        changed = False
        for how in () if self._breaker.is_degraded else self._breaker.settings.perturb[: self._breaker.settings.retries]:
            again = self._again(self._perturbed(how, resources), doubt(first[0].worst()))
            changed = changed or _made(again) != _made(output)
            if not self.is_low:
                return self._tell(first, "recovered", how, again, moves=changed)
        last = self._again(replace(resources, by_code=True), "")
        if self.asked or changed:
            self._breaker.circuit.open(self._name)
        return self._tell(
            first, "queued" if self.is_low else "degraded", "" if self.is_low else "deterministic", last, moves=changed
        )

    def _again(self, resources: Resources, why: str) -> Any:
        self._before = self._before.again(self._session)
        self._session.nudge = f"your last answer was doubtful: {why}; look again" if why else ""
        output = self.once(resources)
        self._session.nudge = ""
        return output

    def _perturbed(self, how: str, resources: Resources) -> Resources:
        """The same with a warmer model, where that is the perturbation; the words are in the session either way."""
        backbone = resources.backbones.get(self._name)
        if how != "temperature" or backbone is None or backbone.lm is None:
            return resources
        warmer = float(backbone.lm.kwargs.get("temperature") or 0.0) + self._breaker.settings.warmer
        lm = backbone.lm.copy(temperature=min(1.0, warmer))
        return replace(resources, backbones={**resources.backbones, self._name: replace(backbone, lm=lm)})

    def _tell(self, first: tuple[Any, ...], outcome: TripOutcome, fix: str, output: Any, *, moves: bool) -> Any:
        self.found, self.confidence, self.threshold, self.node_version = first
        self.trip(outcome, fix, moves=moves)
        return output

    def trip(self, outcome: TripOutcome, fix: str, *, moves: bool = False) -> None:
        """Note that the artifact was stopped (or would have been), and count it."""
        breaker, session, settings = self._breaker, self._session, self._breaker.settings
        worst = self.found.worst()
        cause, number = cause_of(worst), len(session.trips)
        told = Trip(
            trip_id=f"{session.trace_id}-{self._name}-{number}", artifact_id=self._artifact_id, trace_id=session.trace_id,
            node=self._name, node_version=self.node_version, task=TASKS[self._name], at=breaker.now(),  # type: ignore[index]
            own=self.confidence.own, validator=self.confidence.validator, final=self.confidence.final, threshold=self.threshold,
            signals=worst, cause=cause, outcome=outcome, fix=fix, similar=similar(breaker.log.trips(), self._name, cause),
            user_key=user_key(session.listener.user_id) if session.listener else "",
        )  # fmt: skip
        session.trips.append(told)
        held = breaker.log.record(self._name, self.node_version)
        threshold = held.threshold if held else self.threshold
        if moves and not settings.fixed and not breaker.is_degraded:
            threshold = moved(threshold, self._name, mended=outcome == "recovered", settings=settings)
        breaker.log.add(told, threshold)


def _made(output: Any) -> Any:
    """An output without what no two runs have alike: how long its tools took."""
    return output.candidates if isinstance(output, CandidateSet) else output
