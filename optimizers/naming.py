"""Whether the plan used the names that were meant, asked where nobody can know, and said what is not there. Pure functions."""

from __future__ import annotations

from typing import Literal

from data.labelled import LabelledRow
from data.names import name_key
from optimizers.compare import EntityMistakes, entities_of, entity_mistakes, is_of_entity
from optimizers.records import AnswerRecord

Mistake = Literal["none", "missing", "extra", "wrong", "crashed"]


def mistakes(row: LabelledRow, record: AnswerRecord) -> EntityMistakes:
    """Where the plan's entities differ from the label's; a question uses none."""
    used = () if record.status == "clarify" else entities_of(record.reading)
    return entity_mistakes(used, row.entities)


def mistake_of(found: EntityMistakes) -> Mistake:
    """One name for a difference: the worst of its parts."""
    return "wrong" if found.wrong else "missing" if found.missing else "extra" if found.extra else "none"


def ambiguity_right(row: LabelledRow, record: AnswerRecord) -> bool | None:
    """Whether an ambiguous request got one of the acceptable answers: a question, any reading, or all of them."""
    if row.ambiguity is None:
        return None
    readings = row.ambiguity.readings
    if record.status == "clarify":
        offered = set(record.options)
        named = [entity for reading in readings for entity in reading]
        return "ask" in row.ambiguity.answers and all(not offered.isdisjoint(entity.ids) for entity in named)
    used = entities_of(record.reading)
    if "any_reading" in row.ambiguity.answers:
        return any(not entity_mistakes(used, (*row.entities, *reading)).any for reading in readings)
    if "all_readings" in row.ambiguity.answers:
        return all(any(is_of_entity(track, entity) for track in record.tracks) for one in readings for entity in one)
    return False


def abstained(row: LabelledRow, record: AnswerRecord) -> bool | None:
    """Whether every absent name is told as absent, and nothing else stands in its place."""
    if not row.absent:
        return None
    told = [name_key(name) for name in (record.reading.absent if record.reading else ())]
    named = all(any(name_key(name) in one or one in name_key(name) for one in told if one) for name in row.absent)
    return named and not mistakes(row, record).extra


def false_absences(row: LabelledRow, record: AnswerRecord) -> tuple[str, ...]:
    """Names that the answer calls absent and the label does not."""
    told = record.reading.absent if record.reading and record.status != "clarify" else ()
    known = [name_key(name) for name in row.absent]
    return tuple(name for name in told if not any(name_key(name) in one or one in name_key(name) for one in known))
