"""Times of music as a request speaks of them, as items: decades in any language, the last years, centuries."""

from __future__ import annotations

from datetime import date

from data.vocab.era_phrases import EraPhrase, era_phrases
from data.vocab.loader import load_vocabularies
from program.grounding.items import CJK_TOKEN, RANGE_SCORE, FacetItem, Item, RangeItem, scaled
from program.grounding.tokens import Token


def time_items(tokens: tuple[Token, ...], request: str, year: int | None = None) -> list[Item]:
    """An item for every phrase of a time that covers whole tokens; one whole decade is a facet value, the rest are ranges.

    Args:
        year: the current one; None asks the clock.
    """
    starts, ends = {token.start: n for n, token in enumerate(tokens)}, {token.end: n + 1 for n, token in enumerate(tokens)}
    found = []
    for phrase in era_phrases(request, year or date.today().year):
        if phrase.start in starts and phrase.end in ends:
            found.append(_item(phrase, starts[phrase.start], ends[phrase.end], tokens))
    return found


def _item(phrase: EraPhrase, first: int, last: int, tokens: tuple[Token, ...]) -> Item:
    score = scaled(RANGE_SCORE, sum(CJK_TOKEN if token.cjk else 1.0 for token in tokens[first:last]))
    if phrase.decade in load_vocabularies()["era"].concepts:
        return FacetItem(first, last, score, "era", str(phrase.decade))
    low, high = ("" if bound is None else str(bound) for bound in (phrase.low, phrase.high))
    return RangeItem(first, last, score, low, high)
