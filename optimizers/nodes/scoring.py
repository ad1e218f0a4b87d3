"""How good one reply of one node is: a score from 0 to 1, its parts, and words on what was wrong and what was right.

A reply that the node's assertions turned down is worth nothing, whatever code then made of the case: else a model that
always fails would score as well as code. A reply that held only after its repair turn is worth a little less.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from data.contracts import Contract, NodeName
from optimizers.judge import Judge
from optimizers.nodes import plan, reflect, synthesize, understand
from optimizers.nodes.cases import Case
from optimizers.nodes.parts import Parts
from optimizers.nodes.replies import Outcome
from program.state import Resources

REPAIR_COST = 0.1
"""What a reply loses that needed a second call."""
_SCORERS = {
    "understand": understand.score, "plan": plan.score, "reflect": reflect.score, "synthesize": synthesize.score,
}  # fmt: skip


class NodeScore(Contract):
    """One reply's score.

    Attributes:
        parts: by name, each 0..1, higher is better.
        failed, repaired: names of assertions that did not hold, or only after the repair turn.
    """

    score: float = Field(ge=0, le=1)
    feedback: str
    parts: dict[str, float] = Field(default_factory=dict)
    failed: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()


class Scorer:
    """Scores replies against one catalog.

    Args:
        resources: without an LM; what follows a node is done by code.
    """

    def __init__(self, judge: Judge, resources: Resources) -> None:
        self._judge, self._resources = judge, resources

    def score(self, case: Case, outcome: Outcome) -> NodeScore:
        """The score of what a node made of a reply. The outcome's session may be used up."""
        failed = tuple(check.name for check in outcome.checks if check.outcome == "failed")
        repaired = tuple(check.name for check in outcome.checks if check.outcome == "repaired")
        told = [
            f"The check {check.name} {'failed' if check.outcome == 'failed' else 'held only after a repair'}: {check.message}."
            for check in outcome.checks
            if check.outcome in ("failed", "repaired")
        ]
        if not outcome.replied:
            if not failed and outcome.fault is not None:
                told.append(f"There was no reply that could be used: {outcome.fault.message}.")
            return NodeScore(score=0.0, feedback=" ".join(told) or "There was no reply.", failed=failed)
        found = _SCORERS[case.node](case.row, outcome.session, self._judge, self._resources)
        value = max(0.0, found.mean() - (REPAIR_COST if repaired else 0.0))
        words = [*told, *found.wrong, *found.right]
        return NodeScore(
            score=round(min(1.0, value), 6), feedback=" ".join(words) or "This was right.",
            parts={name: round(part, 6) for name, part in found.shares().items()}, failed=failed, repaired=repaired,
        )  # fmt: skip


def part_names() -> Mapping[NodeName, tuple[str, ...]]:
    """The parts that each node's score is made of."""
    return {"understand": understand.PARTS, "plan": plan.PARTS, "reflect": reflect.PARTS, "synthesize": synthesize.PARTS}


__all__ = ["NodeScore", "Parts", "Scorer", "part_names"]
