"""The baseline to beat: the longest words of a request that are any name of the catalog, wherever they stand.

Words that requests are made of ("like", "music", "a") are no names by themselves, and facet words ("rock") are none either;
without this the baseline takes nearly every word for a title (precision 0.18 on music_ner).
"""

from __future__ import annotations

from data.vocab.loader import facet_words
from data.vocab.request_words import request_words
from experiments.external.reading import FoundSpan
from program.grounding.spans import SpanKey, propose
from program.grounding.tokens import tokenize
from program.index.protocol import CatalogIndex
from program.settings import Settings


def longest_matches(request: str, index: CatalogIndex, settings: Settings) -> tuple[FoundSpan, ...]:
    """Names of the catalog that do not overlap, the longest first, then the leftmost; the most popular entity gives the type."""
    tokens = tokenize(request)
    spans = propose(request, tokens, settings.grounding.max_span_tokens)
    plain = request_words().keys() | facet_words().keys()
    hits = index.lookup(list(dict.fromkeys(span.key for span in spans if span.key not in plain)))
    free, chosen = set(range(len(tokens))), list[FoundSpan]()
    for span in sorted((span for span in spans if span.key in hits), key=_longest_first):
        covered = range(span.first, span.last)
        if free.issuperset(covered):
            free.difference_update(covered)
            best = max(hits[span.key].postings, key=lambda posting: posting.popularity)
            start = tokens[span.first].start
            chosen.append(FoundSpan(span.surface, start, start + len(span.surface), best.entity_type))
    return tuple(sorted(chosen, key=lambda found: found.start))


def _longest_first(span: SpanKey) -> tuple[int, int]:
    return span.first - span.last, span.first
