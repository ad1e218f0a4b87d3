"""What one answer teaches one node, in a sentence or two: written for the model that improves the node's instructions."""

from __future__ import annotations

from collections.abc import Iterator

from data.contracts import EntityRef, NodeName
from data.labelled import LabelledEntity, LabelledRow
from data.vocab.loader import load_vocabularies
from optimizers.behaviour import RETRIES, action_of, changed_constraints, unknown_values
from optimizers.compare import ConditionItem, condition_counts
from optimizers.naming import false_absences, mistakes
from optimizers.quality import preserved, success
from optimizers.records import AnswerRecord

_SENTENCES = 2
_ACTION_WORDS = {
    "none": "take the first search as it is",
    "relaxed": "loosen a soft condition",
    "rewrite": "read the words otherwise",
    "fallback": "say what is missing and give what there is",
    "clarify": "ask which one is meant",
}


def feedback(row: LabelledRow, record: AnswerRecord, node: NodeName) -> str:
    """One or two sentences about a node's part in an answer: what was wrong first, else that it was right.

    Args:
        node: one that asks an LM: understand, plan, reflect or synthesize.
    """
    if record.crashed:
        return f"The program crashed: {record.error}."
    told = [*lessons(row, record, node), *_assertions(record, node)]
    return " ".join(told[:_SENTENCES]) or "This was right."


def lessons(row: LabelledRow, record: AnswerRecord, node: NodeName) -> Iterator[str]:
    """Every sentence on what a node did wrong, the worst first; none where it was right."""
    yield from {"understand": _understand, "plan": _plan, "reflect": _reflect, "synthesize": _synthesize}[node](row, record)


def _understand(row: LabelledRow, record: AnswerRecord) -> Iterator[str]:
    if row.ambiguity is not None:
        if record.status != "clarify" and row.retry[0] == "clarify":
            yield f"Nobody can know which {_quoted(row.surfaces[0])} is meant; mark the readings as unsure."
        return
    if record.status == "clarify":
        yield "The request is clear enough; a question was not needed."
    found = mistakes(row, record)
    for label, other in found.wrong:
        yield f"{_quoted(label.surface)} is {_label(label)}, not {_entity(other)}."
    for label in found.missing:
        yield f"{_quoted(label.surface)} is {_label(label)} and was left out."
    for entity in found.extra:
        yield f"Nothing in the request means {_entity(entity)}."
    told = record.reading.absent if record.reading else ()
    yield from (f"{_quoted(name)} is not in the catalog and was not named as absent." for name in row.absent if not told)
    yield from (f"{_quoted(name)} is no name that the catalog lacks." for name in false_absences(row, record))
    counts = condition_counts(record.reading.constraints if record.reading else (), row.constraints)
    if counts.missing:
        yield f"The request says {words_of(counts.missing)}, and that was lost."
    if counts.extra:
        yield f"The request does not say {words_of(counts.extra)}."


def _plan(row: LabelledRow, record: AnswerRecord) -> Iterator[str]:
    if not record.rounds:
        return
    if values := unknown_values(record):
        yield f"The plan searches for values that do not exist: {', '.join(values)}."
    if record.unknown_ids:
        yield f"The plan uses ids that the catalog does not hold: {', '.join(record.unknown_ids[:3])}."
    for hit in dict.fromkeys(hit.message for each in record.rounds for hit in each.plan.guard_hits):
        yield f"A guard stopped the plan: {hit}."
    for tool in record.rounds[0].tools:
        if tool.error:
            yield f"{tool.tool} failed ({tool.error.kind}): {tool.error.message}."
    if success(row, record) is False and record.rounds[-1].merged:
        tools = ", ".join(call.tool for call in record.rounds[-1].plan.routes)
        yield f"The routes {tools} brought {record.rounds[-1].merged} tracks, and too few of them fit the request."


def _reflect(row: LabelledRow, record: AnswerRecord) -> Iterator[str]:
    action = action_of(record)
    retried = any(each.action in RETRIES for each in record.rounds)
    if action not in row.retry and (retried or row.retry[0] in ("relaxed", "rewrite")):
        yield f"The right thing was to {_ACTION_WORDS[row.retry[0]]}, not to {_ACTION_WORDS[action]}."
    if retried and preserved(row, record.tracks) is False:
        yield "The repair gave up what the request is about; loosen something that it says by the way."
    hidden = [name for name, told in changed_constraints(record).items() if not told]
    if hidden:
        yield f"{len(hidden)} condition(s) changed without an entry in the ledger."


def _synthesize(row: LabelledRow, record: AnswerRecord) -> Iterator[str]:
    for fault in record.fallbacks:
        if fault.node == "synthesize":
            yield f"The words were replaced by a template: {fault.message}."


def _assertions(record: AnswerRecord, node: NodeName) -> Iterator[str]:
    for outcome in record.assertions.get(node, ()):
        if outcome.outcome == "failed":
            yield f"The check {outcome.name} failed: {outcome.message}."
        elif outcome.outcome == "repaired":
            yield f"The check {outcome.name} held only after a repair: {outcome.message}."


def _label(label: LabelledEntity) -> str:
    return f"the {label.entity_type} {label.ids[0]} as {label.role}"


def _entity(entity: EntityRef) -> str:
    return f"the {entity.entity_type} {entity.name} ({entity.entity_id}) as {entity.role}"


def words_of(items: tuple[ConditionItem, ...]) -> str:
    """Conditions in words, such as "genre Jazz, no mood Sad"."""
    return ", ".join(_item(item) for item in items)


def _item(item: ConditionItem) -> str:
    facet, polarity, value = item
    vocabulary = load_vocabularies().get(facet)
    label = vocabulary.label(value) if vocabulary and polarity != "range" else value
    return f"{'no ' if polarity == 'not' else ''}{facet} {label}"


def _quoted(words: str) -> str:
    return f"“{words}”"
