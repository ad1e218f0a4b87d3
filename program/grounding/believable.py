"""Which repaired names are believable: a word of everyday language or of an unknown name is near to some name, too.

A repaired name of several words is believed: all its words had to fit. One word alone has to stand where a name stands.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

from data.contracts import EntityType
from program.grounding.requested import Request, Respelt
from program.grounding.spans import SpanKey
from program.index.postings import TYPES
from program.index.protocol import CatalogIndex, Filter, NameHits, Posting

_SHORTEST_TARGET = 5
"""Letters of a name from which one word may mean it; a shorter one only where the slip doubled a letter ("cherr")."""
_DOUBLED = re.compile(r"(.)\1+")
_LEAST_LENGTH = 0.6
"""Share of a span's letters that the name found for it has at least."""
_OWN_NAMES = frozenset({"exact", "normalised", "transliterated"})
_MUCH_BETTER_KNOWN = 0.3
_HITS_PER_SPAN = 5
_POSTINGS_TRIED = 3


class Believable:
    """Judges what was found for one request."""

    def __init__(self, request: Request, index: CatalogIndex) -> None:
        self.request, self.index = request, index
        self._ids: dict[int, str] = {}
        self._asked: dict[tuple[tuple[str, ...], tuple[str, ...]], bool] = {}

    def kept(self, found: list[Respelt]) -> list[Respelt]:
        """Of each span the believable names with the fewest edits, others only where they are far better known."""
        by_span: dict[SpanKey, list[Respelt]] = {}
        for hit in found:
            if hit.version.only_artists:
                own = tuple(posting for posting in hit.hits.of("artist") if posting.kind in _OWN_NAMES)
                hit = replace(hit, hits=replace(hit.hits, postings=own))
            elif self.request.lone_word(hit.span) is not None:
                hit = replace(hit, hits=self._as_one_word(hit))
            elif hit.version.everyday or hit.version.by_sound:
                hit = replace(hit, hits=self._as_doubtful(hit))
            fits = len(hit.hits.key) >= _LEAST_LENGTH * len(hit.span.key)
            if fits and hit.hits.postings and hit.hits.key not in {other.hits.key for other in by_span.get(hit.span, ())}:
                by_span.setdefault(hit.span, []).append(hit)
        return [hit for of_span in by_span.values() for hit in _nearest(of_span)]

    def _as_one_word(self, hit: Respelt) -> NameHits:
        """The postings that one word alone may mean."""
        if self._is_noun(hit.span) or not self._is_alike(hit):
            return replace(hit.hits, postings=())
        fit = [posting for posting in _first(hit.hits) if self._fits(posting, hit)]
        return replace(hit.hits, postings=tuple(fit))

    def _as_doubtful(self, hit: Respelt) -> NameHits:
        """Of a name with an everyday word in it: artists, and titles that the rest of the request supports."""
        own = [posting for posting in _first(hit.hits) if posting.kind in _OWN_NAMES]
        if not self.request.is_all(hit.span):
            own = [posting for posting in own if posting.entity_type == "artist" or self._has_partner(posting, hit)]
        return replace(hit.hits, postings=tuple(own))

    def _is_noun(self, span: SpanKey) -> bool:
        """Whether an `a` before it makes the word a thing ("a heist"), unless a song or the like follows ("a metalica song")."""
        before = self.request.tokens[span.first - 1].key if span.first else ""
        after = self.request.tokens[span.last].key if span.last < len(self.request.tokens) else ""
        return before in ("a", "an") and "head" not in self.request.asked.get(after, ())

    def _is_alike(self, hit: Respelt) -> bool:
        """Two slips leave at least the first letter."""
        return hit.version.edits < 2 or hit.version.by_sound or hit.span.key[:1] == hit.hits.key[:1]

    def _fits(self, posting: Posting, hit: Respelt) -> bool:
        """Whether one word means this entity: a name of its own, in its place, or with its title or artist beside it."""
        if posting.kind not in _OWN_NAMES or (posting.entity_type != "artist" and posting.kind != "exact"):
            return False
        if len(hit.hits.key) < _SHORTEST_TARGET and _undoubled(hit.hits.key) != _undoubled(hit.span.key):
            return False
        in_place = self._is_apart(hit.span) if posting.entity_type == "artist" else self.request.is_all(hit.span)
        return in_place or self._has_partner(posting, hit)

    def _is_apart(self, span: SpanKey) -> bool:
        """Whether no word of another name stands beside it: it would be a part of that name."""
        return self._is_border(span.first, span.first - 1) and self._is_border(span.last - 1, span.last)

    def _is_border(self, inside: int, outside: int) -> bool:
        request = self.request
        if not 0 <= outside < len(request.tokens) or request.tokens[outside].clause != request.tokens[inside].clause:
            return True
        other = request.explained.get(outside)
        return request.plain[outside] or (other is not None and other.last - other.first > 1)

    def _has_partner(self, posting: Posting, hit: Respelt) -> bool:
        """Whether the request names a title of this artist, or an artist of this title, as the catalog holds them."""
        if posting.entity_type == "album":
            return False
        if posting.entity_type == "track":
            return self._together((hit.hits.key,), self._artists_beside(hit.span))
        titles = tuple(span.key for span in self._named["track"] if _is_beside(span, hit.span))
        return bool(titles) and self._together(titles, (self._artist_id(posting.row),))

    def _artists_beside(self, span: SpanKey) -> tuple[str, ...]:
        keys = [other.key for other in self._named["artist"] if _is_beside(other, span)]
        rows = dict.fromkeys(p.row for key in keys for p in self.request.known[key].of("artist")[:_POSTINGS_TRIED])
        return tuple(self._artist_id(row) for row in rows)

    @cached_property
    def _named(self) -> dict[EntityType, list[SpanKey]]:
        """Spans that name a title or an artist as they stand, words that requests are made of left out."""
        known = self.request.known
        spans = [span for span in self.request.spans if span.key in known and span.key not in self.request.asked]
        return {kind: [span for span in spans if known[span.key].of(kind)] for kind in TYPES}

    def _artist_id(self, row: int) -> str:
        if row not in self._ids:
            self._ids[row] = self.index.artist(row).artist.artist_id
        return self._ids[row]

    def _together(self, titles: tuple[str, ...], artists: tuple[str, ...]) -> bool:
        """Whether the catalog holds one of the titles by one of the artists."""
        if artists and (titles, artists) not in self._asked:
            self._asked[titles, artists] = self.index.count(Filter(title_keys=titles, artist_ids=artists)) > 0
        return bool(artists) and self._asked[titles, artists]


def _undoubled(word: str) -> str:
    return _DOUBLED.sub(r"\1", word)


def _first(hits: NameHits) -> list[Posting]:
    return [posting for kind in TYPES for posting in hits.of(kind)[:_POSTINGS_TRIED]]


def _is_beside(span: SpanKey, other: SpanKey) -> bool:
    return span.last <= other.first or span.first >= other.last


def _nearest(found: list[Respelt]) -> list[Respelt]:
    fewest = min(hit.version.edits for hit in found)
    known = max(_popularity(hit) for hit in found if hit.version.edits == fewest)
    kept = [hit for hit in found if hit.version.edits == fewest or _popularity(hit) >= known + _MUCH_BETTER_KNOWN]
    kept.sort(key=lambda hit: (hit.version.edits, -_popularity(hit)))
    return kept[:_HITS_PER_SPAN]


def _popularity(hit: Respelt) -> float:
    return max((posting.popularity for posting in hit.hits.postings), default=0.0)
