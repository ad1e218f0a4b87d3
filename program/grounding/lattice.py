"""All items that a request offers: what `decode.py` chooses chains from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

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
from program.grounding.lookup import Lookup, Mention
from program.grounding.numbers import number_items
from program.grounding.tokens import quoted_spans
from program.index.protocol import CatalogIndex

_FRAME_ROLES: frozenset[RequestRole] = frozenset({"command", "ask", "filler", "track_word", "artist_word", "album_word"})
_WHOLE_BONUS, _QUOTED_BONUS, _TYPE_WORD_BONUS, _BY_BONUS, _SIMILAR_BONUS, _CAPITAL_BONUS = (
    0.6,
    0.8,
    0.5,
    0.3,
    0.25,
    0.12,
)
_COMMON_WORD, _FACET_WORD_TITLE, _FACET_WORD_ARTIST = 0.3, 0.7, 0.9
_ENTITY_BASE, _ENTITY_PER_SUPPORT = 0.4, 0.9
_MENTIONS_PER_SPAN = 4


@dataclass(frozen=True)
class Lattice:
    """The items of one request, and what its words say about each other."""

    lookup: Lookup

    @cached_property
    def roles(self) -> dict[tuple[int, int], tuple[RequestRole, ...]]:
        """Token span → roles of the phrase there."""
        words = request_words()
        return {(s.first, s.last): words[s.key] for s in self.lookup.spans if not s.possessive and s.key in words}

    @cached_property
    def facets(self) -> dict[tuple[int, int], tuple[tuple[str, str], ...]]:
        """Token span → facet concepts named there."""
        words = facet_words()
        return {(s.first, s.last): words[s.key] for s in self.lookup.spans if s.key in words}

    @cached_property
    def frame(self) -> frozenset[int]:
        """Tokens that a command or filler phrase can cover."""
        covered: set[int] = set()
        for (first, last), roles in self.roles.items():
            if not _FRAME_ROLES.isdisjoint(roles):
                covered.update(range(first, last))
        return frozenset(covered)

    @cached_property
    def _quoted(self) -> frozenset[tuple[int, int]]:
        return frozenset(quoted_spans(self.lookup.request))

    def weight(self, first: int, last: int) -> float:
        """Length of a span in words; a CJK character counts half."""
        return sum(CJK_TOKEN if token.cjk else 1.0 for token in self.lookup.tokens[first:last])

    def items(self, index: CatalogIndex) -> list[Item]:
        """Every item, in no particular order; each single token has at least a leftover."""
        found: list[Item] = [
            FreeItem(position, position + 1, FREE_SCORE * self.weight(position, position + 1))
            for position in range(len(self.lookup.tokens))
        ]
        found.extend(self._role_items())
        found.extend(self._facet_items())
        found.extend(number_items(self.lookup.tokens, self.lookup.request))
        found.extend(self._entity_items())
        found.extend(joint_items(self, index))
        return found

    def _role_items(self) -> list[Item]:
        return [
            RoleItem(first, last, scaled(ROLE_SCORES[role], self.weight(first, last)), role)
            for (first, last), roles in self.roles.items()
            for role in roles
        ]

    def _facet_items(self) -> list[Item]:
        items: list[Item] = []
        for (first, last), concepts in self.facets.items():
            facets = [facet for facet, _ in concepts]
            for facet, concept_id in concepts:
                score = scaled(FACET_SCORE, self.weight(first, last))
                if facet == "language" and "region" in facets:
                    score += 0.2 if self._language_context(first, last) else -0.2
                items.append(FacetItem(first, last, score, facet, concept_id))  # type: ignore[arg-type]
        return items

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

    def _entity_items(self) -> list[Item]:
        items: list[Item] = []
        taken: dict[tuple[int, int, EntityType], int] = {}
        for mention in self.lookup.mentions:
            slot = (mention.span.first, mention.span.last, mention.entity_type)
            if taken.get(slot, 0) < _MENTIONS_PER_SPAN:
                taken[slot] = taken.get(slot, 0) + 1
                items.append(self._entity_item(mention))
        return items

    def _entity_item(self, mention: Mention) -> EntityItem:
        first, last = mention.span.first, mention.span.last
        weight = self.weight(first, last)
        base = scaled(_ENTITY_BASE + _ENTITY_PER_SUPPORT * mention.support, weight)
        return EntityItem(first, last, base * self._commonness(mention) + self._context(mention), mention)

    def _commonness(self, mention: Mention) -> float:
        """Everyday words are seldom names: they need the context to speak for them."""
        span = (mention.span.first, mention.span.last)
        if mention.span.possessive:
            return 1.0
        if span in self.roles:
            return _COMMON_WORD
        if span in self.facets:
            return _FACET_WORD_ARTIST if mention.entity_type == "artist" else _FACET_WORD_TITLE
        return _FACET_WORD_TITLE if mention.match == "fuzzy" else 1.0

    def _context(self, mention: Mention) -> float:
        first, last = mention.span.first, mention.span.last
        tokens = self.lookup.tokens
        bonus = 0.0
        if (tokens[first].start, tokens[last - 1].end) in self._quoted:
            bonus += _QUOTED_BONUS
        if self._is_whole(first, last):
            bonus += _WHOLE_BONUS
        bonus += self._type_word(first, last, mention.entity_type)
        before = {role for (start, end), roles in self.roles.items() if end == first for role in roles}
        if "by" in before and mention.entity_type == "artist":
            bonus += _BY_BONUS
        if "similar" in before:
            bonus += _SIMILAR_BONUS
        if first > 0 and mention.span.surface[:1].isupper() and not self.lookup.request.isupper():
            bonus += _CAPITAL_BONUS
        return bonus

    def _is_whole(self, first: int, last: int) -> bool:
        """Whether everything outside the span is command or filler: the request is this name and nothing else."""
        outside = [position for position in range(len(self.lookup.tokens)) if not first <= position < last]
        return all(position in self.frame for position in outside)

    def _type_word(self, first: int, last: int, entity_type: EntityType) -> float:
        bonus = 0.0
        for (start, end), roles in self.roles.items():
            if end != first and start != last:
                continue
            for role in roles:
                if role in TYPE_WORDS and (end == first or role == "album_word"):
                    bonus += _TYPE_WORD_BONUS if TYPE_WORDS[role] == entity_type else -_TYPE_WORD_BONUS
        return bonus


def surface_key(lattice: Lattice, first: int, last: int) -> str:
    """Name key of the request's words in tokens [first, last)."""
    tokens = lattice.lookup.tokens
    return name_key(lattice.lookup.request[tokens[first].start : tokens[last - 1].end])
