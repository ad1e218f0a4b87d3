"""The program that recipes tune: one node, asked about one case at a time, scored as it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from data.contracts import NodeName
from optimizers.nodes.cases import Case
from optimizers.nodes.replies import node_module, run_node
from optimizers.nodes.scoring import Scorer
from optimizers.search.board import Board
from program.bundle.state import NodeText, predictors, set_text, text_of
from program.state import Resources


@dataclass(eq=False)
class Bench:
    """What a student is asked on; shared by all copies of it.

    Attributes:
        cases: by case id. resources: with the LM that is tuned for. board: takes the scores.
    """

    node: NodeName
    cases: dict[str, Case]
    resources: Resources
    scorer: Scorer
    board: Board

    def __deepcopy__(self, memo: dict[int, Any]) -> Bench:
        """DSPy copies programs all the time; an index is not for copying."""
        return self


class Student(dspy.Module):
    """One node. Its predictor has the same name as in `program.graph.Melo`, such as `understand.understand`."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench
        setattr(self, bench.node, node_module(bench.node))

    def forward(self, case: str) -> dspy.Prediction:
        """Ask one case.

        Returns:
            `score`, `feedback`, and the reply's checks in words.

        Raises:
            Stop: the search must end.
        """
        bench = self.bench
        asked = bench.cases[case]
        outcome = run_node(bench.node, getattr(self, bench.node), asked.begin(), bench.resources)
        score = bench.scorer.score(asked, outcome)
        bench.board.record(self.state(), asked, score)
        return dspy.Prediction(score=score.score, feedback=score.feedback)

    def state(self) -> NodeText:
        """The predictor's text."""
        return text_of(self.predictor())

    def predictor(self) -> dspy.Predict:
        """The one predictor."""
        return next(iter(predictors(self)))[1]

    def with_state(self, state: NodeText) -> Student:
        """A new student with this text, on the same bench."""
        made = Student(self.bench)
        set_text(made.predictor(), state, self.bench.node)
        made.predictor().lm = self.predictor().lm
        return made

    def mean(self, case_ids: Sequence[str]) -> float:
        """Ask some cases; the mean score."""
        return sum(float(self(case=case_id).score) for case_id in case_ids) / len(case_ids)


def examples(cases: Sequence[Case]) -> list[dspy.Example]:
    """The cases as DSPy's optimizers take them; the request is there for prompts about the data."""
    return [dspy.Example(case=case.case_id, request=case.row.request).with_inputs("case") for case in cases]


def metric(example: dspy.Example, prediction: dspy.Prediction, trace: Any = None) -> float:
    """The score that the student worked out."""
    return float(prediction.score)


def metric_with_feedback(
    gold: dspy.Example, pred: dspy.Prediction, trace: Any = None, pred_name: Any = None, pred_trace: Any = None
) -> dspy.Prediction:
    """The score with its words, as GEPA wants it."""
    return dspy.Prediction(score=float(pred.score), feedback=str(pred.feedback))
