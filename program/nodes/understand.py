"""UNDERSTAND: spans and L1 evidence by code, then the head shortcut or the LM's choice among what was found."""

from __future__ import annotations

from typing import Annotated, Any

import dspy
from pydantic import Field

from data.contracts import Constraint, EntityRef, Evidence, Intent
from data.names import name_key
from program.grounding.compose import Reading
from program.grounding.lookup import evidence
from program.grounding.readings import Understanding, understand_by_code
from program.lm.ask import Check
from program.lm.schema import one_of, some_of
from program.nodes.asking import ask_node
from program.nodes.describe import constraint_words, evidence_words, intent_words, is_empty
from program.retry.ledger import Ledger
from program.state import Resources, Session
from signatures.understand import Understand

_MAX_LIST = 2
_MAX_NAME = 80


class UnderstandNode(dspy.Module):
    """Request → `Intent`. Sets `session.understanding`, `session.intent` and the constraints to keep."""

    def __init__(self) -> None:
        super().__init__()
        self.understand = dspy.Predict(Understand)

    def forward(self, session: Session, resources: Resources) -> Intent:
        """Read the request; an LM is asked only when code's reading is not clear by itself."""
        settings = resources.settings
        known = understand_by_code(session.text, resources.index, settings)
        intent = known.best.intent
        if not (settings.head_shortcut and is_clear(known, settings.grounding.shortcut_margin)):
            chosen = self._ask(known, session, resources)
            intent = chosen or intent
        if session.n is not None:
            intent = intent.model_copy(update={"size": session.n})
        session.understanding, session.intent = known, intent
        session.active, session.ledger = intent.constraints, Ledger(intent.constraints)
        return intent

    def _ask(self, known: Understanding, session: Session, resources: Resources) -> Intent | None:
        options = offered(known, resources)
        inputs: dict[str, object] = {
            "request": session.text,
            "readings": "\n".join(f"r{n}: {intent_words(reading.intent)}" for n, reading in enumerate(known.readings)),
            "options": "\n".join(f"{name}: {option.words}" for name, option in options.items()) or "none",
        }
        prediction = ask_node(
            self.understand, inputs, session, resources, node="understand",
            types=output_types(len(known.readings), tuple(options)), checks=checks(known, options, session.text), max_tokens=80,
        )  # fmt: skip
        return None if prediction is None else draft_intent(prediction, known, options)


class Offer:
    """One numbered option: a name or a facet that was found for a part of the request."""

    def __init__(self, words: str, span: tuple[int, int], item: EntityRef | Constraint) -> None:
        self.words = words
        self.span = span
        self.item = item


def is_clear(known: Understanding, margin: float) -> bool:
    """Grammar-clear: every word is explained, and no other reading comes close or all say the same of the names."""
    best = known.best
    if not best.complete or best.intent.ambiguity:
        return best.complete
    if known.margin >= margin:
        return True
    return (best.intent.entities == () and known.readings[1].intent.entities == ()) or _same_entity(known)


def _same_entity(known: Understanding) -> bool:
    """The first two readings want the same kind of thing from the same words; popularity then decides, not an LM."""
    first, second = known.readings[0].intent, known.readings[1].intent
    spans = [[item.span for item in reading.evidence] for reading in known.readings[:2]]
    types = [[entity.entity_type for entity in intent.entities] for intent in (first, second)]
    named = [[name_key(entity.name) for entity in intent.entities] for intent in (first, second)]
    alike = types[0] == types[1] or (types[0] == ["artist"] and named[0] == named[1])  # or an album named after its artist
    return spans[0] == spans[1] and alike and first.constraints == second.constraints


