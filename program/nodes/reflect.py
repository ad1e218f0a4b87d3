"""REFLECT: two gates, then a diagnosis and a repair chosen among changes that code has counted on the index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import dspy
from pydantic import Field

from data.contracts import Action, Constraint, GateReport, Intent, Verdict
from program.index.protocol import CatalogIndex, Filter
from program.lm.ask import Check
from program.lm.schema import one_of, some_of
from program.nodes.asking import ask_node
from program.nodes.causes import told_cause
from program.nodes.compile import fixed_args
from program.nodes.describe import constraint_words, exclusions, intent_words, value_label
from program.retry.core_first import holds
from program.retry.counts import Count, counter
from program.retry.gates import gate, match_score
from program.retry.ledger import Ledger
from program.retry.options import Change, changes
from program.retry.plan import Choice, apply, cheapest, choice_of
from program.state import Resources, Session
from program.tools.protocol import filter_of
from signatures.reflect import Reflect

_MAX_CAUSE = 80
_GOOD_ENOUGH = 0.5
"""A model's set of changes must reach this share of what code's own cheapest set reaches."""
_COST_SLACK = 0.5


@dataclass(frozen=True)
class Repair:
    """What REFLECT may choose from. own: code's cheapest set; rewrites: other readings with more tracks, by number."""

    offered: tuple[Change, ...]
    own: Choice | None
    rewrites: dict[str, tuple[Intent, int]]
    count: Count


class ReflectNode(dspy.Module):
    """Candidates → `Verdict`; on a retry it also applies the repair to the session."""

    def __init__(self) -> None:
        super().__init__()
        self.reflect = dspy.Predict(Reflect)

    def forward(self, session: Session, resources: Resources) -> Verdict:
        """Judge the round; both gates passed, or nothing to loosen, needs no LM."""
        settings = resources.settings.retry
        intent, found = session.need_intent(), session.need_found()
        report = gate(intent, found.candidates, session.active, session.entries, settings)
        session.verdict = self._decide(session, resources, report)
        return session.verdict

    def _decide(self, session: Session, resources: Resources, report: GateReport) -> Verdict:
        settings, intent = resources.settings.retry, session.need_intent()
        if (lost := _lost_core(session)) and report.size_ok:
            asked = ", ".join(map(constraint_words, lost))
            return _verdict("fallback", session, report, f"no track holds {asked} as asked; what comes near is given")
        if (report.size_ok and report.coverage_ok) or intent.personal != "none" or intent.absent:
            return _verdict("proceed", session, report, "both gates passed" if report.size_ok else "nothing to retry")
        results = session.need_found().results
        if results and not any(result.ok for result in results):
            return _verdict("fallback", session, report, "no retrieval tool answered")
        if not settings.enabled or session.round >= settings.max_rounds:
            reason = "retry is switched off" if not settings.enabled else f"{session.round} rounds are spent"
            return _verdict(_last_resort(report), session, report, reason)
        held = counter(resources.index, base_filter(intent))(session.active)
        if session.active and held >= report.needed:
            return _verdict("proceed", session, report, f"the catalog holds {held}; a tool brought fewer")
        repair = _repair(session, resources, report)
        if repair.own is None and not repair.rewrites:
            return _verdict(_last_resort(report), session, report, "nothing that can be loosened adds a track")
        return self._repaired(session, resources, report, repair)

    def _repaired(self, session: Session, resources: Resources, report: GateReport, repair: Repair) -> Verdict:
        prediction = self._ask(session, resources, report, repair)
        if prediction is None:
            return _apply_choice(session, report, repair, repair.own, _own_rewrite(repair), _own_cause(session, report))
        facts = (*map(_change_line, repair.offered), *(intent_words(intent) for intent, _ in repair.rewrites.values()))
        action = str(prediction.action)
        cause = told_cause(str(prediction.cause), _own_cause(session, report), facts, session, resources)
        if action == "retry_rewrite":
            return _apply_choice(session, report, repair, None, str(prediction.reading), cause)
        chosen = choice_of(
            list(prediction.chosen), session.active, repair.offered, repair.count, must_keep=keeps_something(session)
        )
        choice = chosen if isinstance(chosen, Choice) else repair.own
        return _apply_choice(session, report, repair, choice, None, cause)

    def _ask(self, session: Session, resources: Resources, report: GateReport, repair: Repair) -> dspy.Prediction | None:
        inputs: dict[str, object] = {
            "request": session.text,
            "found": f"{report.total} of {report.needed} needed match: {intent_words(session.need_intent(), session.active)}",
            "changes": "\n".join(map(_change_line, repair.offered)) or "none",
            "readings": "\n".join(f"{name}: {intent_words(i)} ({n} tracks)" for name, (i, n) in repair.rewrites.items())
            or "none",
        }
        return ask_node(
            self.reflect, inputs, session, resources, node="reflect", types=_types(repair, resources),
            checks=_checks(session, repair), max_tokens=90,
        )  # fmt: skip


