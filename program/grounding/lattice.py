"""All items that a request offers: what `decode.py` chooses chains from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from data.commonwords import zipf
from data.contracts import EntityType
from data.names import name_key
from data.vocab.loader import facet_words
from data.vocab.request_words import RequestRole, request_words
from program.grounding.items import (
    CJK_TOKEN,
    FACET_SCORE,
    FREE_SCORE,
    ROLE_SCORES,
    TYPE_WORDS,
    EntityItem,
    FacetItem,
    FreeItem,
    Item,
    RoleItem,
    scaled,
)
from program.grounding.joint import joint_items
from program.grounding.locale import request_locale
from program.grounding.lookup import Lookup, Mention
from program.grounding.near_credit import near_credit_items
from program.grounding.numbers import era_ranges, number_items
from program.grounding.partial import partial_items
from program.grounding.spans import SpanKey
from program.grounding.tokens import quoted_spans
from program.index.protocol import CatalogIndex
from program.settings import GroundingSettings

_FRAME_ROLES: frozenset[RequestRole] = frozenset({"command", "ask", "filler", "place", "track_word", "artist_word", "album_word"})
_WHOLE_BONUS, _QUOTED_BONUS, _TYPE_WORD_BONUS, _BY_BONUS, _SIMILAR_BONUS, _CAPITAL_BONUS = (
    0.6,
    0.8,
    0.5,
    0.3,
    0.25,
    0.12,
)
_EVERYDAY, _FACET_WORD_TITLE, _FACET_WORD_ARTIST = 0.15, 0.7, 0.9
_NEVER_ALONE = -0.15
"""What such a name scores below leftovers: code never picks it by itself, an LM may."""
_LONG_WORD = 5
_ABBREVIATION = 2
_LONGEST_OPUS = 3
_NAME_LIKE_FACETS = frozenset({"region", "language", "era"})
_OF_A_PLACE = frozenset({"from", "in", "out of", "来自", "aus", "de", "dal", "uit"})
_TYPE_PRIOR: dict[EntityType, float] = {"artist": 0.03, "track": 0.0, "album": -0.08}
"""What a bare name is when several things have it."""
_LINKING = _FRAME_ROLES | {"by", "negation", "only"}
_NAMED_PLACE = 0.25
_DESCRIBED = 2
"""From this many facets on, a request describes: unmarked titles among them are part of the description."""
_JOINING = frozenset({"and", "then", "or", "plus", "和", "及"})
_ONE = frozenset({"song", "track", "single", "tune", "首"})
_VERB_LAST = frozenset({"ja", "ko"})
_REQUEST_ZIPF = 7.0
_MARKED = 0.12
"""From this much context on, a word is marked as a name (quoted, capitalised, after `by`, the whole request …)."""
_ENTITY_BASE, _ENTITY_PER_SUPPORT = 0.4, 0.9
_MENTIONS_PER_SPAN = 4


@dataclass(frozen=True)
class Lattice:
    """The items of one request, and what its words say about each other."""

    lookup: Lookup
    settings: GroundingSettings
    index: CatalogIndex

    @cached_property
    def roles(self) -> dict[tuple[int, int], tuple[RequestRole, ...]]:
        """Token span → roles of the phrase there."""
        words = request_words(self.locale)
        return {
            (s.first, s.last): words[s.key]
            for s in self.lookup.spans
            if not s.possessive and s.key in words and not self._is_number_sign(s)
        }

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
        words = facet_words()
        return {(s.first, s.last): words[s.key] for s in self.lookup.spans if s.key in words and _is_facet_word(s)}

    @cached_property
    def frame(self) -> frozenset[int]:
        """Tokens that a command or filler phrase can cover."""
        covered: set[int] = set()
        for (first, last), roles in self.roles.items():
            if not _FRAME_ROLES.isdisjoint(roles):
                covered.update(range(first, last))
        return frozenset(covered)

    @cached_property
    def openings(self) -> frozenset[int]:
        """Tokens that start a clause, the first one left out; and the end, in a language whose commands stand there."""
        tokens = self.lookup.tokens
        starts = frozenset(n for n in range(1, len(tokens)) if tokens[n].clause != tokens[n - 1].clause)
        return starts | {len(tokens)} if self.locale in _VERB_LAST else starts

    @cached_property
    def _commands(self) -> frozenset[int]:
        spans = [span for span, roles in self.roles.items() if "command" in roles]
        return frozenset(position for first, last in spans for position in range(first, last))

    @cached_property
    def _quoted(self) -> frozenset[tuple[int, int]]:
        return frozenset(quoted_spans(self.lookup.request))

    def weight(self, first: int, last: int) -> float:
        """Length of a span in words; a CJK character counts half."""
        return sum(CJK_TOKEN if token.cjk else 1.0 for token in self.lookup.tokens[first:last])

    def items(self) -> list[Item]:
        """Every item, in no particular order; each single token has at least a leftover."""
        found: list[Item] = [
            FreeItem(position, position + 1, FREE_SCORE * self.weight(position, position + 1))
            for position in range(len(self.lookup.tokens))
        ]
        found.extend(self._role_items())
        found.extend(self._facet_items())
        found.extend(number_items(self.lookup.tokens, self.lookup.request))
        found.extend(era_ranges(self.lookup.tokens, self.facets))
        joint = joint_items(self, self.index)
        joint += near_credit_items(self, self.index, joint) if self.settings.rules else []
        found.extend(self._entity_items(joint))
        found.extend(joint)
        found.extend(partial_items(self, self.index, joint) if self.settings.rules else ())
        return found

    def _role_items(self) -> list[Item]:
        return [
            RoleItem(first, last, scaled(self._role_score(role), self.weight(first, last)), role)
            for (first, last), roles in self.roles.items()
            for role in roles
            if role != "greeting" or not (self._followed_by(last, "by") or self._next_key(last) in ("and", "or"))
        ]

    def _role_score(self, role: RequestRole) -> float:
        """A place is where to play a named thing, but what music is for in a request for a list ("music for the office")."""
        heads = [roles for roles in self.roles.values() if "head" in roles and TYPE_WORDS.keys().isdisjoint(roles)]
        named = role == "place" and bool(self._commands) and not heads
        return ROLE_SCORES[role] + (_NAMED_PLACE if named else 0.0)

    def _next_key(self, position: int) -> str:
        return self.lookup.tokens[position].key if position < len(self.lookup.tokens) else ""

    def _followed_by(self, position: int, role: RequestRole) -> bool:
        return any(role in roles for (first, _), roles in self.roles.items() if first == position)

    def _named_after(self, position: int) -> bool:
        """Whether a `by` word and then something that describes nothing follows: a name, held or not."""
        ends = {end for (first, end), roles in self.roles.items() if first == position and "by" in roles}
        starts = {first for first, _ in self.facets}
        return any(end < len(self.lookup.tokens) and end not in starts and not self._is_number(end, end + 1) for end in ends)

    def _is_number(self, first: int, last: int) -> bool:
        return last == first + 1 and self.lookup.tokens[first].text.isdigit()

    def _describes_too(self, first: int, last: int) -> bool:
        """Whether the words of a name could also be a facet or a year that is not said to be one ("from 1999")."""
        said = first > 0 and self.lookup.tokens[first - 1].key in _OF_A_PLACE
        return (first, last) in self.facets or (self._is_number(first, last) and not said)

    def _is_plain_genre(self, mention: Mention) -> bool:
        """Whether a name is a genre not written as a title: "play jazz by …" is a kind of music, "play Jazz by …" may be none."""
        genres = any(facet == "genre" for facet, _ in self.facets.get((mention.span.first, mention.span.last), ()))
        written = mention.span.first > 0 and mention.span.surface[:1].isupper() and not self.lookup.request.isupper()
        return genres and not written

    def _facet_items(self) -> list[Item]:
        items: list[Item] = []
        for (first, last), concepts in self.facets.items():
            if self._adds_head(first, last):
                continue
            facets = [facet for facet, _ in concepts]
            for facet, concept_id in concepts:
                score = scaled(FACET_SCORE, self.weight(first, last))
                if facet == "language" and "region" in facets:
                    score += 0.2 if self._language_context(first, last) else -0.2
                if facet in _NAME_LIKE_FACETS and first and self.lookup.tokens[first - 1].key in _OF_A_PLACE:
                    score += _BY_BONUS
                items.append(FacetItem(first, last, score, facet, concept_id))  # type: ignore[arg-type]
        return items

    def _adds_head(self, first: int, last: int) -> bool:
        """Whether a facet phrase is a shorter one and the generic thing asked for ("pop songs")."""
        ends = (last - 1, last)
        return last - first > 1 and "head" in self.roles.get(ends, ()) and (first, last - 1) in self.facets

    def _language_context(self, first: int, last: int) -> bool:
        before = self.lookup.tokens[first - 1].key if first else ""
        after = self.lookup.tokens[last].key if last < len(self.lookup.tokens) else ""
        return before in {"in", "sung", "non", "用"} or after in {
            "language",
            "lyrics",
            "speaking",
            "vocals",
            "singing",
            "语",
            "語",
        }

    def _entity_items(self, joint: list[Item]) -> list[Item]:
        items: list[Item] = []
        taken: dict[tuple[int, int, EntityType], int] = {}
        for mention in self.lookup.mentions:
            slot = (mention.span.first, mention.span.last, mention.entity_type)
            if taken.get(slot, 0) < _MENTIONS_PER_SPAN:
                taken[slot] = taken.get(slot, 0) + 1
                items.append(self._entity_item(mention, beside_pair=self._is_beside(mention, joint)))
        return items

    def _is_beside(self, mention: Mention, joint: list[Item]) -> bool:
        """Whether a title stands apart from a verified pair, with no word that joins them ("Ironic, by Alanis i think")."""
        first = mention.span.first
        if mention.entity_type == "artist" or (first and self.lookup.tokens[first - 1].key in _JOINING):
            return False
        return any(mention.span.last <= item.first or item.last <= first for item in joint)

    def _entity_item(self, mention: Mention, *, beside_pair: bool) -> EntityItem:
        first, last = mention.span.first, mention.span.last
        context = self._context(mention)
        if self.settings.rules and (self._is_kind_of_artist(first, last) or self._is_in_quotes(first, last)):
            return EntityItem(first, last, self._less_than_leftover(first, last), mention)
        if context < _MARKED and (self._is_unlikely(mention) or (beside_pair and self.settings.rules)):
            return EntityItem(first, last, self._less_than_leftover(first, last), mention)
        base = scaled(_ENTITY_BASE + _ENTITY_PER_SUPPORT * mention.support, self.weight(first, last))
        score = base * self._commonness(mention, marked=context >= _MARKED) + context + _TYPE_PRIOR[mention.entity_type]
        return EntityItem(first, last, score, mention)

    def _less_than_leftover(self, first: int, last: int) -> float:
        return FREE_SCORE * self.weight(first, last) + _NEVER_ALONE

    def _is_kind_of_artist(self, first: int, last: int) -> bool:
        """Whether a span says what an artist is: the band beside a name is not The Band."""
        artists = [m.span for m in self.lookup.mentions if m.entity_type == "artist"]
        beside = any(span.first == last or span.last == first for span in artists)
        return beside and "artist_word" in self.roles.get((first, last), ())

    def _is_in_quotes(self, first: int, last: int) -> bool:
        """Whether a span is only part of what is quoted: a quoted name is the whole of it."""
        start, end = self.lookup.tokens[first].start, self.lookup.tokens[last - 1].end
        return any(left <= start and end <= right and (left, right) != (start, end) for left, right in self._quoted)

    def is_everyday(self, first: int, last: int) -> bool:
        """Whether every word of the span is one that requests are made of anyway ("i will", "something", "the the")."""
        if not self.settings.rules:
            return False
        said = all((at, at + 1) in self.roles or self.lookup.tokens[at].text.isdigit() for at in range(first, last))
        return said or (first, last) in self.roles

    def _commonest(self, first: int, last: int) -> float:
        """Zipf frequency of the rarest word of a span; numbers and words that requests are made of count as common."""
        words = (self.lookup.tokens[position] for position in range(first, last))
        return min(
            _REQUEST_ZIPF if word.text.isdigit() or (first + n, first + n + 1) in self.roles else zipf(word.key)
            for n, word in enumerate(words)
        )

    def _is_unlikely(self, mention: Mention) -> bool:
        """Common words that nothing marks as a name are a description ("feeling blue songs", "more of this", "2020").

        In a request for a list, or in one that commands nothing, one word alone is too; not a well-known artist's name.
        """
        first, last = mention.span.first, mention.span.last
        if not self.settings.rules or mention.span.possessive or self._names_only or self._named_after(last):
            return False
        if self.lookup.tokens[first].cjk and last - first == 1:
            return True  # one character is a word of a sentence
        if "artist_word" in self.roles.get((first, last), ()):
            return True  # "the band" beside a name is not The Band
        common = self._commonest(first, last)
        if mention.entity_type != "artist" and self._facets_outside(first, last) >= _DESCRIBED:
            return True
        known = mention.entity_type == "artist" and mention.posting.popularity >= self.settings.p_hi
        if common >= self.settings.everyday_zipf and not known:
            return True
        lone = self.weight(first, last) <= 1.0 and (self.asks_for_list or not self._commands)
        return lone and not (known and common < self.settings.everyday_zipf)

    def _facets_outside(self, first: int, last: int) -> int:
        """How many facet phrases, counted without overlaps, stand outside a span."""
        spans = sorted((span for span in self.facets if span[1] <= first or last <= span[0]), key=lambda span: span[0] - span[1])
        taken: list[tuple[int, int]] = []
        for span in spans:
            if all(span[1] <= other[0] or other[1] <= span[0] for other in taken):
                taken.append(span)
        return len(taken)

    @cached_property
    def _names_only(self) -> bool:
        """Whether the request is names and the words around them, and asks for no kind of music but a version of a title."""
        spans = [(m.span.first, m.span.last) for m in self.lookup.mentions]
        versions = {at for span, facets in self.facets.items() if facets[0][0] == "version" for at in range(*span)}
        named = {position for span in spans for position in range(*span)} | versions
        within = {span for span in self.facets for name in spans if _is_part(span, name)}
        described = {position for span in self.facets.keys() - within for position in range(*span)} - versions
        if not named - versions:
            return False
        linking = {
            at for (first, last), roles in self.roles.items() if not _LINKING.isdisjoint(roles) for at in range(first, last)
        }
        return not self.asks_for_list and not described and len(named | linking) == len(self.lookup.tokens)

    def _commonness(self, mention: Mention, *, marked: bool) -> float:
        """Everyday words are seldom names: unless the context marks them, they count for less (L2's rule, in code)."""
        first, last = mention.span.first, mention.span.last
        if mention.span.possessive or marked or not self.settings.rules:
            return 1.0
        if self.is_everyday(first, last):
            return _EVERYDAY
        if (first, last) in self.facets:
            return _FACET_WORD_ARTIST if mention.entity_type == "artist" else _FACET_WORD_TITLE
        return _FACET_WORD_TITLE if mention.match == "fuzzy" else 1.0

    @cached_property
    def asks_for_one(self) -> bool:
        """Whether one song is asked for, not songs."""
        return any(token.key in _ONE for token in self.lookup.tokens)

    @cached_property
    def asks_for_list(self) -> bool:
        """Whether the request names the kind of thing it wants (songs, a playlist): its other words then describe."""
        return any("head" in roles for roles in self.roles.values())

    def _context(self, mention: Mention) -> float:
        """How much the words around a mention speak for a name."""
        first, last = mention.span.first, mention.span.last
        tokens = self.lookup.tokens
        bonus = self._type_word(first, last, mention.entity_type)
        if (tokens[first].start, tokens[last - 1].end) in self._quoted:
            bonus += _QUOTED_BONUS
        if self._is_whole(first, last) and not self._describes(first, last):
            bonus += _WHOLE_BONUS
        before = {role for (_, end), roles in self.roles.items() if end == first for role in roles}
        if "by" in before and mention.entity_type == "artist" and not self._is_number(first, last):
            bonus += _BY_BONUS
        titled = self._describes_too(first, last) and not self.asks_for_list and not self._is_plain_genre(mention)
        if mention.entity_type != "artist" and titled and self._named_after(last):
            bonus += _BY_BONUS  # "Africa by …" is a title
        if "similar" in before and not self.is_everyday(first, last):
            bonus += _SIMILAR_BONUS
        if mention.entity_type == "artist" and self._followed_by(last, "head") and not self.is_everyday(first, last):
            bonus += _CAPITAL_BONUS
        if first > 0 and self._is_capitalised(mention):
            bonus += _CAPITAL_BONUS
        if self._excluded_by_name(first) and (mention.span.surface[:1].isupper() or self._is_of_a_named_artist(mention)):
            bonus += _BY_BONUS
        return bonus

    def _is_of_a_named_artist(self, mention: Mention) -> bool:
        """Whether a title is by somebody who is named elsewhere in the request ("radiohead, but not creep")."""
        if mention.entity_type != "track":
            return False
        span = mention.span
        artists = [m for m in self.lookup.mentions if m.entity_type == "artist"]
        rows = {m.posting.row for m in artists if m.span.last <= span.first or span.last <= m.span.first}
        credits = {credit.artist_id for credit in self.index.track(mention.posting.row).track.artists}
        return any(self.index.artist(row).artist.artist_id in credits for row in rows)

    def _excluded_by_name(self, first: int) -> bool:
        """Whether a negation stands right before, maybe with a `by` word between ("but not from Play")."""
        ends = {end: start for (start, end), roles in self.roles.items() if "by" in roles}
        starts = {first, ends.get(first, first)}
        return any(end in starts and "negation" in roles for (_, end), roles in self.roles.items())

    def _is_capitalised(self, mention: Mention) -> bool:
        if self.lookup.request.isupper():
            return False
        words = mention.span.surface.split()
        if self.is_everyday(mention.span.first, mention.span.last):
            return len(mention.span.key) >= _LONG_WORD and all(word[:1].isupper() for word in words)
        return words[0][:1].isupper()

    def _describes(self, first: int, last: int) -> bool:
        """Whether the span names a kind of music rather than a place or a time, so that it asks for that kind."""
        return any(facet not in _NAME_LIKE_FACETS for facet, _ in self.facets.get((first, last), ()))

    def _is_whole(self, first: int, last: int) -> bool:
        """Whether everything outside the span is command or filler: the request is this name and nothing else.

        Around an everyday word only a command may stand ("play hello"), or the word is part of the phrasing.
        """
        if (
            first == 0
            and (first, last) in self.roles
            and "command" in self.roles[(first, last)]
            and last < len(self.lookup.tokens)
        ):
            return False  # the command that opens the request
        frame = self._commands if self.is_everyday(first, last) else self.frame
        outside = [position for position in range(len(self.lookup.tokens)) if not first <= position < last]
        return all(position in frame for position in outside)

    def _type_word(self, first: int, last: int, entity_type: EntityType) -> float:
        bonus = 0.0
        for (start, end), roles in self.roles.items():
            if end != first and start != last:
                continue
            for role in roles:
                after = role in ("album_word", "artist_word") and not self.is_everyday(first, last)
                if role in TYPE_WORDS and (end == first or after):
                    bonus += _TYPE_WORD_BONUS if TYPE_WORDS[role] == entity_type else -_TYPE_WORD_BONUS
        return bonus


def _is_part(span: tuple[int, int], whole: tuple[int, int]) -> bool:
    """Whether a span lies within a longer one."""
    return whole[0] <= span[0] and span[1] <= whole[1] and span != whole


def _is_facet_word(span: SpanKey) -> bool:
    """A country's abbreviation counts only when it is written as one: "US" is a place, "us" is not."""
    short = len(span.key) <= _ABBREVIATION and span.key.isascii() and span.key.isalpha()
    return not short or span.surface.isupper() or len(span.surface.split()) > 1


def surface_key(lattice: Lattice, first: int, last: int) -> str:
    """Name key of the request's words in tokens [first, last)."""
    tokens = lattice.lookup.tokens
    return name_key(lattice.lookup.request[tokens[first].start : tokens[last - 1].end])
