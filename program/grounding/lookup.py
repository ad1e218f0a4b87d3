"""L1, catalog reverse lookup: what in the catalog answers to each span of a request, in one batched call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from data.contracts import EntityType, Evidence, MatchKind
from data.vocab.request_words import request_words
from program.grounding.locale import request_locale
from program.grounding.requested import Request, Respelt
from program.grounding.spans import SpanKey, propose
from program.grounding.spelling import respelt
from program.grounding.tokens import Token, tokenize
from program.grounding.writing import Tiers, as_written, by_type
from program.index.protocol import CatalogIndex, NameHits, Posting
from program.settings import GroundingSettings

_MATCH_WEIGHT: dict[MatchKind, float] = {
    "exact": 1.0,
    "alias": 0.97,
    "normalised": 0.92,
    "transliterated": 0.9,
    "fuzzy": 0.65,
}
"""How far a kind of match is trusted (own choice)."""
_BY_SOUND = 0.55
"""The same for a fuzzy match that only sounds like the name."""
_PER_TYPE = 3
_SPECIFIC_CHARS = 14
_BELOW_EXACT = 0.01
"""How far a name comes after one that is written as the request writes it, if it is better known."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One reading of one span: an entity of the catalog that answers to it.

    Attributes:
        support: 0..1, higher is better: match kind, popularity and how specific the words are.
        rivals: other entities with the same surface.
    """

    span: SpanKey
    posting: Posting
    match: MatchKind
    rivals: int
    support: float

    @property
    def entity_type(self) -> EntityType:
        """Type of the entity."""
        return self.posting.entity_type


@dataclass(frozen=True)
class Lookup:
    """All that L1 found about one request."""

    request: str
    tokens: tuple[Token, ...]
    spans: tuple[SpanKey, ...]
    mentions: tuple[Mention, ...]

    def at(self, first: int, last: int, entity_type: EntityType | None = None) -> list[Mention]:
        """Mentions of exactly tokens [first, last), best supported first."""
        found = [m for m in self.mentions if (m.span.first, m.span.last) == (first, last)]
        return [m for m in found if entity_type is None or m.entity_type == entity_type]


def look_up(request: str, index: CatalogIndex, settings: GroundingSettings) -> Lookup:
    """Find every reading of every span; spans without one are tried again in other spellings, within bounds."""
    tokens = tokenize(request)
    spans = propose(request, tokens, settings.max_span_tokens)
    hits = index.lookup(list(dict.fromkeys(span.key for span in spans)))
    spans = _without_false_stems(spans, hits)
    mentions: list[Mention] = []
    for span in spans:
        if span.key in hits:
            ordered = as_written(request, tokens, span, hits[span.key])
            mentions.extend(_mentions(span, ordered, hits[span.key].total))
    locale = request_locale(request)
    asked = Request(tokens, tuple(spans), hits, request_words(locale), locale)
    for found in respelt(asked, index, settings):
        mentions.extend(_respelt(found))
    mentions.sort(key=lambda mention: -mention.support)
    return Lookup(request, tokens, tuple(spans), tuple(mentions))


def _without_false_stems(spans: list[SpanKey], hits: Mapping[str, NameHits]) -> list[SpanKey]:
    """The spans but those whose particle is part of a name that is held ("아이" is no "아" with a particle)."""
    held = {(span.first, span.last) for span in spans if not span.particle and span.key in hits}
    return [span for span in spans if not (span.particle and (span.first, span.last) in held)]


def _mentions(span: SpanKey, ordered: Iterable[Tiers], total: int, weight: float | None = None) -> list[Mention]:
    """The first postings of each type; one of a lower tier is never better supported than one above it.

    Args:
        weight: trust in a span that was found misspelt; None: the postings say how far their keys are from the names.
    """
    found: list[Mention] = []
    for tiers in ordered:
        ceiling, above = 1.0, 1.0
        for place, (rank, posting) in enumerate(tiers[:_PER_TYPE]):
            if place and rank < tiers[place - 1][0]:
                ceiling = above - _BELOW_EXACT
            match: MatchKind = posting.kind if weight is None else "fuzzy"
            support = min(_support(span, posting, _MATCH_WEIGHT[match] if weight is None else weight), ceiling)
            above = min(above, support)
            found.append(Mention(span, posting, match, total - 1, round(support, 4)))
    return found


def _respelt(found: Respelt) -> list[Mention]:
    """Mentions of a span in another spelling; its key is then the one that was found."""
    span, version = replace(found.span, key=found.hits.key), found.version
    if version.edits:
        weight = _BY_SOUND if version.by_sound else _MATCH_WEIGHT["fuzzy"]
        return _mentions(span, by_type(found.hits), found.hits.total, weight)
    return [replace(mention, match="normalised") for mention in _mentions(span, by_type(found.hits), found.hits.total)]


def _support(span: SpanKey, posting: Posting, weight: float) -> float:
    """0.35 + 0.35 popularity + 0.3 specificity, times the trust in the kind of match."""
    wide = any(ord(char) > 0x2E80 for char in span.key)
    specificity = min(1.0, len(span.key) * (2.5 if wide else 1.0) / _SPECIFIC_CHARS)
    return round(weight * (0.35 + 0.35 * posting.popularity + 0.3 * specificity), 4)


def entity_id(mention: Mention, index: CatalogIndex) -> str:
    """The catalog id of a mention's entity."""
    row = mention.posting.row
    if mention.entity_type == "track":
        return index.track(row).track.track_id
    if mention.entity_type == "artist":
        return index.artist(row).artist.artist_id
    return index.album(row).album_id


def evidence(mention: Mention, number: int, lookup: Lookup, index: CatalogIndex) -> Evidence:
    """The full evidence of one mention, read off the index; `number` makes its id."""
    tokens, row = lookup.tokens, mention.posting.row
    span = (tokens[mention.span.first].start, tokens[mention.span.last - 1].end)
    artists: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    if mention.entity_type == "track":
        track = index.track(row).track
        name, artists, identity = track.title, tuple(credit.name for credit in track.artists), track.track_id
        available = int(track.playable)
    elif mention.entity_type == "artist":
        entry = index.artist(row)
        name, works, available, identity = (
            entry.artist.name,
            entry.works,
            entry.available_tracks,
            entry.artist.artist_id,
        )
    else:
        album = index.album(row)
        name, artists, works, available = album.name, album.artists, album.works, album.available_tracks
        identity = album.album_id
    return Evidence(
        evidence_id=f"e{number}", surface=mention.span.surface, span=span, entity_type=mention.entity_type,
        entity_id=identity, name=name, artists=artists, match=mention.match, available_tracks=available,
        popularity=mention.posting.popularity, works=works, rivals=mention.rivals, support=mention.support,
    )  # fmt: skip