def _chosen(prediction: dspy.Prediction, session: Session, repair: Repair) -> Choice | str:
    keep = keeps_something(session)
    return choice_of(list(prediction.chosen), session.active, repair.offered, repair.count, must_keep=keep)


def _verdict(action: Action, session: Session, report: GateReport, reason: str, **extra: Any) -> Verdict:
    found = session.need_found()
    return Verdict(
        action=action, is_sufficient=report.size_ok and report.coverage_ok, total_candidates=report.total,
        semantic_match_score=match_score(found.candidates, session.need_intent().constraints), reason=reason, **extra,
    )  # fmt: skip


def _lost_core(session: Session) -> list[Constraint]:
    """What the request is about, where it had to be loosened and none of the candidates holds it as it was asked.

    A facet that the catalog does not hold cannot be judged: words stand in for it, and it is not lost.
    """
    if not session.ledger.loosened_core:
        return []
    core = session.ledger.core()
    found = (session.entries[candidate.track_id] for candidate in session.need_found().candidates)
    return [] if any(holds(entry, core) for entry in found) else core


def _last_resort(report: GateReport) -> Action:
    """Without a repair left: what was found is enough for a partial answer, or it is not."""
    return "proceed" if report.size_ok and report.coverage_ok else "fallback"


def keeps_something(session: Session) -> bool:
    """Whether a repair must leave a condition standing: with no name to hold on to, what is popular would come back."""
    return not session.need_intent().by_role("target", "seed") and not session.words


def base_filter(intent: Intent) -> Filter:
    """The filter of everything that is never loosened: verified names and exclusions."""
    return filter_of(fixed_args(intent))


def _repair(session: Session, resources: Resources, report: GateReport) -> Repair:
    index, settings = resources.index, resources.settings.retry
    count = counter(index, base_filter(session.need_intent()))
    found = changes(session.active, count, index)
    most = settings.max_applied if session.round == 0 else len(session.active)
    own = cheapest(session.active, found, report.needed, count, most=most, must_keep=keeps_something(session))
    first = own.changes if own else ()
    rest = sorted((change for change in found if change not in first), key=lambda c: (-c.relaxation.gain, c.relaxation.cost))
    offered = tuple([*first, *rest][: settings.max_relaxations])
    return Repair(offered, own, _rewrites(session, index, report), count)


def _rewrites(session: Session, index: CatalogIndex, report: GateReport) -> dict[str, tuple[Intent, int]]:
    """Other complete readings of the request that match more tracks; only in the first round."""
    if session.round > 0 or session.understanding is None:
        return {}
    found: dict[str, tuple[Intent, int]] = {}
    for number, reading in enumerate(session.understanding.readings[1:], 1):
        if not reading.complete or reading.intent.absent or reading.intent == session.intent:
            continue
        if len(reading.intent.constraints) < len(session.need_intent().constraints):
            continue
        if not exclusions(session.need_intent()) <= exclusions(reading.intent):
            continue  # what the listener ruled out stays out
        total = counter(index, base_filter(reading.intent))(reading.intent.constraints)
        if total > report.total:
            found[f"r{number}"] = (reading.intent, total)
    return found


