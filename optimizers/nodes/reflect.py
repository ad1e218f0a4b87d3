"""REFLECT's metric: the right action, a repair that finds enough, and one that keeps what the request is about.

Recovery alone would reward giving everything up, preservation alone would reward giving nothing: the score holds both.
"""

from __future__ import annotations

from data.labelled import LabelledRow
from optimizers.behaviour import RETRIES
from optimizers.judge import Judge
from optimizers.nodes.after import record_of_session, search
from optimizers.nodes.parts import Parts
from optimizers.quality import ndcg, preserved
from program.nodes.describe import constraint_words
from program.retry.gates import gate
from program.state import Resources, Session

PARTS = ("action", "recovered", "preserved", "fit")
REPAIRS = frozenset({"relaxed", "rewrite"})
_ACTIONS = {"retry_relaxed": "relaxed", "retry_rewrite": "rewrite", "fallback": "fallback", "proceed": "none"}


def score(row: LabelledRow, session: Session, judge: Judge, resources: Resources) -> Parts:
    """Go on with the repair for one round, and see what it brings and what it cost."""
    verdict = session.verdict
    assert verdict is not None
    found = Parts()
    action = _ACTIONS[verdict.action]
    if not REPAIRS.isdisjoint(row.retry):  # else the label expects no repair, and none of the offered actions is right
        found.add("action", action in row.retry)
        wrong = f"The right repair was {' or '.join(REPAIRS & set(row.retry))}, not {action}."
        right = f"The action {verdict.action} was right."
        (found.right if action in row.retry else found.wrong).append(right if action in row.retry else wrong)
    if verdict.action in RETRIES:
        _repaired(row, session, judge, resources, found)
    return found


def _repaired(row: LabelledRow, session: Session, judge: Judge, resources: Resources, found: Parts) -> None:
    search(session, resources, plan_first=True)
    report = gate(
        session.need_intent(), session.need_found().candidates, session.active, session.entries, resources.settings.retry
    )
    record = record_of_session(session, resources)
    kept = preserved(row, record.tracks)
    found.add("recovered", min(1.0, report.total / report.needed) if report.needed else 1.0)
    found.add("preserved", kept)
    found.add("fit", ndcg(row, record.tracks, judge.ideal(row)))
    if report.total < report.needed:
        found.wrong.append(f"After the repair only {report.total} of {report.needed} needed tracks match.")
    else:
        found.right.append(f"After the repair {report.total} tracks match, enough for the {report.needed} needed.")
    if kept is False:
        found.wrong.append(f"The repair gave up what the request is about; what is left is: {_left(session)}.")
    elif kept:
        found.right.append("What the request is about was kept.")


def _left(session: Session) -> str:
    return ", ".join(map(constraint_words, session.active)) or "no condition"
