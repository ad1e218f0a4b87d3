"""PLAN's second half: the L3 guards on a compiled plan, and the remedies of what they find, before any tool fires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from data.contracts import GuardHit, Intent, Plan
from program.grounding.guards import GuardInput, Sketch, apply_guards
from program.grounding.guards.remedies import mended, without
from program.nodes.compile import compile_plan, default_sketch
from program.nodes.describe import exclusions
from program.retry.ledger import Ledger
from program.state import Resources, Session
from program.tools.registry import eligible_tools, served

_MENDINGS = 3
"""How often an intent is mended by hand when mending brings up something new."""


@dataclass(frozen=True)
class Checked:
    """A plan after the guards.

    Attributes:
        given: the intent and the plan that they looked at. plan: without what they reject.
    """

    given: GuardInput
    plan: Plan
    hits: tuple[GuardHit, ...]

    @property
    def is_misread(self) -> bool:
        """Whether the request was taken for something else, rather than for one thing too many."""
        other = any(hit.remedy in ("broaden", "safer_retriever") or hit.guard == "works_exclusion" for hit in self.hits)
        return other or (bool(self.hits) and not self.plan.routes)

    @property
    def wants_other_routes(self) -> bool:
        """Whether the tools should be chosen anew."""
        return any(hit.remedy == "revise" for hit in self.hits)


def checked(session: Session, resources: Resources, sketch: Sketch) -> Checked:
    """The sketch compiled for the session's intent, and looked over."""
    intent, settings = session.need_intent(), resources.settings
    plan = compile_plan(intent, session, sketch, settings)
    given = GuardInput(intent, plan, session.text, session.understanding, resources.index, settings.grounding)
    kept, hits = apply_guards(given, settings.guards.enabled)
    return Checked(given, kept, hits)


def remedied(session: Session, resources: Resources, found: Checked) -> Checked:
    """The plan with what is too much taken out of it, or, where the request was misread, another plan.

    Sets the session's intent, and with other constraints the ledger too. What an earlier round found and could not
    mend is not tried again, so that nothing is undone that was relaxed since.
    """
    known = session.plan.guard_hits if session.plan and session.round > 0 else ()
    if found.is_misread and any(hit.remedy != "revise" and hit not in known for hit in found.hits):
        return _reread(session, resources, found)
    session.intent = without(session.need_intent(), (hit.target for hit in found.hits if hit.remedy == "drop"))
    return found


def _reread(session: Session, resources: Resources, found: Checked) -> Checked:
    """Code's best reading that the guards let pass, else the intent mended by hand. The hits are the old and the new ones."""
    for intent in _other_readings(session, found):
        trial = _trial(intent, session, resources)
        if intent.absent or not trial.is_misread:
            return _adopted(trial, session, found)
    trial = found
    for _ in range(_MENDINGS):
        trial = _trial(mended(trial.given, trial.hits), session, resources)
        if not trial.is_misread:
            break
    return _adopted(trial, session, found)


def _other_readings(session: Session, found: Checked) -> list[Intent]:
    """Code's readings that may take the intent's place: first those that use its own names, also its context, and no new one."""
    own = {entity.entity_id for entity in found.given.intent.entities}
    fitting = _fitting_readings(session, found)
    return sorted(fitting, key=lambda intent: not {e.entity_id for e in intent.by_role("target", "seed")} <= own)


def _fitting_readings(session: Session, found: Checked) -> Iterator[Intent]:
    """Those that keep every exclusion, use nothing that was rejected, and hold what a guard put in its place, best first.

    One that says a name is absent counts only where a guard found that the named work is not held.
    """
    intent = found.given.intent
    rejected = {hit.target for hit in found.hits if hit.remedy in ("drop", "broaden")}
    wanted = {hit.target for hit in found.hits if hit.remedy == "safer_retriever"}
    kept = {entity.entity_id for entity in intent.by_role("target", "seed")} - rejected
    missing = any(hit.guard == "works_exclusion" and hit.remedy == "drop" for hit in found.hits)
    for reading in session.understanding.readings if session.understanding else ():
        names = {entity.entity_id for entity in reading.intent.by_role("target", "seed")}
        fits = names.isdisjoint(rejected) and (not wanted or not names.isdisjoint(wanted))
        fits = fits and len(names) <= max(1, len(kept))  # it takes nothing new for a name
        keeps = exclusions(intent) <= exclusions(reading.intent)
        if reading.intent != intent and fits and keeps and (missing or not reading.intent.absent):
            yield reading.intent if session.n is None else reading.intent.model_copy(update={"size": session.n})


def _trial(intent: Intent, session: Session, resources: Resources) -> Checked:
    """What the guards say to code's own plan for another intent; the session stays as it is."""
    same = intent.constraints == session.need_intent().constraints
    other = replace(session, intent=intent, active=session.active if same else intent.constraints)
    among = served(resources.index, resources.settings.execute)
    tools = eligible_tools(intent.model_copy(update={"constraints": other.active}), bool(session.words), among)
    return checked(other, resources, default_sketch(intent, tools, session.round))


def _adopted(trial: Checked, session: Session, found: Checked) -> Checked:
    intent = trial.given.intent
    if intent.constraints != session.need_intent().constraints:
        session.active, session.ledger = intent.constraints, Ledger(intent.constraints)
    session.intent = intent
    return replace(trial, hits=merged(found.hits, trial.hits))


def merged(*groups: tuple[GuardHit, ...]) -> tuple[GuardHit, ...]:
    """All hits in order, each once."""
    return tuple(dict.fromkeys(hit for hits in groups for hit in hits))
