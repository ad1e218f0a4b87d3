"""Which of the names under one key is written as the request writes it: "MEG" or "Meg", "B.o.B" or "Bob"."""

from __future__ import annotations

from data.contracts import EntityType
from data.surface import likeness, surface_code
from program.grounding.spans import SpanKey
from program.grounding.tokens import Token
from program.index.postings import TYPES
from program.index.protocol import NameHits, Posting

Tiers = list[tuple[int, Posting]]
"""Postings of one type, each with how well it fits, the best first."""
_WRITINGS = 4
"""How many writings of a span there are at most."""
_ENDS = ",.;:?!，。；：？！、\"'”’"


def writings(request: str, tokens: tuple[Token, ...], span: SpanKey) -> tuple[int, ...]:
    """Codes of the span as written: with the signs that stick to it ("+VIBES", "-M-", "Wham!"), then its words alone."""
    start, end = tokens[span.first].start, tokens[span.last - 1].end
    wide_start, wide_end = start, end
    while wide_start and not request[wide_start - 1].isspace() and not request[wide_start - 1].isalnum():
        wide_start -= 1
    while wide_end < len(request) and not request[wide_end].isspace() and not request[wide_end].isalnum():
        wide_end += 1
    texts = [span.surface]
    if not span.possessive and (wide_start, wide_end) != (start, end):
        wide = request[wide_start:wide_end]
        texts = [wide, wide.rstrip(_ENDS), wide.strip(_ENDS), span.surface]
    return tuple(dict.fromkeys(map(surface_code, texts)))


def as_written(request: str, tokens: tuple[Token, ...], span: SpanKey, hits: NameHits) -> list[Tiers]:
    """The postings of each type: what is written as the request writes it first, then the better known.

    Tiers, the best first: written the same, the same but for capitals (each with the signs around it, then without), the
    same key, the key of another spelling of the name.
    """
    found = by_type(hits)
    written: tuple[int, ...] = ()
    for place, tiers in enumerate(found):
        if len(tiers) > 1 and any(posting.surface != tiers[0][1].surface for _, posting in tiers):
            written = written or writings(request, tokens, span)
            ranked = [(_tier(posting, written), posting) for _, posting in tiers]
            found[place] = sorted(ranked, key=lambda item: -item[0])
    return found


def by_type(hits: NameHits) -> list[Tiers]:
    """The postings of each type, best known first, all in one tier."""
    found: dict[EntityType, Tiers] = {entity_type: [] for entity_type in TYPES}
    for posting in hits.postings:
        found[posting.entity_type].append((0, posting))
    return list(found.values())


def _tier(posting: Posting, written: tuple[int, ...]) -> int:
    for most in (2, 1):
        for place, code in enumerate(written):
            if likeness(code, posting.surface) == most:
                return most * _WRITINGS - place + 1
    return int(posting.kind in ("exact", "alias"))