def offered(known: Understanding, resources: Resources) -> dict[str, Offer]:
    """The options by number: evidence (e…) and facets (f…) that some reading, or L1 alone, found; bounded."""
    grounding = resources.settings.grounding
    found: dict[str, Offer] = {}
    seen: set[tuple[str, str]] = set()
    items: list[Evidence] = [item for reading in known.readings for item in reading.evidence]
    items.extend(evidence(m, 0, known.lookup, resources.index) for m in known.lookup.mentions[: grounding.max_evidence])
    for item in items:
        key = (item.entity_type, item.entity_id)
        if key in seen or len(seen) >= grounding.max_evidence:
            continue
        seen.add(key)
        name = f"e{len(seen) - 1}"
        ref = EntityRef(evidence_id=name, entity_id=item.entity_id, entity_type=item.entity_type, name=item.name, role="target")
        found[name] = Offer(evidence_words(item, grounding), item.span, ref)
    facets: dict[tuple[str, str, tuple[str, ...]], Constraint] = {}
    for reading in known.readings:
        for constraint in reading.intent.constraints:
            facets.setdefault((constraint.facet, constraint.op, constraint.values), constraint)
    for number, constraint in enumerate(facets.values()):
        words = f'"{constraint.surface}" = {constraint_words(constraint)}'
        found[f"f{number}"] = Offer(words, constraint.span, constraint)
    return found


def output_types(readings: int, options: tuple[str, ...]) -> dict[str, Any]:
    """The reply's types for one request: only offered numbers can be expressed."""
    some = some_of(options, most=_MAX_LIST)
    reading = one_of(tuple(f"r{number}" for number in range(readings)))
    return {"reading": reading, "add": some, "drop": some, "name": Annotated[str, Field(max_length=_MAX_NAME)]}


def checks(known: Understanding, options: dict[str, Offer], request: str) -> tuple[Check, ...]:
    """The node's assertions, beyond the schema."""

    def covered(prediction: dspy.Prediction) -> str | None:
        chosen = _apply(prediction, known, options)
        best = known.best
        lost = len(best.intent.constraints) + len(best.intent.entities) - len(chosen.constraints) - len(chosen.entities)
        if lost > 0 and not known.readings[_number(prediction)].complete:
            return "the choice leaves words of the request unused that the first reading explains"
        return "nothing of the request would be left" if is_empty(chosen) and not is_empty(best.intent) else None

    def disjoint(prediction: dspy.Prediction) -> str | None:
        reading = known.readings[_number(prediction)]
        taken = [item.span for item in reading.evidence] + [c.span for c in reading.intent.constraints]
        dropped = {options[name].span for name in prediction.drop if name in options}
        for name in prediction.add:
            span = options[name].span if name in options else (0, 0)
            if any((span != other and _overlap(span, other)) or span == other for other in taken if other not in dropped):
                return f"{name} uses words that the reading already uses; leave it out or drop the other"
        return None

    def named(prediction: dspy.Prediction) -> str | None:
        name = str(prediction.name).strip()
        if name and name_key(name) not in name_key(request):
            return "the name must be copied from the request, or left empty"
        return None

    def polar(prediction: dspy.Prediction) -> str | None:
        kept = {e.entity_id for e in _apply(prediction, known, options).by_role("exclude")}
        wanted = {e.entity_id for e in _apply(prediction, known, options).by_role("target", "seed")}
        banned = {e.entity_id for e in known.best.intent.by_role("exclude")}
        if not banned <= kept or (banned & wanted and "seed" not in {e.role for e in known.best.intent.entities}):
            return "what the request excludes must stay excluded"
        return None

    return (
        Check("polarity_kept", polar),
        Check("covers_request", covered),
        Check("options_disjoint", disjoint),
        Check("name_in_request", named),
    )


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _number(prediction: dspy.Prediction) -> int:
    return int(str(prediction.reading)[1:])


def _apply(prediction: dspy.Prediction, known: Understanding, options: dict[str, Offer]) -> Intent:
    reading: Reading = known.readings[_number(prediction)]
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
    return (
        intent.model_copy(update={"kind": "discover"}) if intent.kind == "play" and not targets and not intent.absent else intent
    )


def draft_intent(prediction: dspy.Prediction, known: Understanding, options: dict[str, Offer]) -> Intent:
    """The intent that a checked prediction stands for. A name that nothing covers becomes absent."""
    intent = _apply(prediction, known, options)
    name = str(prediction.name).strip()
    covered = any(name_key(name) in name_key(entity.name) for entity in intent.entities)
    covered = covered or any(name_key(name) in name_key(c.surface) for c in intent.constraints)
    if not name or covered or name_key(name) not in name_key(intent.free_text):
        return intent
    rest = intent.free_text.replace(name, "").strip()
    return intent.model_copy(update={"absent": (*intent.absent, name), "free_text": rest, "kind": "play"})
