"""All items that a request offers: what `decode.py` chooses chains from."""

from __future__ import annotations

from data.contracts import EntityType
from data.names import name_key
from data.vocab.request_words import RequestRole
from program.grounding.frame import OF_A_PLACE, RequestFrame
from program.grounding.items import FACET_SCORE, FREE_SCORE, ROLE_SCORES, TYPE_WORDS, FacetItem, FreeItem, Item, RoleItem, scaled
from program.grounding.joint import joint_items
from program.grounding.lookup import Mention
from program.grounding.name_scores import NameScores
from program.grounding.near_credit import near_credit_items
from program.grounding.numbers import era_ranges, number_items
from program.grounding.partial import partial_items
from program.grounding.times import time_items

_NAME_LIKE_FACETS = frozenset({"region", "language", "era"})
_NAMED_PLACE, _AFTER_OF = 0.25, 0.3
_JOINING = frozenset({"and", "then", "or", "plus", "和", "及"})
_MENTIONS_PER_SPAN = 4


class Lattice(RequestFrame):
    """The items of one request."""

    def items(self) -> list[Item]:
        """Every item, in no particular order; each single token has at least a leftover."""
        found: list[Item] = [
            FreeItem(position, position + 1, FREE_SCORE * self.weight(position, position + 1))
            for position in range(len(self.lookup.tokens))
        ]
        found.extend(self._role_items())
        found.extend(self._facet_items())
        found.extend(number_items(self.lookup.tokens, self.lookup.request))
        found.extend(time_items(self.lookup.tokens, self.lookup.request))
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
            if role != "greeting" or not (self.followed_by(last, "by") or self.next_key(last) in ("and", "or"))
        ]

    def _role_score(self, role: RequestRole) -> float:
        """A place is where to play a named thing, but what music is for in a request for a list ("music for the office")."""
        heads = [roles for roles in self.roles.values() if "head" in roles and TYPE_WORDS.keys().isdisjoint(roles)]
        named = role == "place" and bool(self.commands) and not heads
        return ROLE_SCORES[role] + (_NAMED_PLACE if named else 0.0)

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
                if facet in _NAME_LIKE_FACETS and first and self.lookup.tokens[first - 1].key in OF_A_PLACE:
                    score += _AFTER_OF
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
        scores = NameScores(self)
        items: list[Item] = []
        taken: dict[tuple[int, int, EntityType], int] = {}
        for mention in self.lookup.mentions:
            slot = (mention.span.first, mention.span.last, mention.entity_type)
            if taken.get(slot, 0) < _MENTIONS_PER_SPAN:
                taken[slot] = taken.get(slot, 0) + 1
                items.append(scores.item(mention, beside_pair=self._is_beside(mention, joint)))
        return items

    def _is_beside(self, mention: Mention, joint: list[Item]) -> bool:
        """Whether a title stands apart from a verified pair, with no word that joins them ("Ironic, by Alanis i think")."""
        first = mention.span.first
        if mention.entity_type == "artist" or (first > 1 and self._is_joined_to_name(first - 1, joint)):
            return False
        return any(mention.span.last <= item.first or item.last <= first for item in joint)

    def _is_joined_to_name(self, position: int, joint: list[Item]) -> bool:
        """Whether a token is a word for "and" right behind a name."""
        if self.lookup.tokens[position].key not in _JOINING:
            return False
        names = [m.span for m in self.lookup.mentions if not self.is_everyday(m.span.first, m.span.last)]
        at = self.lookup.tokens[position].start
        ends = {item.last for item in joint} | {span.last for span in names}
        return position in ends or self.lookup.request[:at].rstrip().endswith(",")


def surface_key(lattice: Lattice, first: int, last: int) -> str:
    """Name key of the request's words in tokens [first, last)."""
    tokens = lattice.lookup.tokens
    return name_key(lattice.lookup.request[tokens[first].start : tokens[last - 1].end])
