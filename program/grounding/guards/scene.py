"""A request's words as the guards see them: what each phrase does, and which words name what the plan searches for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from data.contracts import Constraint, EntityRef, EntityType, Evidence, Intent, Role
from data.names import has_cjk
from data.vocab.request_words import RequestRole
from program.grounding.items import TYPE_WORDS
from program.grounding.lattice import Lattice
from program.grounding.lookup import Mention, entity_id, evidence
from program.grounding.readings import Understanding
from program.grounding.tokens import quoted_spans
from program.index.protocol import CatalogIndex
from program.settings import GroundingSettings

_ARTICLES = frozenset({"the", "a", "an"})
_NAME_LIKE_FACETS = frozenset({"region", "language", "era"})
"""A place, a language or a time may well be a name; other facet words describe music."""


@dataclass(frozen=True)
class Named:
    """One entity that the plan searches for, and the words that name it: tokens [first, last)."""

    entity: EntityRef
    found: Evidence
    first: int
    last: int

    @property
    def entity_id(self) -> str:
        """Its id."""
        return self.entity.entity_id

    @property
    def is_title(self) -> bool:
        """Whether it is a track or an album."""
        return self.entity.entity_type != "artist"

    def overlaps(self, first: int, last: int) -> bool:
        """Whether it shares a word with tokens [first, last)."""
        return self.first < last and first < self.last


class Scene:
    """One request, the intent that was made of it, and the evidence."""

    def __init__(
        self, intent: Intent, searched: frozenset[str], known: Understanding, index: CatalogIndex, settings: GroundingSettings
    ) -> None:
        self.intent = intent
        self.searched = searched
        self.known = known
        self.index = index
        self.settings = settings
        self.lookup = known.lookup
        self.tokens = known.lookup.tokens
        self.lattice = Lattice(known.lookup, settings, index)

    # -- names ---------------------------------------------------------------------------------------------------------

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The targets and seeds that the plan searches for, as far as words of the request name them."""
        return tuple(named for named in self._names("target", "seed") if named.entity_id in self.searched)

    @cached_property
    def titles(self) -> tuple[Named, ...]:
        """Those of them that are tracks or albums."""
        return tuple(named for named in self.named if named.is_title)

    @cached_property
    def context(self) -> tuple[Named, ...]:
        """Names that are not searched for but tell which thing is meant."""
        return tuple(self._names("context"))

    @cached_property
    def excluded(self) -> tuple[Named, ...]:
        """Names that must not come back."""
        return tuple(self._names("exclude"))

    def _names(self, *roles: Role) -> Iterator[Named]:
        for entity in self.intent.by_role(*roles):
            found = self._evidence(entity)
            words = self.token_range(found.span) if found else None
            if found and words:
                yield Named(entity, found, *words)

    def _evidence(self, entity: EntityRef) -> Evidence | None:
        held = [item for reading in self.known.readings for item in reading.evidence if item.entity_id == entity.entity_id]
        same = [item for item in held if item.evidence_id == entity.evidence_id]
        if held:
            return (same or held)[0]
        mentions = (mention for mention in self.lookup.mentions if mention.entity_type == entity.entity_type)
        named = next((mention for mention in mentions if self.id_of(mention) == entity.entity_id), None)
        return evidence(named, 0, self.lookup, self.index) if named else None

    def id_of(self, mention: Mention) -> str:
        """The catalog id of a mention's entity."""
        return entity_id(mention, self.index)

    def mentions(self, first: int, last: int, *types: EntityType) -> list[Mention]:
        """What tokens [first, last) may name, best supported first."""
        return [mention for mention in self.lookup.at(first, last) if not types or mention.entity_type in types]

    # -- words ---------------------------------------------------------------------------------------------------------

    def token_range(self, span: tuple[int, int]) -> tuple[int, int] | None:
        """Character offsets as tokens [first, last); None where they are no whole tokens."""
        starts = [number for number, token in enumerate(self.tokens) if token.start == span[0]]
        ends = [number for number, token in enumerate(self.tokens, 1) if token.end == span[1]]
        return (starts[0], ends[0]) if starts and ends and starts[0] < ends[0] else None

    def text(self, first: int, last: int) -> str:
        """The request's words, as written."""
        return self.lookup.request[self.tokens[first].start : self.tokens[last - 1].end]

    def key(self, position: int) -> str:
        """A token's key; empty outside the request."""
        return self.tokens[position].key if 0 <= position < len(self.tokens) else ""

    def roles_at(self, first: int, last: int) -> frozenset[RequestRole]:
        """What the phrase [first, last) does in requests."""
        return frozenset(self.lattice.roles.get((first, last), ()))

    def roles_before(self, first: int) -> frozenset[RequestRole]:
        """What the phrases that end right before a token do; an article is looked past."""
        found = self._roles_ending.get(first, frozenset())
        return found | self.roles_before(first - 1) if self.key(first - 1) in _ARTICLES else found

    def roles_after(self, last: int) -> frozenset[RequestRole]:
        """What the phrases that start at a token do."""
        return self._roles_starting.get(last, frozenset())

    @cached_property
    def _roles_ending(self) -> dict[int, frozenset[RequestRole]]:
        return _gathered((end, roles) for (_, end), roles in self.lattice.roles.items())

    @cached_property
    def _roles_starting(self) -> dict[int, frozenset[RequestRole]]:
        return _gathered((start, roles) for (start, _), roles in self.lattice.roles.items())

    def phrases(self, role: RequestRole) -> list[tuple[int, int]]:
        """All token spans with a role, in order."""
        return self._phrases.get(role, [])

    @cached_property
    def _phrases(self) -> dict[RequestRole, list[tuple[int, int]]]:
        found: dict[RequestRole, list[tuple[int, int]]] = {}
        for span, roles in sorted(self.lattice.roles.items()):
            for role in roles:
                found.setdefault(role, []).append(span)
        return found

    def clause_end(self, position: int) -> int:
        """The token after the last one of a token's clause."""
        clause = self.tokens[position].clause
        return max(number for number, token in enumerate(self.tokens, 1) if token.clause == clause)

    def is_everyday(self, first: int, last: int) -> bool:
        """Whether every word is one that requests are made of anyway, by itself or as one phrase."""
        roles = self.lattice.roles
        return (first, last) in roles or all((position, position + 1) in roles for position in range(first, last))

    def describing(self, first: int, last: int) -> tuple[tuple[str, str], ...]:
        """The (facet, concept)s that tokens [first, last) name as a description rather than as a place or a time."""
        return tuple(pair for pair in self.lattice.facets.get((first, last), ()) if pair[0] not in _NAME_LIKE_FACETS)

    def constraints_on(self, first: int, last: int) -> list[Constraint]:
        """The intent's constraints that rest on one of the words."""
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        return [c for c in self.intent.constraints if c.span[0] < end and start < c.span[1]]

    @cached_property
    def unwanted_versions(self) -> frozenset[str]:
        """Kinds of version that the request rules out."""
        found = (c for c in self.intent.constraints if c.facet == "version" and c.op == "not")
        return frozenset(value for constraint in found for value in constraint.values)

    @cached_property
    def asked_versions(self) -> frozenset[str]:
        """Kinds of version that the request asks for, in the intent or not; a word inside a name asks for nothing."""
        asked = {value for c in self.intent.constraints if c.facet == "version" and c.op == "is" for value in c.values}
        names = (*self.named, *self.context, *self.excluded)
        for span, concepts in self.lattice.facets.items():
            if not any(name.overlaps(*span) for name in names):
                asked.update(concept for facet, concept in concepts if facet == "version")
        return frozenset(asked - self.unwanted_versions)

    # -- what speaks for a name ----------------------------------------------------------------------------------------

    def is_quoted(self, first: int, last: int) -> bool:
        """Whether the words stand in quotation marks of their own."""
        return (self.tokens[first].start, self.tokens[last - 1].end) in quoted_spans(self.lookup.request)

    def is_capitalised(self, first: int, last: int) -> bool:
        """Whether the words are written as a name inside a sentence: shouting and "I" tell nothing.

        Nor does the first word of one, but for Latin letters among Chinese ones.
        """
        pronoun = last - first == 1 and len(self.key(first)) == 1 and self.is_everyday(first, last)
        if (first == 0 and not has_cjk(self.lookup.request)) or pronoun or self.lookup.request.isupper():
            return False
        return all(token.text[:1].isupper() for token in self.tokens[first:last] if token.key not in _ARTICLES)

    def is_alone(self, first: int, last: int) -> bool:
        """Whether everything else in the request is command or filler."""
        return all(position in self.lattice.frame for position in range(len(self.tokens)) if not first <= position < last)

    def type_words(self, first: int, last: int) -> frozenset[EntityType]:
        """The types that a word beside the name says it has ("the band X", "X album")."""
        beside = self.roles_before(first) | (self.roles_after(last) & {"album_word", "artist_word"})
        return frozenset(TYPE_WORDS[role] for role in beside if role in TYPE_WORDS)

    def is_marked(self, first: int, last: int) -> bool:
        """Whether the words around speak for a name: quotes, a capital, a type word, or one of by, like and not before it."""
        if self.is_quoted(first, last) or self.is_capitalised(first, last) or self.type_words(first, last):
            return True
        return bool(self.roles_before(first) & {"by", "similar", "negation"})


def _gathered(places: Iterable[tuple[int, tuple[RequestRole, ...]]]) -> dict[int, frozenset[RequestRole]]:
    """Position → the roles of all phrases there."""
    found: dict[int, set[RequestRole]] = {}
    for position, roles in places:
        found.setdefault(position, set()).update(roles)
    return {position: frozenset(roles) for position, roles in found.items()}
