"""Is a reading of the request one that the request's own words bear out? For UNDERSTAND's intent."""

from __future__ import annotations

from collections.abc import Iterator

from data.commonwords import zipf
from data.contracts import EntityRef, Intent
from data.names import name_form
from data.trust import Signal
from data.vocab.loader import facet_words, load_vocabularies
from program.grounding.frame import RequestFrame
from program.grounding.items import MinutesItem, SizeItem
from program.grounding.lookup import Lookup, Mention, entity_id
from program.grounding.numbers import number_items
from program.grounding.tokens import Token
from program.index.protocol import CatalogIndex
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot

_UNHEARD = 0.2
"""For a word that says something and is nowhere in the reading."""
_SMALL = 0.6
"""For one that may say nothing."""
_SAYS_SOMETHING = 5.0
"""Zipf frequency below which a word is taken to say something."""
_NOT_THERE = 0.1
_RIVAL_FLOOR = 0.3


def signals(intent: Intent, session: Session, resources: Resources, _: Snapshot) -> tuple[Signal, ...]:
    """Every name stands in the request and nothing there is backed better; every word of the request is accounted for."""
    known = session.understanding
    if known is None:
        return ()
    named = [_named(entity, intent, session, resources.index) for entity in intent.entities]
    return (*named, _heard(intent, session, resources)) if resources.settings.grounding.lookup else (*named,)


def received(intent: Intent, session: Session, resources: Resources, _: Snapshot) -> tuple[Signal, ...]:
    """PLAN can search only for what the catalog holds."""
    index = resources.index
    strange = [entity.name for entity in intent.entities if not _is_held(entity, index)]
    return (Signal(name="held", score=0.0 if strange else 1.0, part=", ".join(strange)),) if intent.entities else ()


def _is_held(entity: EntityRef, index: CatalogIndex) -> bool:
    if entity.entity_type == "track":
        return bool(index.by_ids([entity.entity_id]))
    return entity.entity_type != "artist" or index.artist_by_id(entity.entity_id) is not None


def _named(entity: EntityRef, intent: Intent, session: Session, index: CatalogIndex) -> Signal:
    """How well the request's words back a name, beside the best that they could mean."""
    known = session.understanding
    assert known is not None
    shown = [item for reading in known.readings for item in reading.evidence if item.entity_id == entity.entity_id]
    own = [mention for mention in known.lookup.mentions if _is(mention, entity, index)]
    if not shown and not own:
        spoken = name_form(entity.name) in name_form(session.text)
        return Signal(name="evidence", score=_SMALL if spoken else _NOT_THERE, part=entity.name)
    if not own or _is_by_another(entity, intent, session):
        return Signal(name="evidence", score=1.0, part=entity.name)
    mention = max(own, key=lambda one: one.support)
    rivals = known.lookup.at(mention.span.first, mention.span.last, mention.entity_type)
    best = max(rival.support for rival in rivals)
    ahead = max(0.0, (mention.support / best - _RIVAL_FLOOR) / (1 - _RIVAL_FLOOR)) if best else 1.0
    return Signal(name="evidence", score=round(ahead, 4), part=entity.name)


def _is(mention: Mention, entity: EntityRef, index: CatalogIndex) -> bool:
    return mention.entity_type == entity.entity_type and entity_id(mention, index) == entity.entity_id


def _is_by_another(entity: EntityRef, intent: Intent, session: Session) -> bool:
    """Whether another name of the intent explains this one: the artist of a title."""
    known = session.understanding
    assert known is not None
    others = {one.name for one in intent.entities if one is not entity}
    credits = {name for reading in known.readings for item in reading.evidence if item.entity_id == entity.entity_id
               for name in (*item.artists, *item.works)}  # fmt: skip
    return bool(others & credits)


def _heard(intent: Intent, session: Session, resources: Resources) -> Signal:
    """The words that are in no name, no condition and no phrase that requests are made of."""
    known = session.understanding
    assert known is not None
    lookup = known.lookup
    frame = RequestFrame(lookup, resources.settings.grounding, resources.index)
    heard = set(_in_spans(intent, session, lookup.tokens)) | {at for span in frame.roles for at in range(*span)}
    heard |= set(_in_values(intent, lookup, frame.locale)) | set(range(_taken_back(frame)))
    heard |= set(_in_counts(intent, session, lookup))
    said = name_form(
        " ".join([intent.free_text, *intent.absent, *intent.unwanted, intent.period.replace("-", " "), *_counts(intent)])
    )
    words = set(said.split())
    missed = [
        token for at, token in enumerate(lookup.tokens)
        if at not in heard and token.key[:1].isalnum() and not _is_said(token, said, words)
    ]  # fmt: skip
    part = " ".join(token.text for token in missed)
    return Signal(name="coverage", score=min((_weight(token, frame.locale) for token in missed), default=1.0), part=part)


def _is_said(token: Token, said: str, words: set[str]) -> bool:
    form = name_form(token.text)
    return form in words or (token.cjk and form in said)


def _weight(token: Token, locale: str) -> float:
    says = (
        token.text.isdigit()
        or token.key in facet_words(locale)
        or max(zipf(token.key), zipf(token.key, locale)) < _SAYS_SOMETHING
    )
    return _UNHEARD if says and not token.cjk else _SMALL


def _counts(intent: Intent) -> list[str]:
    return [str(intent.size), str(intent.minutes or ""), f"{(intent.minutes or 0) / 60:g}"]


def _taken_back(frame: RequestFrame) -> int:
    """How many tokens stand before the last word that takes back what was said before it ("... sorry, I meant ...")."""
    return max((first for (first, _), roles in frame.roles.items() if "correction" in roles), default=0)


def _in_counts(intent: Intent, session: Session, lookup: Lookup) -> Iterator[int]:
    """Tokens of how many tracks or minutes are asked for, in figures or words ("five songs", "half an hour")."""
    for item in number_items(lookup.tokens, lookup.request):
        is_size = isinstance(item, SizeItem) and (session.n is not None or item.size == intent.size)
        if is_size or (isinstance(item, MinutesItem) and item.minutes == intent.minutes):
            yield from range(item.first, item.last)


def _in_spans(intent: Intent, session: Session, tokens: tuple[Token, ...]) -> Iterator[int]:
    """Tokens of the intent's names and conditions."""
    known = session.understanding
    assert known is not None
    used = {entity.entity_id for entity in intent.entities}
    spans = [item.span for reading in known.readings for item in reading.evidence if item.entity_id in used]
    spans += [constraint.span for constraint in intent.constraints if constraint.span != (0, 0)]
    for at, token in enumerate(tokens):
        if any(token.start < end and token.end > start for start, end in spans):
            yield at


def _in_values(intent: Intent, lookup: Lookup, locale: str) -> Iterator[int]:
    """Tokens of facet words whose value a condition holds, wherever it took it from, or one of its family."""
    held = {(constraint.facet, value) for constraint in intent.constraints for value in constraint.values}
    vocabularies = load_vocabularies()
    for span in lookup.spans:
        for facet, concept in facet_words(locale).get(span.key, ()):
            family = {concept, *vocabularies[facet].ancestors(concept), *vocabularies[facet].descendants(concept)}
            if any((facet, one) in held for one in family) or (facet == "era" and any(f == "era" for f, _ in held)):
                yield from range(span.first, span.last)
