"""L1, catalog reverse lookup: what in the catalog answers to each span of a request, in one batched call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from data.contracts import EntityType, Evidence, MatchKind
from data.vocab.loader import facet_words
from data.vocab.request_words import request_words
from program.grounding.spans import SpanKey, propose
from program.grounding.tokens import Token, tokenize
from program.index.postings import TYPES
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
_PER_TYPE = 3
_SPECIFIC_CHARS = 14
_MISSPELT_WORDS = 5


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
    """Find every reading of every span; spans without one are tried again with spelling errors allowed, within bounds."""
    tokens = tokenize(request)
    spans = propose(request, tokens, settings.max_span_tokens)
    hits = index.lookup(list(dict.fromkeys(span.key for span in spans)))
    mentions: list[Mention] = []
    for span in spans:
        if span.key in hits:
            mentions.extend(_mentions(span, hits[span.key], fuzzy=False))
    mentions.extend(_fuzzy(spans, mentions, tokens, index, settings))
    mentions.sort(key=lambda mention: -mention.support)
    return Lookup(request, tokens, tuple(spans), tuple(mentions))


def _mentions(span: SpanKey, hits: NameHits, *, fuzzy: bool) -> list[Mention]:
    found = []
    for entity_type in TYPES:
        for posting in hits.of(entity_type)[:_PER_TYPE]:
            match: MatchKind = "fuzzy" if fuzzy else posting.kind
            support = _support(span, posting, match)
            found.append(Mention(span, posting, match, hits.total - 1, support))
    return found


def _support(span: SpanKey, posting: Posting, match: MatchKind) -> float:
    """0.35 + 0.35 popularity + 0.3 specificity, times the weight of the match kind."""
    wide = any(ord(char) > 0x2E80 for char in span.key)
    specificity = min(1.0, len(span.key) * (2.5 if wide else 1.0) / _SPECIFIC_CHARS)
    return round(_MATCH_WEIGHT[match] * (0.35 + 0.35 * posting.popularity + 0.3 * specificity), 4)


def _fuzzy(
    spans: list[SpanKey], exact: list[Mention], tokens: tuple[Token, ...], index: CatalogIndex, settings: GroundingSettings
) -> list[Mention]:
    odd = _odd_words(exact, tokens, index)
    wanted = [span for span in spans if _may_be_misspelt(span, odd, tokens, settings)]
    wanted.sort(key=lambda span: (span.last - span.first, -len(span.key)))
    found: list[Mention] = []
    for span in wanted[: settings.fuzzy_max_spans]:
        distance: Literal[1, 2] = 2 if len(span.key) >= settings.fuzzy_two_edits_chars else 1
        for hits in index.fuzzy(span.key, distance):
            found.extend(_mentions(span, hits, fuzzy=True))
    return found


def _odd_words(exact: list[Mention], tokens: tuple[Token, ...], index: CatalogIndex) -> set[int]:
    """Words that nothing explains and that no title, artist or album uses either: slips of the pen, or names not held."""
    covered = {position for mention in exact for position in range(mention.span.first, mention.span.last)}
    return {
        position
        for position, token in enumerate(tokens)
        if position not in covered and not token.cjk and not _is_plain_word(token.key) and not index.uses_word(token.key)
    }


def _is_plain_word(key: str) -> bool:
    return key in request_words() or key in facet_words()


def _may_be_misspelt(span: SpanKey, odd: set[int], tokens: tuple[Token, ...], settings: GroundingSettings) -> bool:
    """A few words with an odd one among them, none at the edges that requests are made of."""
    positions = range(span.first, span.last)
    if len(span.key) < settings.fuzzy_min_chars or len(positions) > _MISSPELT_WORDS or span.possessive:
        return False
    if odd.isdisjoint(positions) or any(tokens[position].cjk for position in positions):
        return False
    return not any(tokens[edge].key in request_words() for edge in (span.first, span.last - 1))


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
