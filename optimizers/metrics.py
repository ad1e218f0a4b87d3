"""Scores of one answer against its label, and what a node should learn from it. Pure functions; definitions: architecture §7.

Every score that does not apply to a request is None, so a mean over the others is a mean over what it speaks of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from data.contracts import Contract
from data.labelled import LabelledRow
from optimizers.behaviour import action_of, changed_constraints, first_try, plan_is_valid, retry_scores
from optimizers.compare import ConditionItem, condition_counts
from optimizers.naming import Mistake, abstained, ambiguity_right, false_absences, mistake_of, mistakes
from optimizers.quality import collapse, ndcg, preserved, success
from optimizers.records import AnswerRecord
from program.trust.after import ANSWER_CLOSES


class RowScores(Contract):
    """How one answer did.

    Attributes:
        crashed: why there is no answer. It counts as a failure in every score that applies, under its own name.
        mistake: misidentification of the plan's entities; None for an ambiguous request.
        conditions: right, extra and missing items of constraints; None for a request without any.
        plan_valid: every id is held, every value is in its vocabulary, no tool refused its arguments. first_try: every
            tool of the first round answered. None without a plan.
        thin: a gate failed in the first round. triggered: REFLECT asked for another round. unrepaired: it gave up at once,
            with nothing to loosen.
        retried: its first repair. recovered: the last verdict was to proceed; None unless triggered.
        preserved: every core condition of the label holds for most returned tracks; None unless recovered, or without any.
        changes: constraints that the last plan holds otherwise than they were asked; disclosed: those in the ledger.
        collapse: share of returned tracks that hold no positive condition and are of no wanted name.
        hallucinated: ids in plan or answer that the catalog does not hold.
        ndcg_at_20: with gains 2^grade - 1, cut off at the asked size. success: at least the labelled number of good tracks,
            or none where the honest answer is none. None for personal sets: whose they are is not labelled.
        handed_over: a person should look at the answer. cut: something was taken out of it that its contract does not hold;
            None where nothing was closed.
        asked: a question came back. should_ask: asking is the best answer; may_ask: one of the acceptable ones.
        ambiguity_right: of an ambiguous request: one of the acceptable answers.
        abstained: every absent name is told as absent and nothing is played for it; None without one.
        false_abstention: a name is told as absent that is not.
        action: what was done about too little; action_right: the label accepts it.
    """

    qid: str
    set: str
    kind: str
    crashed: str = ""
    mistake: Mistake | None = None
    conditions: tuple[tuple[ConditionItem, ...], tuple[ConditionItem, ...], tuple[ConditionItem, ...]] | None = None
    plan_valid: bool | None = None
    first_try: bool | None = None
    thin: bool = False
    triggered: bool = False
    unrepaired: bool = False
    retried: Literal["", "retry_relaxed", "retry_rewrite"] = ""
    recovered: bool | None = None
    preserved: bool | None = None
    changes: int = 0
    disclosed: int = 0
    collapse: float | None = None
    hallucinated: int = 0
    ndcg_at_20: float | None = None
    success: bool | None = None
    handed_over: bool = False
    cut: bool | None = None
    asked: bool = False
    should_ask: bool = False
    may_ask: bool = False
    ambiguity_right: bool | None = None
    abstained: bool | None = None
    false_abstention: bool | None = None
    action: str = ""
    action_right: bool = False

    @property
    def misidentified(self) -> bool | None:
        """Whether the plan's entities differ from the label's."""
        return None if self.mistake is None else self.mistake != "none"


def score(row: LabelledRow, record: AnswerRecord, ideal: Mapping[int, int]) -> RowScores:
    """All scores of one answer.

    Args:
        ideal: grade (1 to 3) → playable tracks of the catalog that are worth it for this row.
    """
    scores = _labels(row) | (_failed(row, record, ideal) if record.crashed else _answered(row, record, ideal))
    return RowScores.model_validate(scores)


def objective(scores: RowScores) -> float:
    """One figure for one answer, 0..1, higher is better: the mean of everything about it that applies.

    Names, conditions, a valid plan, telling what is absent, asking where nobody can know, enough good tracks; and of a
    repair both halves at once: it counts where it recovered and kept the core. A crash is 0.
    """
    if scores.crashed:
        return 0.0
    repaired = None if scores.recovered is None else scores.recovered and scores.preserved is not False
    named = None if scores.misidentified is None else not scores.misidentified
    told = None if scores.false_abstention is None or not scores.false_abstention else False
    parts = (
        named, _conditions_f1(scores), scores.plan_valid, repaired, scores.abstained, told, scores.ambiguity_right,
        scores.success,
    )  # fmt: skip
    known = [float(part) for part in parts if part is not None]
    return sum(known) / len(known) if known else 1.0


def _conditions_f1(scores: RowScores) -> float | None:
    if scores.conditions is None:
        return None
    right, extra, missing = map(len, scores.conditions)
    return 2 * right / (2 * right + extra + missing)


def _labels(row: LabelledRow) -> dict[str, Any]:
    best = row.retry[0]
    return {
        "qid": row.qid, "set": row.set, "kind": row.kind,
        "should_ask": best == "clarify", "may_ask": "clarify" in row.retry,
    }  # fmt: skip


def _answered(row: LabelledRow, record: AnswerRecord, ideal: Mapping[int, int]) -> dict[str, Any]:
    action, retries, changes = action_of(record), retry_scores(record), changed_constraints(record)
    found = condition_counts(record.reading.constraints if record.reading else (), row.constraints)
    counted = (found.right, found.extra, found.missing)
    return {
        "mistake": None if row.ambiguous else mistake_of(mistakes(row, record)),
        "conditions": counted if any(counted) and not row.ambiguous else None,
        "plan_valid": plan_is_valid(record), "first_try": first_try(record), **retries,
        "preserved": preserved(row, record.tracks) if retries["recovered"] else None,
        "changes": len(changes), "disclosed": sum(changes.values()),
        "collapse": collapse(row, record.tracks), "hallucinated": len(record.unknown_ids),
        "ndcg_at_20": ndcg(row, record.tracks, ideal), "success": success(row, record),
        "handed_over": record.handover is not None, "cut": _is_cut(record),
        "asked": record.status == "clarify", "ambiguity_right": ambiguity_right(row, record),
        "abstained": abstained(row, record),
        "false_abstention": None if row.absent else bool(false_absences(row, record)),
        "action": action, "action_right": action in row.retry,
    }  # fmt: skip


def _is_cut(record: AnswerRecord) -> bool | None:
    closing = [check for checks in record.assertions.values() for check in checks if check.name == ANSWER_CLOSES]
    return any(check.outcome != "passed" for check in closing) if closing else None


def _failed(row: LabelledRow, record: AnswerRecord, ideal: Mapping[int, int]) -> dict[str, Any]:
    """A failure in every score that would apply to an answer."""
    missed = condition_counts((), row.constraints).missing
    return {
        "crashed": record.error, "action": "crashed", "plan_valid": False, "first_try": False,
        "mistake": None if row.ambiguous else "crashed", "conditions": ((), (), missed) if missed else None,
        "ndcg_at_20": ndcg(row, (), ideal), "success": None if row.quality.personal != "none" else False,
        "ambiguity_right": False if row.ambiguous else None, "abstained": False if row.absent else None,
    }  # fmt: skip
