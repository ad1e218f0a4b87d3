"""The scores of many answers as named figures, one definition a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.figures import Difference, Drawn, Figure
from experiments.stats import Numbers, Statistic, mean
from optimizers.metrics import RowScores, objective

Replays = Sequence[Sequence[RowScores]]
"""One sequence a run, over the same requests in the same order."""

_NOTHING = (0.0, 0.0)


def f1_of_items(sums: Numbers) -> Numbers:
    """The statistic of (right, extra, missing) items: F1; NaN without any."""
    right, extra, missing = sums[..., 0], sums[..., 1], sums[..., 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(2 * right / (2 * right + extra + missing))


@dataclass(frozen=True)
class Measure:
    """How a figure is made of scores.

    Attributes:
        columns: what one answer adds up to; zeros where it does not speak of it.
        words: what the figure is, for a reader. better: which way.
        is_yes_no: every answer is either 1 or 0, so that pairs can be tested.
    """

    columns: Callable[[RowScores], tuple[float, ...]]
    words: str
    better: str = "higher"
    statistic: Statistic = mean
    is_yes_no: bool = True

    def block(self, replays: Replays) -> Numbers:
        """Shape (runs, requests, columns)."""
        return np.asarray([[self.columns(scores) for scores in run] for run in replays], dtype=np.float64)

    def figure(self, replays: Replays, drawn: Drawn) -> Figure:
        """The figure with its interval."""
        return drawn.figure(self.block(replays), self.statistic)

    def difference(self, first: Replays, second: Replays, drawn: Drawn) -> Difference:
        """First minus second, paired; tested where both speak of the same requests in every run."""
        one, other = self.block(first), self.block(second)
        if self.is_yes_no:
            spoken = one[..., 1] > 0
            if spoken.any() and (spoken == spoken[0]).all() and (spoken == (other[..., 1] > 0)).all():
                return drawn.tested(one[:, spoken[0], 0], other[:, spoken[0], 0])
        return drawn.difference(one, other, self.statistic)


def _share(value: Callable[[RowScores], float | bool | None]) -> Callable[[RowScores], tuple[float, ...]]:
    def columns(scores: RowScores) -> tuple[float, ...]:
        found = value(scores)
        return _NOTHING if found is None else (float(found), 1.0)

    return columns


def _mistake(kind: str) -> Callable[[RowScores], tuple[float, ...]]:
    return _share(lambda scores: None if scores.mistake is None else scores.mistake == kind)


def _items(scores: RowScores) -> tuple[float, ...]:
    return (0.0, 0.0, 0.0) if scores.conditions is None else tuple(float(len(items)) for items in scores.conditions)


def condition_measure(facet: str = "", polarity: str = "") -> Measure:
    """F1 over constraints of one facet, of one polarity (`is`, `not` or `range`), or all."""

    def columns(scores: RowScores) -> tuple[float, ...]:
        if scores.conditions is None:
            return (0.0, 0.0, 0.0)
        counts = (
            sum(1 for found, sign, _ in items if facet in ("", found) and polarity in ("", sign)) for items in scores.conditions
        )
        return tuple(map(float, counts))

    return Measure(columns, f"constraint F1{f', {facet}' if facet else ''}", statistic=f1_of_items, is_yes_no=False)


def _kept_intent(scores: RowScores) -> bool | None:
    return None if scores.recovered is None else bool(scores.recovered and scores.preserved is not False)


def _row_objective(scores: RowScores) -> tuple[float, ...]:
    """Mean of what the answer speaks of; nothing of it counts when there is no answer."""
    found = [None if scores.misidentified is None else float(not scores.misidentified), _row_f1(scores)]
    found += [_number(scores.plan_valid), _number(_kept_intent(scores)), _number(scores.success)]
    known = [value for value in found if value is not None]
    if scores.crashed:
        return (0.0, 1.0)
    return (sum(known) / len(known), 1.0) if known else _NOTHING


def _row_f1(scores: RowScores) -> float | None:
    right, extra, missing = _items(scores)
    return 2 * right / (2 * right + extra + missing) if right + extra + missing else None


def _number(value: bool | None) -> float | None:
    return None if value is None else float(value)


OBJECTIVE = Measure(
    _row_objective, "names, constraints, plan, recovery that keeps the core, good tracks: their mean by request", is_yes_no=False
)
"""The end-to-end objective by which programs and backbones are chosen, 0..1. Source: architecture §8."""

MEASURES: Mapping[str, Measure] = {
    "misidentified": Measure(_share(lambda s: s.misidentified), "plan's entities differ from the label's", "lower"),
    "objective": Measure(_share(objective), "mean of all that applies; recovery counts where the core is kept", is_yes_no=False),
    "missing": Measure(_mistake("missing"), "… a name was left out", "lower"),
    "extra": Measure(_mistake("extra"), "… a name too many", "lower"),
    "wrong": Measure(_mistake("wrong"), "… another name in its place", "lower"),
    "crashed": Measure(_share(lambda s: bool(s.crashed)), "no answer at all, whatever the reason", "lower"),
    "constraint_f1": Measure(_items, "constraints, value by value", statistic=f1_of_items, is_yes_no=False),
    "plan_valid": Measure(_share(lambda s: s.plan_valid), "plans that can be carried out as they stand"),
    "first_try": Measure(_share(lambda s: s.first_try), "every tool of the first round answered"),
    "thin": Measure(_share(lambda s: s.thin), "a gate failed in the first round", "–"),
    "trigger": Measure(_share(lambda s: s.triggered), "REFLECT asked for another round", "–"),
    "recovery": Measure(_share(lambda s: s.recovered), "triggered sessions whose last verdict is to proceed"),
    "preservation": Measure(_share(lambda s: s.preserved), "recovered sessions that keep every core condition"),
    "intent_preserving": Measure(_share(_kept_intent), "triggered sessions that recover and keep the core"),
    "disclosure": Measure(lambda s: (float(s.disclosed), float(s.changes)), "changes that the ledger tells", is_yes_no=False),
    "action_right": Measure(_share(lambda s: s.action_right), "the label accepts what was done about too little"),
    "collapse": Measure(_share(lambda s: s.collapse), "tracks that hold nothing that was asked", "lower", is_yes_no=False),
    "hallucinated": Measure(_share(lambda s: s.hallucinated > 0), "an id that the catalog does not hold", "lower"),
    "ndcg_at_20": Measure(_share(lambda s: s.ndcg_at_20), "graded ranking", is_yes_no=False),
    "success_at_n": Measure(_share(lambda s: s.success), "enough good tracks, or none where none is honest"),
    "ambiguity_right": Measure(_share(lambda s: s.ambiguity_right), "ambiguous requests answered acceptably"),
    "clarify_precision": Measure(_share(lambda s: s.may_ask if s.asked else None), "questions that were in place"),
    "clarify_recall": Measure(_share(lambda s: s.asked if s.should_ask else None), "asked where asking is best"),
    "clarify_rate": Measure(_share(lambda s: s.asked), "soft way out: answers that ask back", "–"),
    "handover_rate": Measure(_share(lambda s: s.handed_over), "hard way out: answers that a person should look at", "lower"),
    "cut_rate": Measure(_share(lambda s: s.cut), "answers that lost something beyond their contract", "lower"),
    "abstention": Measure(_share(lambda s: s.abstained), "absent names told, nothing played for them"),
    "false_abstention": Measure(_share(lambda s: s.false_abstention), "a held name told as absent", "lower"),
}  # fmt: skip
"""By the names of `melo evaluate --json`. Definitions: architecture §7 and `optimizers/metrics.py`."""


def figures(replays: Replays, drawn: Drawn) -> dict[str, Figure]:
    """Every measure."""
    return {name: measure.figure(replays, drawn) for name, measure in MEASURES.items()}


def by_facet(replays: Replays, drawn: Drawn) -> dict[str, Figure]:
    """Constraint F1 of each facet and each polarity that occurs, as `facet:…` and `polarity:…`."""
    items = {
        item for run in replays for scores in run for part in scores.conditions or () for item in part
    }  # fmt: skip
    facets, signs = sorted({facet for facet, _, _ in items}), sorted({sign for _, sign, _ in items})
    named = {f"facet:{facet}": condition_measure(facet) for facet in facets}
    named |= {f"polarity:{sign}": condition_measure(polarity=sign) for sign in signs}
    return {name: measure.figure(replays, drawn) for name, measure in named.items()}
