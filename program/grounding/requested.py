"""A request's words and spans as spelling repair sees them, and what a repair makes of a span."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from data.names import name_form
from data.vocab.loader import facet_words
from data.vocab.request_words import RequestRole
from program.grounding.spans import SpanKey
from program.grounding.tokens import Token
from program.index.protocol import CatalogIndex, NameHits

POSSESSIVE = re.compile(r"['’][sS]?$")
_ARTICLES = frozenset({"the", "a", "an"})
_CALLING: frozenset[RequestRole] = frozenset({"by", "similar", "artist_word", "track_word", "album_word"})


@dataclass(frozen=True, slots=True)
class Version:
    """A span with words replaced.

    Attributes:
        key: name key of the words that stand in its place.
        edits: letters that had to change for it.
        by_sound: whether words were replaced by ones that sound alike.
        everyday: whether one of the words that changed is a word of everyday language.
        only_artists: whether nothing but an artist may be meant.
    """

    span: SpanKey
    key: str
    edits: int
    by_sound: bool = False
    everyday: bool = False
    only_artists: bool = False


@dataclass(frozen=True, slots=True)
class Respelt:
    """Names that answer to a span in another spelling."""

    version: Version
    hits: NameHits

    @property
    def span(self) -> SpanKey:
        """The span of the request."""
        return self.version.span


def answered(versions: Sequence[Version], index: CatalogIndex) -> list[Respelt]:
    """The versions that some name answers to, looked up together."""
    hits = index.lookup(list(dict.fromkeys(version.key for version in versions)))
    return [Respelt(version, hits[version.key]) for version in versions if version.key in hits]


@dataclass(frozen=True)
class Request:
    """A request's words and what is known of them.

    Attributes:
        known: what answers to the spans as they stand, by key. asked: the words that requests are made of, with their roles.
        locale: of the request.
    """

    tokens: tuple[Token, ...]
    spans: tuple[SpanKey, ...]
    known: Mapping[str, NameHits]
    asked: Mapping[str, tuple[RequestRole, ...]]
    locale: str = "en"

    @cached_property
    def explained(self) -> dict[int, SpanKey]:
        """Tokens that some name explains → the longest span that does."""
        found: dict[int, SpanKey] = {}
        for span in sorted((span for span in self.spans if span.key in self.known), key=lambda span: span.last - span.first):
            found.update(dict.fromkeys(range(span.first, span.last), span))
        return found

    @cached_property
    def forms(self) -> list[str]:
        """Each token in normal form, without a possessive ending."""
        return [name_form(POSSESSIVE.sub("", token.text)).replace(" ", "") for token in self.tokens]

    @cached_property
    def plain(self) -> list[bool]:
        """For each token whether it is a word that requests are made of or a facet's, or a CJK character."""
        facets = facet_words(self.locale)
        return [token.cjk or token.key in self.asked or token.key in facets for token in self.tokens]

    def lone_word(self, span: SpanKey) -> int | None:
        """The one token of a span that is no article, if there is only one."""
        words = [p for p in range(span.first, span.last) if self.tokens[p].key not in _ARTICLES]
        return words[0] if len(words) == 1 else None

    def is_all(self, span: SpanKey) -> bool:
        """Whether all other words are ones that requests are made of: the request is this name."""
        others = [position for position in range(len(self.tokens)) if not span.first <= position < span.last]
        return all(self.tokens[position].key in self.asked for position in others)

    def is_commanded(self, span: SpanKey) -> bool:
        """Whether the request is this name alone, or asks to play it and names no kind of thing (songs, music)."""
        roles = {role for token in self.tokens for role in self.asked.get(token.key, ())}
        alone = span.last - span.first == len(self.tokens)
        return self.is_all(span) and "head" not in roles and (alone or "command" in roles)

    def is_called(self, span: SpanKey) -> bool:
        """Whether the words right before say that a name follows: "by …", "like …", "the band …"."""
        before = self.tokens[span.first - 1] if span.first else None
        if before is not None and before.key in _ARTICLES and span.first > 1:
            before = self.tokens[span.first - 2]
        return before is not None and not _CALLING.isdisjoint(self.asked.get(before.key, ()))
