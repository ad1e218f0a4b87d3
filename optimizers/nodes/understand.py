"""UNDERSTAND's metric: entities and roles, facets and their polarity, abstention, and asking where nobody can know."""

from __future__ import annotations

from data.labelled import LabelledRow
from optimizers.compare import USED_ROLES, ConditionCounts, condition_counts
from optimizers.feedback import lessons, words_of
from optimizers.judge import Judge
from optimizers.naming import abstained, ambiguity_right, false_absences, mistakes
from optimizers.nodes.after import record_of_session
from optimizers.nodes.parts import Parts, f1
from optimizers.records import AnswerRecord
from program.nodes.describe import entity_words
from program.state import Resources, Session

PARTS = ("entities", "facets", "polarity", "abstention", "ambiguity")


def score(row: LabelledRow, session: Session, judge: Judge, resources: Resources) -> Parts:
    """The intent beside the label. An ambiguous request is scored on how it is answered, and on nothing else."""
    record = record_of_session(session, resources)
    found = Parts(wrong=list(lessons(row, record, "understand")))
    intent = session.need_intent()
    if row.ambiguity is not None:
        found.add("ambiguity", ambiguity_right(row, record))
        if not found.wrong:
            found.right.append("It was right to leave open what nobody can know.")
        return found
    found.add("entities", _entities(row, session), 2.0)
    counts = condition_counts(intent.constraints, row.constraints)
    found.add("facets", f1(len(counts.right), len(counts.extra), len(counts.missing)))
    found.add("polarity", _polarity(counts))
    told_wrongly = bool(false_absences(row, record))
    found.add("abstention", abstained(row, record) if row.absent else (False if told_wrongly else None))
    if record.status == "clarify":
        found.add("ambiguity", 0.0)
    found.right += _right(session, counts)
    return found


def _entities(row: LabelledRow, session: Session) -> float | None:
    used = [entity for entity in session.need_intent().entities if entity.role in USED_ROLES]
    wrong = mistakes(row, AnswerRecord(status="ok", reading=session.need_intent()))
    extra, missing = len(wrong.extra) + len(wrong.wrong), len(wrong.missing) + len(wrong.wrong)
    return f1(len(used) - extra, extra, missing)


def _polarity(counts: ConditionCounts) -> float | None:
    """Of the exclusions that are said or read, how many are on both sides; a turned one counts against it twice."""

    def negative(items: tuple[tuple[str, str, str], ...]) -> int:
        return sum(sign == "not" for _, sign, _ in items)

    return f1(negative(counts.right), negative(counts.extra), negative(counts.missing))


def _right(session: Session, counts: ConditionCounts) -> list[str]:
    entities = [entity_words(entity) for entity in session.need_intent().entities if entity.role in USED_ROLES]
    told = [words_of(counts.right)] if counts.right else []
    return [f"What it read: {'; '.join([*entities, *told])}."] if entities or told else []
