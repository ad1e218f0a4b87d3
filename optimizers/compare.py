"""What a plan used beside what the label says: entities, constraints, and what a track's record holds of both. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.contracts import Constraint, EntityRef, Intent, Satisfied
from data.grading import album_id
from data.labelled import LabelledConstraint, LabelledEntity, Reading
from optimizers.records import AnsweredTrack
from program.index.filters import satisfies

USED_ROLES = frozenset({"target", "seed", "exclude"})
"""The roles that reach a plan; context only tells which target is meant."""

ConditionItem = tuple[str, str, str]
"""(facet, `is` or `not` or `range`, value): what constraints are compared by."""


@dataclass(frozen=True)
class EntityMistakes:
    """Where the entities that a plan used differ from the label; all empty when they do not.

    Attributes:
        missing: labelled, and nothing in their place. extra: used, and nothing labelled in their place.
        wrong: (labelled, used instead).
    """

    missing: tuple[LabelledEntity, ...] = ()
    extra: tuple[EntityRef, ...] = ()
    wrong: tuple[tuple[LabelledEntity, EntityRef], ...] = ()

    @property
    def any(self) -> bool:
        """Whether there is a difference."""
        return bool(self.missing or self.extra or self.wrong)


def entity_mistakes(used: Iterable[EntityRef], labelled: Sequence[LabelledEntity]) -> EntityMistakes:
    """The difference of (entity, type, role) sets.

    Any of a label's ids is right. A labelled name that is optional, or only context, may be left out.
    """
    names = [entity for entity in used if entity.role in USED_ROLES]
    extra = [entity for entity in names if not any(_same(entity, label) for label in labelled)]
    needed = [label for label in labelled if not label.optional and label.role in USED_ROLES]
    missing = [label for label in needed if not any(_same(entity, label) for entity in names)]
    wrong = []
    for is_pair in (_same_thing, _same_surface_type, _any_pair):
        for label in list(missing):
            other = next((entity for entity in extra if is_pair(entity, label)), None)
            if other is not None:
                missing.remove(label)
                extra.remove(other)
                wrong.append((label, other))
    return EntityMistakes(tuple(missing), tuple(extra), tuple(wrong))


def _same(entity: EntityRef, label: LabelledEntity) -> bool:
    return entity.entity_id in label.ids and (entity.entity_type, entity.role) == (label.entity_type, label.role)


def _same_thing(entity: EntityRef, label: LabelledEntity) -> bool:
    return entity.entity_id in label.ids


def _same_surface_type(entity: EntityRef, label: LabelledEntity) -> bool:
    return (entity.entity_type, entity.role) == (label.entity_type, label.role)


def _any_pair(entity: EntityRef, label: LabelledEntity) -> bool:
    return True


@dataclass(frozen=True)
class ConditionCounts:
    """Items of constraints: found and labelled, found only, labelled only."""

    right: tuple[ConditionItem, ...] = ()
    extra: tuple[ConditionItem, ...] = ()
    missing: tuple[ConditionItem, ...] = ()


def condition_counts(found: Sequence[Constraint], labelled: Sequence[LabelledConstraint]) -> ConditionCounts:
    """Compare constraints value by value.

    Of a label's readings that are equally right the one that was found best counts. What is optional is never missing.
    """
    items = {item for constraint in found for item in _items(constraint.facet, constraint.op, constraint.values)}
    wanted: set[ConditionItem] = set()
    needed: set[ConditionItem] = set()
    for label in labelled:
        chosen = max((reading_items(reading) for reading in (label, *label.also)), key=lambda one: len(one & items) / len(one))
        wanted |= chosen
        needed |= set() if label.optional else chosen
    right = items & wanted
    return ConditionCounts(tuple(sorted(right)), tuple(sorted(items - wanted)), tuple(sorted(needed - items)))


def reading_items(reading: Reading) -> set[ConditionItem]:
    """A reading's items."""
    return set(_items(reading.facet, reading.op, reading.values))


def _items(facet: str, op: str, values: Sequence[str]) -> Iterable[ConditionItem]:
    if op == "range":
        return [(facet, op, " to ".join(_number(value) for value in values))]
    return [(facet, op, value) for value in values]


def _number(value: str) -> str:
    return f"{float(value):g}" if value else ""


def holds_condition(answered: AnsweredTrack, label: LabelledConstraint) -> Satisfied:
    """Whether a track's record satisfies a labelled constraint in any of its readings."""
    states = [_state(answered, reading, label) for reading in (label, *label.also)]
    return "yes" if "yes" in states else "unknown" if "unknown" in states else "no"


def _state(answered: AnsweredTrack, reading: Reading, label: LabelledConstraint) -> Satisfied:
    constraint = Constraint(
        constraint_id="label", facet=reading.facet, op=reading.op, values=reading.values, strength=label.strength
    )
    return satisfies(answered.track, answered.popularity, constraint)


def is_of_entity(answered: AnsweredTrack, label: LabelledEntity) -> bool:
    """Whether a track is the entity, by it or on it."""
    track = answered.track
    if label.entity_type == "track":
        return track.track_id in label.ids
    if label.entity_type == "artist":
        return any(credit.artist_id in label.ids for credit in track.artists)
    return bool(track.album) and album_id(track.artists[0].artist_id, track.album or "") in label.ids


def entities_of(intent: Intent | None) -> tuple[EntityRef, ...]:
    """An intent's entities; none without an intent."""
    return intent.entities if intent is not None else ()
