"""The last word of an artist's name: "Zeppelin" is Led Zeppelin where nobody else of note has a name that ends so."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from data.commonwords import zipf
from data.names import name_form, name_key
from data.vocab.loader import facet_words
from data.vocab.request_words import request_words
from program.grounding.locale import request_locale
from program.grounding.lookup import Lookup, Mention
from program.grounding.spans import SpanKey
from program.index.protocol import CatalogIndex, Filter, Posting

_MOST_WORDS, _LEAST_CHARS, _MOST_TRACKS, _LONGEST_NAME = 2, 4, 20, 3
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
_TALK = 4.0
"""Zipf frequency from which a word is talk rather than part of a name (own choice)."""
_SHARE = 0.7
"""Least share of the popularity behind the word that one artist must have."""
_SUPPORT = 0.6


def with_surnames(lookup: Lookup, index: CatalogIndex) -> Lookup:
    """The lookup with the artists that a rare, otherwise unexplained word of the request can only mean."""
    covered = {at for mention in lookup.mentions for at in range(mention.span.first, mention.span.last)}
    locale = request_locale(lookup.request)
    said, described = request_words(locale), facet_words(locale)
    found: list[Mention] = []
    open_words = {
        at for at, token in enumerate(lookup.tokens) if at not in covered and not (token.key in said or token.key in described)
    }
    for position, token in enumerate(lookup.tokens):
        beside = {at for at in (position - 1, position + 1) if at in open_words and lookup.tokens[at].clause == token.clause}
        if beside:
            continue  # part of a longer name that is not held
        surface = _POSSESSIVE.sub("", token.text)
        key = name_key(surface)
        known = position in covered or position not in open_words or token.cjk or len(key) < _LEAST_CHARS
        if known or zipf(key) >= _TALK or not index.uses_word(key):
            continue
        posting = _only_artist(key, index)
        if posting is not None:
            span = SpanKey(position, position + 1, key, surface, possessive=surface != token.text)
            found.append(Mention(span, posting, "fuzzy", 0, round(_SUPPORT * (0.5 + 0.5 * posting.popularity), 4)))
        if len(found) == _MOST_WORDS:
            break
    return replace(lookup, mentions=(*lookup.mentions, *found)) if found else lookup


def _only_artist(word: str, index: CatalogIndex) -> Posting | None:
    weights: dict[str, float] = defaultdict(float)
    for row in index.search(Filter(text=word), limit=_MOST_TRACKS).rows:
        entry = index.track(row)
        for credit in entry.track.artists:
            words = name_form(credit.name).split()
            if len(words) <= _LONGEST_NAME and word == words[-1]:
                weights[credit.name] += 0.05 + entry.popularity
    if not weights:
        return None
    name = max(weights, key=lambda each: weights[each])
    if weights[name] < _SHARE * sum(weights.values()):
        return None
    key = name_key(name)
    hits = index.lookup([key]).get(key)
    artists = hits.of("artist") if hits else ()
    return artists[0] if artists else None
