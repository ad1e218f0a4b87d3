"""Why a found span is wrong or a labelled one was missed: a name for each cause, from the words and what stands around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from data.names import name_key
from data.vocab.loader import facet_words
from data.vocab.request_words import request_words
from experiments.external.reading import FoundSpan
from experiments.external.rows import GoldSpan, LabelledRequest
from experiments.external.scoring import Answered, coarse_type
from optimizers.spans import plain
from program.grounding.tokens import tokenize
from program.index.protocol import CatalogIndex


@dataclass(frozen=True)
class Mistake:
    """One false positive (`wrong`) or one miss. shown: the request with the span marked."""

    kind: str
    cause: str
    shown: str


def mistakes(request: LabelledRequest, answer: Answered, index: CatalogIndex) -> Iterator[Mistake]:
    """Every mistake of one answer, as the strict metric counts them."""
    gold, found = _unmatched(request, answer)
    for number in found:
        one = answer.found[number]
        cause = _wrong_cause(one, answer.spans[number].text, request)
        yield Mistake("wrong", cause, f"{_marked(request.text, one.start, one.end)}  → {one.type}")
    for span in gold:
        cause = _missed_cause(span, request, answer, index)
        yield Mistake("missed", cause, f"{_marked(request.text, span.start, span.end)}  = {span.type}")


def _unmatched(request: LabelledRequest, answer: Answered) -> tuple[list[GoldSpan], list[int]]:
    """Labelled spans that nothing matches, and positions of found spans that match nothing; each span matches once."""
    free = list(request.gold)
    found = []
    for number, span in enumerate(answer.spans):
        same = next(
            (g for g in free if plain(g.text) == plain(span.text) and coarse_type(g.type) == coarse_type(span.type)), None
        )
        if same is None:
            found.append(number)
        else:
            free.remove(same)
    return free, found


def _wrong_cause(one: FoundSpan, text: str, request: LabelledRequest) -> str:
    for span in request.gold:
        if one.meets(span):
            return _overlap(one, text, span)
    subject = "an absent name" if one.source == "absent" else f"a name ({coarse_type(one.type)})"
    return f"no name there: {_words(text)} read as {subject}"


def _overlap(one: FoundSpan, text: str, span: GoldSpan) -> str:
    if plain(text) == plain(span.text):
        if coarse_type(span.type) == coarse_type(one.type):
            return "said twice, labelled once"
        return f"type wrong: {coarse_type(span.type)} read as {coarse_type(one.type)} ({one.source})"
    extent = "too short" if one.inside(span) else "too long" if span.start >= one.start and span.end <= one.end else "shifted"
    return f"span {extent} ({one.source})"


def _missed_cause(span: GoldSpan, request: LabelledRequest, answer: Answered, index: CatalogIndex) -> str:
    for one, compared in zip(answer.found, answer.spans, strict=True):
        if one.meets(span):
            return _overlap(one, compared.text, span)
    before = _role_before(request.text, span.start)
    return f"not found: {_known(span, index)}, {before}"


def _known(span: GoldSpan, index: CatalogIndex) -> str:
    """What the catalog holds under the labelled words."""
    key = name_key(span.text)
    types = _types(key, index)
    if coarse_type(span.type) in types:
        return f"in the catalog, {_words(span.text)}"
    if types:
        return "in the catalog as another type"
    bare = key.removesuffix("s")
    if bare != key and _types(bare, index):
        return "in the catalog without its last s"
    return "not in the catalog"


def _types(key: str, index: CatalogIndex) -> set[str]:
    hits = index.lookup([key]).get(key)
    return {coarse_type(posting.entity_type) for posting in hits.postings} if hits else set()


def _words(text: str) -> str:
    """What kind of words a span is made of."""
    keys = [token.key for token in tokenize(text)]
    if name_key(text) in facet_words():
        return "facet word"
    if name_key(text) in request_words() or all(key in request_words() for key in keys):
        return "request words"
    if any(key in facet_words() or key in request_words() for key in keys):
        return "request or facet words and others"
    return "one other word" if len(keys) == 1 else "other words"


def _role_before(text: str, start: int) -> str:
    """What the phrase right before says, articles looked past."""
    tokens = tokenize(text[:start])
    words = request_words()
    for size in (3, 2, 1):
        if len(tokens) >= size:
            roles = words.get(name_key(" ".join(token.text for token in tokens[-size:])), ())
            if said := [role for role in roles if role != "filler"]:
                return f"after a {said[0]} word"
    return "at the start" if not tokens else "after other words"


def _marked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}[{text[start:end]}]{text[end:]}"
