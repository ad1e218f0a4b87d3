"""Turns a chain of items into an `Intent`: polarity, roles, what is core, what is left over, what is absent."""

from __future__ import annotations

import math
from dataclasses import dataclass

from data.catalog.schema import USUAL_SECONDS
from data.contracts import Constraint, EntityRef, Evidence, Facet, Intent, IntentKind, Op, Role
from data.vocab.loader import load_vocabularies
from program.grounding.absent import AbsentNames
from program.grounding.behind import CONNECTORS, Behind
from program.grounding.decode import Chain
from program.grounding.draft import Draft
from program.grounding.drafted import Drafted, DraftedItem
from program.grounding.items import EntityItem, FacetItem, FreeItem, Item, JointItem, MinutesItem, RangeItem, RoleItem, SizeItem
from program.grounding.lattice import Lattice
from program.grounding.listing import is_listed, wishes_anew
from program.grounding.lookup import Mention, entity_id, evidence
from program.grounding.praise import is_praise
from program.grounding.scope import is_no_request
from program.grounding.settle import Settling
from program.index.gather import album_id
from program.index.protocol import CatalogIndex, Posting

_UNION_FACETS = frozenset({"genre", "region", "language", "era", "instrument"})
_HEAD_ORDER: tuple[Facet, ...] = ("genre", "language", "region", "instrument", "activity", "mood", "era", "vocal", "tempo")
_NEW = "new"
_LATEST = frozenset({"newest", "latest", "new releases", "最新", "最新的"})
_TOO = frozenset({"too", "so", "very", "overly", "太", "zu", "trop", "muy", "demasiado", "troppo", "muito", "te", "fazla"})
"""Last words of a negation that reaches no further than the next word ("not too loud jazz" is jazz)."""
_PART_OF_ALL = frozenset({"them", "those"})
"""Ends of a size that is a part of what was counted before ("10 songs, four of them by Adele")."""


@dataclass(frozen=True)
class Reading:
    """One full interpretation of a request by code.

    Attributes:
        score: of its chain; comparable only within one request.
        complete: every token is explained (an absent name is explained too).
        evidence: the evidence that its entities rest on.
    """

    intent: Intent
    evidence: tuple[Evidence, ...]
    score: float
    complete: bool


class _State:
    """What the words so far do to the next item: negation and similarity last to the end of their clause."""

    def __init__(self) -> None:
        self.negated_in: int | None = None
        self.similar = False
        self.only = False
        self.just_negated = False
        self.hedged = False

    def end_hedge(self) -> None:
        """After the one thing that "not too" reaches nothing is negated."""
        if self.hedged:
            self.negated_in, self.hedged = None, False

    def polarity(self, clause: int, connected: bool) -> bool:
        """Whether the item is under a negation; a new clause ends it unless it is a mere list ("no rock, no metal")."""
        if self.negated_in is None:
            return False
        if clause != self.negated_in and not connected:
            self.negated_in = None
            return False
        return True


