"""What the words of one request say: roles, facets, quotes, where its clauses open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from data.vocab.loader import facet_words
from data.vocab.request_words import RequestRole, request_words
from program.grounding.items import CJK_TOKEN
from program.grounding.locale import request_locale
from program.grounding.lookup import Lookup
from program.grounding.spans import SpanKey
from program.grounding.tokens import quoted_spans
from program.index.protocol import CatalogIndex
from program.settings import GroundingSettings

FRAME_ROLES: frozenset[RequestRole] = frozenset({"command", "ask", "filler", "place", "track_word", "artist_word", "album_word"})
OF_A_PLACE = frozenset({"from", "in", "out of", "来自", "aus", "de", "dal", "uit"})
"""Words after which a place or a time is one, not a name."""
_LOOSE_LINKS = frozenset(
    {"from", "off", "de", "d", "di", "da", "do", "dos", "das", "dei", "degli", "delle", "du", "von", "vom", "van"}
)
"""`By` words that are everyday prepositions too: what stands around them is a title and its artist only if it looks so."""
_ABBREVIATION = 2
_LONGEST_OPUS = 3
_NO = frozenset({"no", "nope", "nah", "nein", "non", "não"})
_ONE = frozenset({"song", "track", "single", "tune", "首"})
VERB_LAST = frozenset({"ja", "ko", "tr"})
"""Languages whose commands and negations follow what they are about."""


@dataclass(frozen=True)
class RequestFrame:
    """The words of one request, and what they say about each other."""

    lookup: Lookup
    settings: GroundingSettings
    index: CatalogIndex

    @cached_property
    def roles(self) -> dict[tuple[int, int], tuple[RequestRole, ...]]:
        """Token span → roles of the phrase there."""
        words = request_words(self.locale)
        found: dict[tuple[int, int], tuple[RequestRole, ...]] = {
            (s.first, s.last): words[s.key]
            for s in self.lookup.spans
            if not s.possessive and s.key in words and not self._is_number_sign(s) and not self._crosses_clauses(s)
        }
        return found | dict.fromkeys(filter(self._is_no, found), ("correction",))

    def _is_no(self, span: tuple[int, int]) -> bool:
        """Whether a lone "no" takes back the question before it ("Creep? no, Hello")."""
        tokens, (first, last) = self.lookup.tokens, span
        alone = last == first + 1 and first in self.openings and (last == len(tokens) or last in self.openings)
        asked = "?" in self.lookup.request[tokens[first - 1].end : tokens[first].start]
        return alone and asked and tokens[first].key in _NO

    def _crosses_clauses(self, span: SpanKey) -> bool:
        """Whether a clause ends within a phrase ("rap please, no Drake" does not say "please no")."""
        return self.lookup.tokens[span.first].clause != self.lookup.tokens[span.last - 1].clause

    def _is_number_sign(self, span: SpanKey) -> bool:
        """Whether "no" is short for number ("Symphony No. 5")."""
        tokens = self.lookup.tokens
        if span.key != "no" or span.first == 0 or span.last >= len(tokens) or span.first in self.openings:
            return False
        after = tokens[span.last].text
        return after.isdigit() and len(after) <= _LONGEST_OPUS

    @cached_property
    def locale(self) -> str:
        """Language of the request."""
        return request_locale(self.lookup.request)

    @cached_property
    def facets(self) -> dict[tuple[int, int], tuple[tuple[str, str], ...]]:
        """Token span → facet concepts named there."""
        words = facet_words(self.locale)
        return {(s.first, s.last): words[s.key] for s in self.lookup.spans if s.key in words and _is_facet_word(s)}

    @cached_property
    def frame(self) -> frozenset[int]:
        """Tokens that a command or filler phrase can cover."""
        covered: set[int] = set()
        for (first, last), roles in self.roles.items():
            if not FRAME_ROLES.isdisjoint(roles):
                covered.update(range(first, last))
        return frozenset(covered)

    @cached_property
    def openings(self) -> frozenset[int]:
        """Tokens that start a clause, the first one left out; and the end, in a language whose commands stand there."""
        tokens = self.lookup.tokens
        starts = frozenset(n for n in range(1, len(tokens)) if tokens[n].clause != tokens[n - 1].clause)
        return starts | {len(tokens)} if self.locale in VERB_LAST else starts

    @cached_property
    def commands(self) -> frozenset[int]:
        """Tokens of a command."""
        spans = [span for span, roles in self.roles.items() if "command" in roles]
        return frozenset(position for first, last in spans for position in range(first, last))

    @cached_property
    def is_commanded(self) -> bool:
        """Whether the request, or a clause of it, opens with a command, or in some languages ends with one.

        In the middle of an English sentence the same word is none ("with the windows open").
        """
        if self.locale != "en":
            return bool(self.commands)
        starts = [first for (first, _), roles in self.roles.items() if "command" in roles]
        return any(self._opens(first) for first in starts)

    def _opens(self, position: int) -> bool:
        """Whether nothing but small words stands before a token in its clause."""
        tokens = self.lookup.tokens
        before = [at for at in range(position) if tokens[at].clause == tokens[position].clause]
        small = {at for span, roles in self.roles.items() if not FRAME_ROLES.isdisjoint(roles) for at in range(*span)}
        greeted = {at for span, roles in self.roles.items() if "greeting" in roles for at in range(*span)}
        return all(at in small | greeted for at in before)

    @cached_property
    def quoted(self) -> frozenset[tuple[int, int]]:
        """Character spans of quoted text."""
        return frozenset(quoted_spans(self.lookup.request))

    def is_loose_link(self, first: int, last: int) -> bool:
        """Whether a `by` phrase is a preposition with other meanings as well."""
        return last == first + 1 and self.lookup.tokens[first].key in _LOOSE_LINKS

    def weight(self, first: int, last: int) -> float:
        """Length of a span in words; a CJK character counts half."""
        return sum(CJK_TOKEN if token.cjk else 1.0 for token in self.lookup.tokens[first:last])

    def next_key(self, position: int) -> str:
        """Name key of the token at a position, empty at the end."""
        return self.lookup.tokens[position].key if position < len(self.lookup.tokens) else ""

    def followed_by(self, position: int, role: RequestRole) -> bool:
        """Whether a phrase of a role starts at a position."""
        return any(role in roles for (first, _), roles in self.roles.items() if first == position)

    def named_after(self, position: int) -> bool:
        """Whether a `by` word and then something that describes nothing follows: a name, held or not."""
        ends = {end for (first, end), roles in self.roles.items() if first == position and "by" in roles}
        starts = {first for first, _ in self.facets}
        return any(end < len(self.lookup.tokens) and end not in starts and not self.is_number(end, end + 1) for end in ends)

    def is_number(self, first: int, last: int) -> bool:
        """Whether a span is one number."""
        return last == first + 1 and self.lookup.tokens[first].text.isdigit()

    def is_everyday(self, first: int, last: int) -> bool:
        """Whether every word of the span is one that requests are made of anyway ("i will", "something", "the the")."""
        if not self.settings.rules:
            return False
        said = all((at, at + 1) in self.roles or self.lookup.tokens[at].text.isdigit() for at in range(first, last))
        return said or (first, last) in self.roles

    @cached_property
    def asks_for_one(self) -> bool:
        """Whether one song is asked for, not songs."""
        return any(token.key in _ONE for token in self.lookup.tokens)

    @cached_property
    def asks_for_list(self) -> bool:
        """Whether the request names the kind of thing it wants (songs, a playlist): its other words then describe."""
        return any("head" in roles for roles in self.roles.values())


def _is_facet_word(span: SpanKey) -> bool:
    """A country's abbreviation counts only when it is written as one: "US" is a place, "us" is not."""
    short = len(span.key) <= _ABBREVIATION and span.key.isascii() and span.key.isalpha()
    return not short or span.surface.isupper() or len(span.surface.split()) > 1
