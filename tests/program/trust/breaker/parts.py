"""What the breaker's tests are made of: a clock that stands still, programs with a breaker of their own, spoilt nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import dspy

from data.contracts import CandidateSet, Intent, Plan, Playlist, Verdict
from data.trust import Trip
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import BreakerSettings, LMSettings, Settings
from program.state import Resources, Session
from program.trust.breaker.breaker import Breaker
from program.trust.breaker.calibration import Calibration
from program.trust.breaker.log import BreakerLog
from tests.sessions import NAME

Spoil = Callable[[Any, Session], Any]


class Clock:
    """Shows what it was set to."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def __call__(self) -> float:
        """Seconds."""
        return self.at


def warm(**fields: Any) -> BreakerSettings:
    """Settings whose cold start is over."""
    return BreakerSettings.model_validate({"cold_start": 0, **fields})


def breaker(settings: BreakerSettings | None = None, log: BreakerLog | None = None, clock: Clock | None = None) -> Breaker:
    """A breaker by a clock that stands still, without calibration."""
    clock = clock or Clock()
    return Breaker(settings or warm(), log, calibration=Calibration(), clock=clock, now=clock)


def guarded(
    index: EmbeddedIndex,
    keeper: Breaker,
    lm: dspy.BaseLM | None = None,
    settings: Settings | None = None,
    *,
    store: Any = None,
    progress: Callable[[str], None] | None = None,
) -> Melo:
    """The whole program under this breaker; `lm` serves every node by its backbone, so that it can be perturbed."""
    chosen = (settings or Settings()).model_copy(update={"breaker": keeper.settings})
    if lm is None:
        return Melo(index, chosen, breaker=keeper, store=store, progress=progress)
    chosen = chosen.model_copy(update={"lm": LMSettings(name=NAME)})
    backbone = Backbone(NAME, lm, schema=True, embedded=False)
    return Melo(index, chosen, breaker=keeper, store=store, progress=progress, backbones=lambda _: backbone)


@dataclass
class Spoilt:
    """A node whose first outputs are spoilt. times: how many. by_code: whether the way by code is spoilt too."""

    node: Any
    spoil: Spoil
    times: int = 1
    by_code: bool = False
    runs: int = 0
    nudges: list[str] = field(default_factory=list)
    coded: list[bool] = field(default_factory=list)

    def __call__(self, session: Session, resources: Resources) -> Any:
        """Run, then spoil."""
        self.runs += 1
        self.nudges.append(session.nudge)
        self.coded.append(resources.by_code)
        output = self.node(session, resources)
        if self.runs > self.times or (resources.by_code and not self.by_code):
            return output
        return self.spoil(output, session)


def spoil(program: Melo, name: str, how: Spoil, **options: Any) -> Spoilt:
    """Spoil a node of a program."""
    attribute = "_execute" if name == "execute" else name
    spoilt = Spoilt(getattr(program, attribute), how, **options)
    setattr(program, attribute, spoilt)
    return spoilt


def off_topic(output: Any, session: Session) -> Any:
    """Words about football."""
    chosen, reply = output
    session.reply = reply.model_copy(
        update={"title": "Goals", "description": "Penalties and referees inside a crowded stadium tonight."}
    )
    return chosen, session.reply


def invented(found: CandidateSet, session: Session) -> CandidateSet:
    """The first candidate is a track that nobody holds."""
    first = found.candidates[0]
    entry = session.entries[first.track_id]
    track = entry.track.model_copy(update={"track_id": "nobody--nothing"})
    session.entries["nobody--nothing"] = replace(entry, track=track)
    spoilt = first.model_copy(update={"track_id": "nobody--nothing"})
    session.found = found.model_copy(update={"candidates": (spoilt, *found.candidates[1:])})
    return session.found


def forgetful(plan: Plan, session: Session) -> Plan:
    """No route holds a condition."""
    routes = tuple(call.model_copy(update={"args": call.args.model_copy(update={"constraints": ()})}) for call in plan.routes)
    session.plan = plan.model_copy(update={"routes": routes})
    return session.plan


def contrary(verdict: Verdict, session: Session) -> Verdict:
    """The opposite of what the gates say; what stood in the session before is broken too."""
    session.active, session.words, session.hint = (), ("nonsense",), "nonsense"
    session.ledger.changed.clear()
    session.fallbacks.clear()
    session.assertions["understand"] = ()
    action = "fallback" if verdict.is_sufficient else "proceed"
    session.verdict = verdict.model_copy(update={"action": action, "is_sufficient": not verdict.is_sufficient})
    return session.verdict


def deaf(intent: Intent, session: Session) -> Intent:
    """The conditions of the request are not heard."""
    session.intent = intent.model_copy(update={"constraints": ()})
    session.active = ()
    return session.intent


SPOILS: dict[str, Spoil] = {"understand": deaf, "plan": forgetful, "execute": invented, "synthesize": off_topic}


def seen(playlist: Playlist) -> tuple[object, ...]:
    """What a listener gets, without times and ids."""
    return (
        playlist.status, playlist.title, playlist.description, playlist.message, playlist.ledger, playlist.clarification,
        playlist.tracks, tuple(fault.code for fault in playlist.fallback), playlist.handover,
    )  # fmt: skip


def trip(number: int = 0, **fields: Any) -> Trip:
    """A trip of PLAN by code."""
    given: dict[str, Any] = {
        "trip_id": f"t-plan-{number}", "artifact_id": f"t-{number:02d}", "trace_id": f"t{number}", "node": "plan",
        "node_version": "1:code", "task": "analytical", "at": float(number), "own": 0.5, "validator": 0.2, "final": 0.32,
        "threshold": 0.75, "cause": "serves", "outcome": "queued",
    }  # fmt: skip
    return Trip.model_validate(given | fields)
