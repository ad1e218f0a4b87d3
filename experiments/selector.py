"""When to answer with tracks and when to abstain: precision and recall over a threshold on a confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.labelled import LabelledRow
from experiments.figures import Drawn, Figure
from experiments.stats import Numbers
from optimizers.metrics import RowScores
from optimizers.records import AnswerRecord

THRESHOLDS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_UNKNOWN = 0.5
"""Confidence of a node that scored nothing."""


@dataclass(frozen=True)
class OperatingPoint:
    """A selector at one threshold.

    Attributes:
        threshold: least confidence (0..1) at which tracks are given. given: share of the requests that get tracks.
        precision: of those, the right ones. recall: of the requests that tracks can answer, those that get the right ones.
    """

    threshold: float
    given: Figure
    precision: Figure
    recall: Figure


def gives(record: AnswerRecord, node: str, threshold: float) -> bool:
    """Whether the answer is tracks, and the node is sure enough of it."""
    is_answer = record.status in ("ok", "partial") and not record.crashed
    return is_answer and record.confidences.get(node, _UNKNOWN) >= threshold


def is_answerable(row: LabelledRow) -> bool:
    """Whether the catalog holds enough for the request, and asking back is not the best answer to it."""
    return row.quality.least > 0 and row.retry[0] != "clarify"


def operating_point(
    threshold: float,
    node: str,
    rows: Sequence[LabelledRow],
    records: Sequence[Sequence[AnswerRecord]],
    scores: Sequence[Sequence[RowScores]],
    drawn: Drawn,
) -> OperatingPoint:
    """One point of the curve.

    Args:
        node: whose own confidence is the threshold's. records, scores: one sequence a run, in the order of `rows`. Requests
            whose success is not labelled (own sets) are left out.
    """
    cells = np.asarray([
        [_cells(row, one, score, node, threshold) for row, one, score in zip(rows, run, scored, strict=True)]
        for run, scored in zip(records, scores, strict=True)
    ], dtype=np.float64)  # fmt: skip
    given, right, answerable, right_answerable, counted = (cells[..., at] for at in range(5))
    return OperatingPoint(
        threshold, drawn.figure(_pair(given, counted)), drawn.figure(_pair(right, given)),
        drawn.figure(_pair(right_answerable, answerable)),
    )  # fmt: skip


def _cells(row: LabelledRow, record: AnswerRecord, scores: RowScores, node: str, threshold: float) -> tuple[float, ...]:
    """Given, given and right, answerable, answerable and given and right, counted at all."""
    if scores.success is None:
        return (0.0,) * 5
    given = gives(record, node, threshold)
    right, answerable = given and scores.success, is_answerable(row)
    return tuple(map(float, (given, right, answerable, right and answerable, True)))


def _pair(amount: Numbers, weight: Numbers) -> Numbers:
    return np.stack([amount, weight], axis=-1)