class Composer:
    """Builds readings of one request."""

    def __init__(
        self, lattice: Lattice, index: CatalogIndex, *, locale: str, list_size: int, drafted: Drafted | None = None
    ) -> None:
        self.lattice = lattice
        self.index = index
        self.locale = locale
        self.list_size = list_size
        self.drafted = drafted

    def reading(self, chain: Chain, first_evidence: int = 0) -> Reading:
        """The reading of one chain; evidence ids count from `first_evidence`."""
        draft = Draft(openings=self.lattice.openings, drafted=self.drafted)
        state = _State()
        for position, item in enumerate(chain.items):
            self._take(draft, state, item, chain.items, position, first_evidence)
        lookup = self.lattice.lookup
        Settling(draft, lookup, self.index, lambda mention: evidence(mention, 0, lookup, self.index)).run()
        absent = AbsentNames(draft, chain, self.lattice).take()
        free_text = self._free_text(draft)
        intent = self._intent(draft, absent, free_text)
        by_id = {item.evidence_id: item for item in draft.evidence}  # one name may be both a start and ruled out
        return Reading(intent, tuple(by_id.values()), round(chain.score, 4), not free_text)

    # -- one item at a time --------------------------------------------------------------------------------------------

    def _take(self, draft: Draft, state: _State, item: Item, items: tuple[Item, ...], position: int, base: int) -> None:
        if isinstance(item, RoleItem):
            state.negated_in = None if wishes_anew(self.lattice, items, position) else state.negated_in
            self._role(draft, state, item)
            if state.only and self._closes(items, position):
                self._only_before(draft, item)
                state.only = False
            return
        clause = self.lattice.lookup.tokens[item.first].clause
        previous = items[position - 1] if position else None
        connected = isinstance(previous, RoleItem) and self._surface(previous) in CONNECTORS
        negated = state.polarity(clause, connected or is_listed(self.lattice, items, position))
        if isinstance(item, SizeItem):
            if not (draft.size and self._surface(item).split()[-1] in _PART_OF_ALL):
                draft.size = item.size
            draft.head_seen = True
        elif isinstance(item, MinutesItem):
            draft.minutes = item.minutes
            draft.head_seen = True
        elif isinstance(item, FacetItem):
            self._constraint(draft, state, item, item.facet, "not" if negated else "is", (item.concept_id,))
        elif isinstance(item, RangeItem):
            self._constraint(draft, state, item, item.facet, "not" if negated else "range", (item.low, item.high))
        elif isinstance(item, FreeItem | DraftedItem):
            self._unheld(draft, item, previous, negated)
        else:
            self._entity(draft, state, item, negated, base)
        state.only = False
        state.end_hedge()

    def _unheld(self, draft: Draft, item: FreeItem | DraftedItem, previous: Item | None, negated: bool) -> None:
        """Words that the catalog does not hold."""
        if negated:
            goes_on = isinstance(previous, FreeItem) and bool(draft.unwanted) and item.first not in draft.openings
            words = [draft.unwanted.pop()] if goes_on else []
            draft.unwanted.append(" ".join([*words, self._surface(item)]))
        elif isinstance(item, FreeItem):
            draft.free.append(item)
        else:
            draft.missing.append(item)

    def _role(self, draft: Draft, state: _State, item: RoleItem) -> None:
        clause = self.lattice.lookup.tokens[item.first].clause
        just_negated, state.just_negated = state.just_negated, item.role == "negation"
        if Behind(draft, self.lattice).take(item):
            return
        if item.role == "negation":
            state.negated_in = None if is_praise(self.lattice, item) else clause
            state.hedged = self.lattice.lookup.tokens[item.last - 1].key in _TOO
        elif item.role == "similar":
            if not just_negated:  # "not like Radiohead" leaves Radiohead out
                state.similar, state.negated_in = True, None
        elif item.role == "only":
            state.only = True
        elif item.role in ("liked", "history"):
            draft.personal = "liked" if item.role == "liked" else "history"
        elif item.role == "head":
            draft.head_seen = True
        elif item.role == "own_list":
            draft.own_list = True
        elif item.role == "correction":
            draft.take_back()

    def _closes(self, items: tuple[Item, ...], position: int) -> bool:
        """Whether nothing that could be meant follows in the clause: "by men only, please"."""
        clause = self.lattice.lookup.tokens[items[position].first].clause
        after = (item for item in items[position + 1 :] if self.lattice.lookup.tokens[item.first].clause == clause)
        return all(isinstance(item, RoleItem) for item in after)

    def _only_before(self, draft: Draft, item: RoleItem) -> None:
        """The condition right before a closing "only" is what the listener insists on."""
        before = self.lattice.lookup.tokens[item.first - 1].end if item.first else -1
        for position, constraint in enumerate(draft.constraints):
            if constraint.span[1] == before:
                draft.constraints[position] = constraint.model_copy(update={"strength": "core"})

    def _constraint(self, draft: Draft, state: _State, item: Item, facet: Facet, op: Op, values: tuple[str, ...]) -> None:
        if op == "not" and isinstance(item, RangeItem):
            op, values = _outside(item)
        last = draft.constraints[-1] if draft.constraints else None
        if last and self._joins(last, facet, op, item):
            draft.constraints[-1] = last.model_copy(update={"values": tuple(dict.fromkeys((*last.values, *values)))})
            return
        if any((c.facet, c.op, c.values) == (facet, op, values) for c in draft.constraints):
            return
        span = self._span(item)
        surface = self.lattice.lookup.request[slice(*span)]
        constraint = Constraint(
            constraint_id=f"c{len(draft.constraints)}", facet=facet, op=op, values=values,
            strength="core" if op == "not" or state.only else "soft", span=span, surface=surface,
        )  # fmt: skip
        draft.constraints.append(constraint)

    def _joins(self, last: Constraint, facet: str, op: str, item: Item) -> bool:
        """Whether the value is another choice of the last constraint ("jazz or soul", "jazz and soul")."""
        if last.facet != facet or last.op != op or op == "range":
            return False
        between = self.lattice.lookup.request[last.span[1] : self._span(item)[0]].casefold()
        words = set(between.replace(",", " ").split())
        if words & {"or", "nor", "或", "或者"}:
            return True
        words -= self._generic_words(last.span[1], self._span(item)[0])
        linked = not words or words <= CONNECTORS
        return linked and facet in _UNION_FACETS and ("," in between or bool(words))

    def _generic_words(self, start: int, end: int) -> set[str]:
        """The words for music between two places of the request ("baroque music and baroque pop")."""
        tokens = self.lattice.lookup.tokens
        heads = (span for span, roles in self.lattice.roles.items() if "head" in roles)
        inside = {at for span in heads for at in range(*span) if start <= tokens[at].start and tokens[at].end <= end}
        return {tokens[at].text.casefold() for at in inside}

    def _entity(self, draft: Draft, state: _State, item: Item, negated: bool, base: int) -> None:
        role: Role = "exclude" if negated else "seed" if state.similar else "target"
        state.similar = state.similar and not negated
        if isinstance(item, JointItem):
            for row in item.rows if item.parts else item.rows[:1]:
                found = Posting(item.entity_type, row, "exact", self._popularity(item.entity_type, row))
                mention = Mention(item.title.span, found, item.title.match, len(item.rows) - 1, item.title.support)
                self._refer(draft, mention, role, base)
            self._refer(draft, item.artist, "context", base)
        elif isinstance(item, EntityItem):
            role = "context" if role == "target" and self._credited_on_last(draft, item.mention) else role
            self._refer(draft, item.mention, role, base)

    def _credited_on_last(self, draft: Draft, mention: Mention) -> bool:
        """Whether a name only says more about the pair right before: a second artist of it, or the album that it is on."""
        if mention.entity_type == "track" or len(draft.entities) < 2:
            return False
        pair = [entity for entity in draft.entities if entity.role != "context"][-1:]
        if not pair or draft.entities[-1].role != "context" or pair[0].entity_type != "track":
            return False
        entry = self.index.by_ids([pair[0].entity_id]).get(pair[0].entity_id)
        if entry is None:
            return False
        if mention.entity_type == "album":
            return album_id(entry.track.artists[0].artist_id, entry.track.album or "") == entity_id(mention, self.index)
        return any(credit.artist_id == entity_id(mention, self.index) for credit in entry.track.artists)

    def _popularity(self, kind: str, row: int) -> float:
        return self.index.track(row).popularity if kind == "track" else self.index.album(row).popularity

    def _refer(self, draft: Draft, mention: Mention, role: Role, base: int) -> None:
        found = evidence(mention, base + len(draft.evidence), self.lattice.lookup, self.index)
        draft.evidence.append(found)
        draft.entities.append(
            EntityRef(
                evidence_id=found.evidence_id,
                entity_id=found.entity_id,
                entity_type=found.entity_type,
                name=found.name,
                role=role,
            )
        )

    # -- the whole -----------------------------------------------------------------------------------------------------

    def _intent(self, draft: Draft, absent: tuple[str, ...], free_text: str) -> Intent:
        if is_no_request(self.lattice, draft):
            return Intent(kind="other", locale=self.locale)
        newest = self._newest(draft)
        entities = _each_once(draft.entities)
        targets = [entity for entity in entities if entity.role == "target"]
        wanted = _without_excluded(draft.constraints)
        constraints = tuple(wanted) if targets else _with_head(wanted)
        kind = _kind(draft, targets, absent)
        named_only = all(entity.entity_type == "track" for entity in targets) and bool(targets)
        single = kind == "play" and named_only and not draft.size
        size = draft.size or (len(targets) if single else self._list_size(draft, newest))
        return Intent(
            kind=kind, entities=entities, absent=absent, constraints=constraints, free_text=free_text,
            unwanted=tuple(dict.fromkeys(draft.unwanted)), personal=draft.personal, size=min(100, max(1, size)),
            minutes=draft.minutes, order="newest" if newest else "relevance", locale=self.locale,
        )  # fmt: skip

    def _newest(self, draft: Draft) -> bool:
        """Whether the newest come first: somebody's ("the latest song of Dua Lipa": an order, no span of years), or a kind's."""
        named = any(entity.role == "target" and entity.entity_type != "track" for entity in draft.entities)
        new = [c for c in draft.constraints if (c.facet, c.op, c.values) == ("era", "is", (_NEW,))]
        if not named or not new:
            return not draft.entities and any(c.surface.casefold() in _LATEST for c in new)
        draft.constraints = [c for c in draft.constraints if c not in new]
        return True

    def _list_size(self, draft: Draft, newest: bool) -> int:
        """How many tracks where no number was given."""
        if draft.minutes:
            return math.ceil(draft.minutes * 60 / USUAL_SECONDS)
        return 1 if newest and self.lattice.asks_for_one else self.list_size

    def _free_text(self, draft: Draft) -> str:
        tokens, request = self.lattice.lookup.tokens, self.lattice.lookup.request
        return " ".join(request[tokens[run[0].first].start : tokens[run[-1].last - 1].end] for run in draft.runs())

    def _span(self, item: Item) -> tuple[int, int]:
        tokens = self.lattice.lookup.tokens
        return tokens[item.first].start, tokens[item.last - 1].end

    def _surface(self, item: Item) -> str:
        return self.lattice.lookup.request[slice(*self._span(item))].casefold()


