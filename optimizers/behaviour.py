"""What the graph did, read off its plans and verdicts: valid plans, repairs, disclosure. Pure functions."""

from __future__ import annotations

from data.contracts import Action
from data.labelled import RetryAction
from data.vocab.loader import load_vocabularies
from optimizers.records import AnswerRecord

RETRIES = ("retry_relaxed", "retry_rewrite")
_NUMBERED = frozenset({"era", "tempo", "popularity"})
_WITH_TRACKS = frozenset({"ok", "partial"})


def plan_is_valid(record: AnswerRecord) -> bool | None:
    """Whether every plan of the session could be carried out as it stands; None without a plan."""
    if not record.rounds:
        return None
    calls = [call for each in record.rounds for call in each.plan.routes]
    refused = any(tool.error and tool.error.kind in ("bad_args", "malformed") for each in record.rounds for tool in each.tools)
    return bool(calls) and not record.unknown_ids and not refused and not unknown_values(record)


def unknown_values(record: AnswerRecord) -> tuple[str, ...]:
    """Facet values in the plans that their vocabulary does not hold."""
    vocabularies = load_vocabularies()
    used = {
        (constraint.facet, value)
        for each in record.rounds
        for call in each.plan.routes
        for constraint in call.args.constraints
        for value in constraint.values
        if constraint.op != "range"
    }
    held = {facet: vocabulary.concepts for facet, vocabulary in vocabularies.items()}
    strange = [(facet, value) for facet, value in used if facet in held and value not in held[facet]]
    return tuple(sorted(f"{facet} {value}" for facet, value in strange if facet not in _NUMBERED))


def first_try(record: AnswerRecord) -> bool | None:
    """Whether every tool of the first round answered; None where none was called."""
    tools = record.rounds[0].tools if record.rounds else ()
    return all(tool.ok for tool in tools) if tools else None


def retries_of(record: AnswerRecord) -> tuple[Action, ...]:
    """The repairs that REFLECT asked for, in order."""
    return tuple(each.action for each in record.rounds if each.action in RETRIES)


def action_of(record: AnswerRecord) -> RetryAction:
    """What was done about a request that found too little; its first repair where there were several."""
    if record.status == "clarify":
        return "clarify"
    if retries := retries_of(record):
        return "relaxed" if retries[0] == "retry_relaxed" else "rewrite"
    gave_up = bool(record.rounds) and record.rounds[-1].action == "fallback"
    return "fallback" if gave_up or record.status not in _WITH_TRACKS else "none"


def retry_scores(record: AnswerRecord) -> dict[str, bool | str | None]:
    """The scores of REFLECT's verdicts, by their names in `RowScores`."""
    actions, retries = [each.action for each in record.rounds if each.action], retries_of(record)
    return {
        "thin": bool(actions) and not record.rounds[0].sufficient,
        "triggered": bool(retries),
        "unrepaired": bool(actions) and actions[0] == "fallback",
        "retried": retries[0] if retries else "",
        "recovered": actions[-1] == "proceed" if retries else None,
    }


def changed_constraints(record: AnswerRecord) -> dict[str, bool]:
    """Constraints that the last plan searched otherwise than they were asked → whether the answer's ledger tells.

    Read off the plan itself, not off what the program says that it changed.
    """
    plan = record.plan
    if plan is None or record.reading is None or not plan.routes or record.status not in _WITH_TRACKS:
        return {}
    searched = {constraint.constraint_id: constraint for call in plan.routes for constraint in call.args.constraints}
    told = {entry.constraint_id for entry in record.ledger if entry.state != "kept"}
    asked = record.reading.constraints
    return {c.constraint_id: c.constraint_id in told for c in asked if searched.get(c.constraint_id) != c}
