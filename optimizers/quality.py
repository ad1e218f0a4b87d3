"""How good the returned tracks are for a labelled request: graded, kept to the core, or lost. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from data.grading import grade
from data.labelled import LabelledConstraint, LabelledRow
from optimizers.compare import holds_condition, is_of_entity
from optimizers.records import AnsweredTrack, AnswerRecord

RANKED = 20
PRESERVED_SHARE = 0.8
"""Of the returned tracks, for every core constraint. Source: architecture §7."""
GOOD_GRADE = 2


def preserved(row: LabelledRow, tracks: Sequence[AnsweredTrack]) -> bool | None:
    """Whether every core condition of the label holds for at least 80 % of the tracks; None where the label has none.

    Core are constraints labelled so, exclusions, and names that are wanted or ruled out.
    """
    core = [label for label in row.constraints if not label.optional and (label.strength == "core" or label.op == "not")]
    named = [entity for entity in row.entities if entity.role in ("target", "exclude") and not entity.optional]
    if not core and not named:
        return None
    if not tracks:
        return False
    kept = [sum(_keeps(track, label) for track in tracks) for label in core]
    kept += [sum(is_of_entity(track, entity) == (entity.role == "target") for track in tracks) for entity in named]
    return all(count >= PRESERVED_SHARE * len(tracks) for count in kept)


def _keeps(track: AnsweredTrack, label: LabelledConstraint) -> bool:
    state = holds_condition(track, label)
    return state != "no" if label.op == "not" else state == "yes"


def collapse(row: LabelledRow, tracks: Sequence[AnsweredTrack]) -> float | None:
    """Share of tracks that satisfy no constraint of the request; lower is better. None where there is nothing to hold.

    Exclusions do not count: almost every track satisfies them.
    """
    positive = [label for label in row.constraints if label.op != "not"]
    targets = [entity for entity in row.entities if entity.role == "target"]
    seeded = any(entity.role == "seed" for entity in row.entities)
    if not tracks or row.ambiguous or not (positive or targets) or (seeded and not positive):
        return None
    lost = [
        not any(holds_condition(track, label) == "yes" for label in positive)
        and not any(is_of_entity(track, entity) for entity in targets)
        for track in tracks
    ]
    return sum(lost) / len(lost)


def ndcg(row: LabelledRow, tracks: Sequence[AnsweredTrack], ideal: Mapping[int, int]) -> float | None:
    """NDCG over the first 20 tracks, or as many as were asked for; None for personal sets and where no track is right."""
    cut = min(RANKED, row.quality.size)
    best = [grade for grade in (3, 2, 1) for _ in range(ideal.get(grade, 0))][:cut]
    if row.quality.personal != "none" or not best:
        return None
    return _dcg([grade(one.track, row) for one in tracks[:cut]]) / _dcg(best)


def _dcg(grades: Sequence[int]) -> float:
    return sum(float(2**value - 1) / math.log2(rank + 2) for rank, value in enumerate(grades))


def success(row: LabelledRow, record: AnswerRecord) -> bool | None:
    """Whether the answer has enough good tracks, none where none is honest, or asks where asking is right."""
    if row.quality.personal != "none":
        return None
    if record.status == "clarify":
        return "clarify" in row.retry
    good = sum(grade(one.track, row) >= GOOD_GRADE for one in record.tracks[: row.quality.size])
    return good >= row.quality.least if row.quality.least else not record.tracks or good > 0
