"""PLAN's metric: a plan that can be carried out, that no guard stops, and whose routes bring tracks that fit."""

from __future__ import annotations

from data.labelled import LabelledRow
from optimizers.behaviour import plan_is_valid
from optimizers.feedback import lessons
from optimizers.judge import Judge
from optimizers.nodes.after import record_of_session, search
from optimizers.nodes.parts import Parts
from optimizers.quality import ndcg, success
from program.state import Resources, Session

PARTS = ("valid", "unstopped", "fit", "enough")
_GOOD = 0.8


def score(row: LabelledRow, session: Session, judge: Judge, resources: Resources) -> Parts:
    """Search with the plan, and grade what would be chosen."""
    assert session.plan is not None
    search(session, resources)
    record = record_of_session(session, resources)
    found = Parts(wrong=list(lessons(row, record, "plan")))
    valid, fit = plan_is_valid(record), ndcg(row, record.tracks, judge.ideal(row))
    found.add("valid", valid)
    found.add("unstopped", not session.plan.guard_hits, 0.5)
    found.add("fit", fit, 2.0)
    found.add("enough", success(row, record))
    routes = ", ".join(call.tool for call in session.plan.routes)
    if valid and fit is not None and fit >= _GOOD:
        found.right.append(f"The routes {routes} brought tracks that fit.")
    elif not found.wrong and fit is not None:
        found.wrong.append(f"The routes {routes} brought {len(record.tracks)} tracks, and better ones were there to be found.")
    return found
