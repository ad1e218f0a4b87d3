"""What UNDERSTAND offers to its LM, by number, and what a choice among it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import dspy
from pydantic import Field

from data.contracts import Constraint, EntityRef, Evidence, Intent
from data.names import name_key
from program.grounding.compose import Reading
from program.grounding.lookup import evidence
from program.grounding.readings import MAX_AMBIGUOUS, Understanding
from program.lm.schema import one_of, some_of
from program.nodes.describe import constraint_words, evidence_words
from program.state import Resources

_MAX_LIST = 2
_MAX_NAME = 80


@dataclass(frozen=True)
class Offer:
    """One numbered option: a name or a facet that was found for a part of the request.

    Attributes:
        span: character offsets into the request. evidence: what a name rests on; None for a facet.
    """

    words: str
    span: tuple[int, int]
    item: EntityRef | Constraint
    evidence: Evidence | None = None


Offers = Mapping[str, Offer]


def offered(known: Understanding, resources: Resources) -> dict[str, Offer]:
    """The options by number: evidence (e…) and facets (f…) that some reading, or L1 alone, found; bounded."""
    return {**_names(known, resources), **_facets(known)}


def _names(known: Understanding, resources: Resources) -> dict[str, Offer]:
    most = resources.settings.grounding.max_evidence
    found: dict[str, Offer] = {}
    seen: set[tuple[str, str]] = set()
    items: list[Evidence] = [item for reading in known.readings for item in reading.evidence]
    items.extend(evidence(mention, 0, known.lookup, resources.index) for mention in known.lookup.mentions[:most])
    for item in items:
        key = (item.entity_type, item.entity_id)
        if key in seen or len(seen) >= most:
            continue
        name = f"e{len(seen)}"
        seen.add(key)
        ref = EntityRef(evidence_id=name, entity_id=item.entity_id, entity_type=item.entity_type, name=item.name, role="target")
        found[name] = Offer(evidence_words(item), item.span, ref, item)
    return found


def _facets(known: Understanding) -> dict[str, Offer]:
    facets: dict[tuple[str, str, tuple[str, ...]], Constraint] = {}
    for reading in known.readings:
        for constraint in reading.intent.constraints:
            facets.setdefault((constraint.facet, constraint.op, constraint.values), constraint)
    return {
        f"f{number}": Offer(f'"{constraint.surface}" = {constraint_words(constraint)}', constraint.span, constraint)
        for number, constraint in enumerate(facets.values())
    }


def output_types(readings: int, options: tuple[str, ...]) -> dict[str, Any]:
    """The reply's types for one request: only offered numbers can be expressed."""
    some = some_of(options, most=_MAX_LIST)
    names = tuple(name for name in options if name.startswith("e"))
    return {
        "reading": one_of(tuple(f"r{number}" for number in range(readings))),
        "add": some,
        "drop": some,
        "unsure": some_of(names, most=MAX_AMBIGUOUS),
        "name": Annotated[str, Field(max_length=_MAX_NAME)],
    }


def reading_number(prediction: dspy.Prediction) -> int:
    """The number of the chosen reading."""
    return int(str(prediction.reading)[1:])


def applied(prediction: dspy.Prediction, known: Understanding, options: Offers) -> Intent:
    """The chosen reading with the added options in it and the dropped ones out of it."""
    reading: Reading = known.readings[reading_number(prediction)]
    dropped = [options[name].item for name in prediction.drop if name in options]
    added = [options[name].item for name in prediction.add if name in options]
    gone_ids = {item.entity_id for item in dropped if isinstance(item, EntityRef)}
    gone_facets = {(item.facet, item.values) for item in dropped if isinstance(item, Constraint)}
    entities = [entity for entity in reading.intent.entities if entity.entity_id not in gone_ids]
    constraints = [c for c in reading.intent.constraints if (c.facet, c.values) not in gone_facets or c.op == "not"]
    entities.extend(item for item in added if isinstance(item, EntityRef))
    constraints.extend(item for item in added if isinstance(item, Constraint))
    numbered = tuple(c.model_copy(update={"constraint_id": f"c{n}"}) for n, c in enumerate(constraints))
    return _settled(reading.intent.model_copy(update={"entities": tuple(entities), "constraints": numbered}))


def _settled(intent: Intent) -> Intent:
    """Kind and size once names were added or dropped: named tracks alone are what is to be played."""
    targets = intent.by_role("target")
    if intent.kind == "discover" and targets:
        single = not intent.constraints and all(entity.entity_type == "track" for entity in targets)
        return intent.model_copy(update={"kind": "play", "size": len(targets) if single else intent.size})
    empty = intent.kind == "play" and not targets and not intent.absent
    return intent.model_copy(update={"kind": "discover"}) if empty else intent


def drafted(prediction: dspy.Prediction, known: Understanding, options: Offers) -> tuple[Intent, Understanding]:
    """The intent that a checked prediction stands for, and what is known with the namesakes that it cannot tell apart.

    A name that nothing covers becomes absent.
    """
    intent = _named(applied(prediction, known, options), str(prediction.name).strip())
    unsure = [options[name] for name in dict.fromkeys(prediction.unsure) if name in options]
    rivals = tuple(
        offer.evidence.model_copy(update={"evidence_id": f"u{number}"})
        for number, offer in enumerate(unsure)
        if offer.evidence is not None
    )
    if len(rivals) < 2:
        return intent, known
    best = replace(known.best, evidence=(*known.best.evidence, *rivals))
    ambiguity = tuple(item.evidence_id for item in rivals)
    return intent.model_copy(update={"ambiguity": ambiguity}), replace(known, readings=(best, *known.readings[1:]))


def _named(intent: Intent, name: str) -> Intent:
    covered = any(name_key(name) in name_key(entity.name) for entity in intent.entities)
    covered = covered or any(name_key(name) in name_key(c.surface) for c in intent.constraints)
    said = re.search(r"\W+".join(map(re.escape, name.split())), intent.free_text, re.IGNORECASE) if name else None
    if said is None or covered:
        return intent
    rest = " ".join((intent.free_text[: said.start()] + intent.free_text[said.end() :]).split())
    return intent.model_copy(update={"absent": (*intent.absent, said.group()), "free_text": rest, "kind": "play"})