def _own_rewrite(repair: Repair) -> str | None:
    """Code rewrites only when loosening gives nothing."""
    return next(iter(repair.rewrites), None) if repair.own is None else None


def _own_cause(session: Session, report: GateReport) -> str:
    conditions = ", ".join(map(constraint_words, session.active)) or "the request"
    return f"only {report.total} of {report.needed} needed tracks match {conditions}"


def _change_line(change: Change) -> str:
    loosened = change.relaxation
    before = ", ".join(value_label(change.facet, value) for value in loosened.from_ if value)
    how = f"{loosened.op} {before} to {loosened.label}"
    return f"{loosened.relaxation_id}: {how} (+{loosened.gain}, cost {loosened.cost:g})"


def _types(repair: Repair, resources: Resources) -> dict[str, Any]:
    actions = [*(["retry_relaxed"] if repair.own else []), *(["retry_rewrite"] if repair.rewrites else [])]
    least = 1 if actions == ["retry_relaxed"] else 0
    ids = tuple(change.relaxation.relaxation_id for change in repair.offered) or ("none",)
    most = len(repair.own.changes) if repair.own else resources.settings.retry.max_applied
    return {
        "action": one_of(tuple(actions)),
        "chosen": some_of(ids, least=least, most=most),
        "reading": one_of(("none", *repair.rewrites)),
        "cause": Annotated[str, Field(max_length=_MAX_CAUSE)],
    }


def _checks(session: Session, repair: Repair) -> tuple[Check, ...]:
    """The node's assertions: the action has what it needs, and the chosen changes are worth their cost."""

    def consistent(prediction: dspy.Prediction) -> str | None:
        if prediction.action == "retry_rewrite" and prediction.reading not in repair.rewrites:
            return "retry_rewrite needs one of the offered reading numbers"
        return None

    def worthwhile(prediction: dspy.Prediction) -> str | None:
        if prediction.action != "retry_relaxed":
            return None
        choice = choice_of(
            list(prediction.chosen), session.active, repair.offered, repair.count, must_keep=keeps_something(session)
        )
        if isinstance(choice, str):
            return choice
        own = repair.own
        if own and choice.count < _GOOD_ENOUGH * own.count and choice.count < session.need_intent().size:
            return f"they reach only {choice.count} tracks; {', '.join(own.ids)} reach {own.count}"
        if own and choice.cost > own.cost + _COST_SLACK:
            return f"they give up more than needed; {', '.join(own.ids)} cost {own.cost:g}"
        return None

    return (Check("action_consistent", consistent), Check("changes_worthwhile", worthwhile))


def _apply_choice(
    session: Session, report: GateReport, repair: Repair, choice: Choice | None, rewrite: str | None, cause: str
) -> Verdict:
    """Write the repair into the session (constraints, ledger, hint, round) and return the verdict that says so."""
    if rewrite is not None and rewrite in repair.rewrites:
        intent, total = repair.rewrites[rewrite]
        if session.n is not None:
            intent = intent.model_copy(update={"size": session.n})
        session.intent, session.active, session.ledger = intent, intent.constraints, Ledger(intent.constraints)
        suggestion = f"read the request as: {intent_words(intent)} ({total} tracks)"
        session.hint, session.round = f"{cause}. {suggestion}", session.round + 1
        return _verdict("retry_rewrite", session, report, cause, corrected_understanding=intent, suggestion=suggestion)
    if choice is None:
        return _verdict(_last_resort(report), session, report, cause)
    suggestion = "; ".join(_change_line(change) for change in choice.changes)
    session.ledger.record(choice.changes, session.round + 1, cause or _own_cause(session, report))
    session.words = tuple(dict.fromkeys((*session.words, *(c.words for c in choice.changes if c.words))))
    session.active = apply(session.active, choice.changes)
    session.hint, session.round = f"{cause}. {suggestion}", session.round + 1
    return _verdict("retry_relaxed", session, report, cause, relaxation_ids=choice.ids, suggestion=suggestion)