def _outside(item: RangeItem) -> tuple[Op, tuple[str, ...]]:
    """What a negated range leaves: the other side of an open one, everything but the years of a closed one."""
    low, high = item.low, item.high
    if not low:
        return "range", (str(int(high) + 1), "")
    if not high:
        return "range", ("", str(int(low) - 1))
    return "not", tuple(str(year) for year in range(int(low), int(high) + 1))


def _each_once(entities: list[EntityRef]) -> tuple[EntityRef, ...]:
    """The first mention of each thing in each role; what is ruled out is not played, whatever else is said of it."""
    first = {(entity.entity_type, entity.entity_id, entity.role): entity for entity in reversed(entities)}
    return tuple(entity for key, entity in first.items() if key[2] != "target" or (*key[:2], "exclude") not in first)[::-1]


def _without_excluded(constraints: list[Constraint]) -> list[Constraint]:
    """What is ruled out is not wanted, whatever else is said of it."""
    banned = {(c.facet, value) for c in constraints if c.op == "not" for value in c.values}
    kept = []
    for constraint in constraints:
        values = tuple(value for value in constraint.values if constraint.op != "is" or (constraint.facet, value) not in banned)
        if values:
            kept.append(constraint.model_copy(update={"values": values}))
    return kept


def _kind(draft: Draft, targets: list[EntityRef], absent: tuple[str, ...]) -> IntentKind:
    if draft.personal != "none":
        return "personal"
    if any(entity.role == "seed" for entity in draft.entities):
        return "similar"
    if targets or absent:
        return "play"
    return "discover"


def _with_head(constraints: list[Constraint]) -> tuple[Constraint, ...]:
    """What the other words modify becomes core: every genre, else the last condition of the first facet in a fixed order.

    Of "Swahili pop" the language says as much as so wide a genre does: both are core.
    """
    positive = [constraint for constraint in constraints if constraint.op != "not"]
    heads = next((found for facet in _HEAD_ORDER if (found := [c for c in positive if c.facet == facet])), [])
    is_genre = bool(heads) and heads[0].facet == "genre"
    core = {constraint.constraint_id for constraint in (heads if is_genre else heads[-1:])}
    if is_genre and all(map(_is_wide, heads)):
        core |= {constraint.constraint_id for constraint in positive if constraint.facet == "language"}
    return tuple(c.model_copy(update={"strength": "core"}) if c.constraint_id in core else c for c in constraints)


def _is_wide(genre: Constraint) -> bool:
    """Whether one of its values is a root of the genre tree."""
    concepts = load_vocabularies()["genre"].concepts
    return any(value in concepts and not concepts[value].parents for value in genre.values)
