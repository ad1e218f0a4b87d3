"""Intents, evidence and tracks as the short lines that prompts carry."""

from __future__ import annotations

from data.contracts import Constraint, EntityRef, Evidence, Intent
from data.vocab.loader import load_vocabularies


def value_label(facet: str, value: str) -> str:
    """A facet value in words."""
    vocabulary = load_vocabularies().get(facet)
    return vocabulary.label(value) if vocabulary else value


def constraint_words(constraint: Constraint) -> str:
    """Such as "region is Iceland", "era 1980 to 1985", "no genre Country"."""
    if constraint.op == "range":
        low, high = constraint.values
        return f"{constraint.facet} {low or 'any'} to {high or 'any'}"
    values = " or ".join(value_label(constraint.facet, value) for value in constraint.values)
    return f"no {constraint.facet} {values}" if constraint.op == "not" else f"{constraint.facet} {values}"


def entity_words(entity: EntityRef) -> str:
    """Such as "target track Africa"."""
    return f"{entity.role} {entity.entity_type} {_one_line(entity.name)}"


def intent_words(intent: Intent, active: tuple[Constraint, ...] | None = None) -> str:
    """One line: kind, names, conditions, leftovers."""
    constraints = intent.constraints if active is None else active
    parts = [intent.kind, *map(entity_words, intent.entities), *map(constraint_words, constraints)]
    parts.extend(f"not in the catalog: {name}" for name in intent.absent)
    if intent.free_text:
        parts.append(f"words: {intent.free_text}")
    return "; ".join(parts)


def evidence_words(item: Evidence) -> str:
    """Such as "Africa" = track Africa by Toto (0.98)": the number is the popularity, 0..1 among those of its type."""
    by = f" by {', '.join(item.artists)}" if item.artists else ""
    works = f", works: {', '.join(item.works[:3])}" if item.works and item.entity_type == "artist" else ""
    return _one_line(f'"{item.surface}" = {item.entity_type} {item.name}{by} ({item.popularity:.2f}{works})')


def _one_line(text: str) -> str:
    """A line break in a name would make another line of a prompt."""
    return " ".join(text.split())


def is_empty(intent: Intent) -> bool:
    """Whether the request says nothing about the music it wants."""
    return not (intent.entities or intent.constraints or intent.absent or intent.free_text or intent.personal != "none")


def exclusions(intent: Intent) -> frozenset[tuple[str, ...]]:
    """Everything that an intent rules out: names and facet values."""
    names = [("name", entity.entity_id) for entity in intent.by_role("exclude")]
    values = [(c.facet, *c.values) for c in intent.constraints if c.op == "not"]
    return frozenset([*names, *values])
