"""Fits the curves that turn own scores into shares of right answers, on a labelled split."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from data.contracts import Artifact
from data.labelled import LabelledRow
from experiments.labelled_run import KeptArtifacts
from optimizers.judge import Judge
from optimizers.metrics import RowScores
from optimizers.records import record_of
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone
from program.settings import Settings
from program.trust.breaker.breaker import Breaker
from program.trust.breaker.calibration import Calibration, Curve, fitted
from program.trust.breaker.own import BY_CODE

_ENOUGH = 0.5
"""F1 of the conditions from which a reading counts as right."""
_LEAST = 15
"""Outputs of one maker from which a curve is fitted."""
Points = dict[str, list[tuple[float, bool]]]


def points(
    rows: Sequence[LabelledRow], index: CatalogIndex, settings: Settings, resolver: Callable[[str], Backbone],
    told: Callable[[int, int], None],
) -> Points:  # fmt: skip
    """`node:maker` → own score and whether the output was right, as far as the labels and the guards can tell."""
    kept, judge = KeptArtifacts(), Judge(index)
    watching = settings.breaker.model_copy(update={"enabled": True, "cold_start": 10**9})
    settings = settings.model_copy(update={"breaker": watching})
    breaker = Breaker(watching, calibration=Calibration())
    program = Melo(index, settings, store=kept, backbones=resolver, breaker=breaker)
    found: Points = defaultdict(list)
    for done, row in enumerate(rows, 1):
        prediction = program(request=row.request)
        scores = judge.score(row, record_of(prediction, kept.artifacts, index))
        for artifact in kept.artifacts:
            if (right := is_right(artifact.node, scores)) is not None:
                found[f"{artifact.node}:{_maker(artifact, kept.artifacts)}"].append((artifact.confidence.own, right))
        told(done, len(rows))
    return found


def is_right(node: str, scores: RowScores) -> bool | None:
    """Whether a node's output was right; None where nothing tells.

    UNDERSTAND by the label; PLAN where every id and value is held and every tool answered; REFLECT where the label accepts
    what was done; SYNTHESIZE where nothing had to be cut.
    """
    if scores.crashed:
        return None
    if node == "understand":
        return read_right(scores)
    if node == "plan":
        return None if scores.plan_valid is None else scores.plan_valid and scores.first_try is not False
    if node == "reflect":
        return scores.action_right
    return None if node != "synthesize" or scores.cut is None else not scores.cut


def curves(found: Points, *, models_only: bool = False) -> dict[str, Curve]:
    """A curve for each maker with enough outputs whose scores are not all alike.

    Args:
        models_only: leave out code's; of its outputs only those of clear requests are there beside a model.
    """
    return {
        name: fitted([score for score, _ in told], [right for _, right in told])
        for name, told in sorted(found.items())
        if len(told) >= _LEAST and len({score for score, _ in told}) > 1 and not (models_only and name.endswith(f":{BY_CODE}"))
    }


def read_right(scores: RowScores) -> bool:
    """Whether every name is the labelled one, and half of the conditions or more."""
    if scores.misidentified:
        return False
    right, extra, missing = map(len, scores.conditions or ((), (), ()))
    wrong = extra + missing
    return not wrong or 2 * right / (2 * right + wrong) >= _ENOUGH


def _maker(artifact: Artifact, session: Sequence[Artifact]) -> str:
    if any(outcome.outcome == "failed" for outcome in artifact.assertions):
        return BY_CODE
    calls = [one for one in session if one.node == "lm" and one.artifact_id in artifact.parents]
    return str(calls[-1].parameters.get("model", BY_CODE)) if calls else BY_CODE
