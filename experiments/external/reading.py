"""Code's own reading of a request as named spans: its entities where their evidence stands, and its absent names.

An absent name may be a whole pair ("TITLE by ARTIST"): it is taken apart at its last `by` word. What a lone absent name is, its
place says: after `by` or an artist word an artist, before `by` or beside a track or album word a work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from data.contracts import EntityType
from data.vocab.request_words import RequestRole, request_words
from experiments.external.rows import GoldSpan
from program.grounding.compose import Reading
from program.grounding.drafted import Drafted, DraftedName
from program.grounding.lookup import Lookup
from program.grounding.readings import understand_by_code
from program.index.protocol import CatalogIndex
from program.settings import Settings

Source = Literal["entity", "absent"]
_ARTIST_AFTER: frozenset[RequestRole] = frozenset({"by", "similar", "artist_word"})
_WORK_BESIDE: frozenset[RequestRole] = frozenset({"track_word", "album_word"})
_TOKEN_EDGE = re.compile(r"\S+")


@dataclass(frozen=True)
class FoundSpan:
    """A name that a system found.

    Attributes:
        text: the name's words; a possessive ending belongs to the request, not to the name.
        start, end: character offsets [start, end) of the words it rests on.
    """

    text: str
    start: int
    end: int
    type: EntityType
    source: Source = "entity"

    def inside(self, other: FoundSpan | GoldSpan) -> bool:
        """Whether it lies within another, or is the same."""
        return other.start <= self.start and self.end <= other.end

    def meets(self, other: FoundSpan | GoldSpan) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


def read_spans(request: str, index: CatalogIndex, settings: Settings) -> tuple[FoundSpan, ...]:
    """The names in code's best reading, left to right."""
    known = understand_by_code(request, index, settings)
    return spans_of(known.best, known.lookup, known.drafted)


def spans_of(reading: Reading, lookup: Lookup, drafted: Drafted | None = None) -> tuple[FoundSpan, ...]:
    """The names of one reading. An entity that is only part of an absent name gives way to it.

    Args:
        drafted: what a model drafted: it says what an absent name is.
    """
    evidence = {item.evidence_id: item for item in reading.evidence}
    used = [evidence[entity.evidence_id] for entity in reading.intent.entities]
    entities = [FoundSpan(item.surface, *item.span, item.entity_type) for item in used]
    absent = [piece for name in reading.intent.absent for piece in _pieces(name, lookup, drafted)]
    kept = [one for one in entities if not any(one.inside(piece) and _size(one) < _size(piece) for piece in absent)]
    kept += [piece for piece in absent if not any(piece.meets(one) for one in kept)]
    unique = {(one.start, one.end, one.type): one for one in kept}
    return tuple(sorted(unique.values(), key=lambda one: one.start))


def whole_words(request: str, found: FoundSpan) -> str:
    """The words between spaces that a span touches: what a set marks that is labelled by such words."""
    words = [m.span() for m in _TOKEN_EDGE.finditer(request) if m.start() < found.end and found.start < m.end()]
    return request[words[0][0] : words[-1][1]] if words else found.text


def _size(span: FoundSpan) -> int:
    return span.end - span.start


def _pieces(name: str, lookup: Lookup, drafted: Drafted | None) -> list[FoundSpan]:
    start = lookup.request.find(name)
    end = start + len(name)
    inside = [number for number, token in enumerate(lookup.tokens) if start <= token.start and token.end <= end]
    if start < 0 or not inside:
        return []
    first, last = inside[0], inside[-1] + 1
    if drafted is not None and drafted.meets(first, last):
        return [_drafted_span(lookup, one) for one in drafted.names if one.first < last and first < one.last]
    for link in reversed(_phrases(lookup, "by")):
        if first < link[0] and link[1] < last:
            return [_span(lookup, first, link[0], "track"), _span(lookup, link[1], last, "artist")]
    return [_span(lookup, first, last, _lone_type(lookup, first, last))]


def _drafted_span(lookup: Lookup, name: DraftedName) -> FoundSpan:
    return _span(lookup, name.first, name.last, "artist" if name.kind == "artist" else "track")


def _phrases(lookup: Lookup, role: RequestRole) -> list[tuple[int, int]]:
    """Where phrases of a role stand, as tokens [first, last), left to right."""
    words = request_words()
    return sorted({(span.first, span.last) for span in lookup.spans if role in words.get(span.key, ())})


def _lone_type(lookup: Lookup, first: int, last: int) -> EntityType:
    words = request_words()
    before = {role for span in lookup.spans if span.last == first for role in words.get(span.key, ())}
    after = {role for span in lookup.spans if span.first == last for role in words.get(span.key, ())}
    if (before | after) & _WORK_BESIDE and not before & {"by", "artist_word"}:
        return "track"
    return "artist" if before & _ARTIST_AFTER and "by" not in after else "track"


def _span(lookup: Lookup, first: int, last: int, kind: EntityType) -> FoundSpan:
    start, end = lookup.tokens[first].start, lookup.tokens[last - 1].end
    return FoundSpan(lookup.request[start:end], start, end, kind, "absent")
