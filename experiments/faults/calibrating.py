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
_LEAST = 30
"""Outputs of one maker from which a curve is fitted."""
Points = dict[str, list[tuple[float, bool]]]


def points(
    rows: Sequence[LabelledRow], index: CatalogIndex, settings: Settings, resolver: Callable[[str], Backbone],
    told: Callable[[int, int], None],
) -> Points:  # fmt: skip
    """`node:maker` → own score and whether the output was right, for UNDERSTAND, whose outputs are labelled."""
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
            if artifact.node == "understand" and not scores.crashed:
                maker = _maker(artifact, kept.artifacts)
                found[f"understand:{maker}"].append((artifact.confidence.own, read_right(scores)))
        told(done, len(rows))
    return found


def curves(found: Points) -> dict[str, Curve]:
    """A curve for each maker with enough outputs."""
    return {
        name: fitted([score for score, _ in told], [right for _, right in told])
        for name, told in sorted(found.items())
        if len(told) >= _LEAST
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
