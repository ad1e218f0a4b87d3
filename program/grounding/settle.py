"""Which recording and which namesake a named thing is, once the whole request is read.

The first lookup takes the best known; what else the request says may speak for another: a version, an artist that it
rules out, a facet that only a namesake fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import get_args

from data.catalog.schema import VersionKind
from data.contracts import Constraint, EntityRef, Evidence, Role
from data.names import base_title, name_key
from program.grounding.draft import Draft
from program.grounding.lookup import Lookup, Mention
from program.index.protocol import CatalogIndex, Filter, TrackEntry

PLAIN = ("original", "remaster")
"""Versions that are meant when none is asked for."""
_BOTH = frozenset(
    "and then plus also or & + especially particularly including include like except with y e et und en och ve "
    "和 及 与 跟 还 或 特 尤 と".split()
)
"""Words between an artist and a title that say that both are wanted."""
_SUNG = tuple(version for version in get_args(VersionKind) if version != "karaoke")


class Settling:
    """Changes the entities of one draft, evidence included.

    Args:
        make_evidence: the evidence of a mention; its number is replaced.
    """

    def __init__(self, draft: Draft, lookup: Lookup, index: CatalogIndex, make_evidence: Callable[[Mention], Evidence]) -> None:
        self.draft = draft
        self.lookup = lookup
        self.index = index
        self.make_evidence = make_evidence

    def run(self) -> None:
        """Every rule in turn."""
        self._right_namesakes()
        self._own_titles()
        self._own_exclusions()
        self._others_only()
        self._not_by_the_excluded()
        asked = tuple(c for c in self.draft.constraints if c.facet == "version" and c.op == "is")
        if asked:
            self._swap("target", Filter(artist_ids=self._named_artists(), constraints=asked))
        self._original_first(tuple(value for constraint in asked for value in constraint.values))

    def _named_artists(self) -> tuple[str, ...]:
        return tuple(e.entity_id for e in self.draft.entities if e.entity_type == "artist" and e.role in ("context", "target"))

    def _own_titles(self) -> None:
        """An artist who made the one title that is named with no word for "and" between says whose it is.

        "Van Halen did a song, Panama": the song is meant, not all that is theirs.
        """
        wanted = [position for position, entity in enumerate(self.draft.entities) if entity.role == "target"]
        if len(wanted) != 2 or {self.draft.entities[at].entity_type for at in wanted} != {"artist", "track"}:
            return
        at_artist, at_title = sorted(wanted, key=lambda at: self.draft.entities[at].entity_type)
        artist, title = self.draft.entities[at_artist], self.draft.entities[at_title]
        said, whose = self.draft.evidence[at_title], self.draft.evidence[at_artist]
        rows = self.index.search(Filter(artist_ids=(artist.entity_id,), title_keys=(name_key(said.surface),)), limit=1).rows
        if not rows or self._is_both(whose.span, said.span):
            return
        held = self.index.by_ids([title.entity_id]).get(title.entity_id)
        if held is None or banned_free(held, (artist.entity_id,)):
            self._take(at_title, title, self.index.track(rows[0]))
        self.draft.entities[at_artist] = artist.model_copy(update={"role": "context"})

    def _is_both(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether the words between two names say that each is wanted; side by side they are read as a pair or not at all."""
        first, second = sorted((one, other))
        between = {token.key for token in self.lookup.tokens if first[1] <= token.start and token.end <= second[0]}
        return not between or not between.isdisjoint(_BOTH)

    def _own_exclusions(self) -> None:
        """What an artist is wanted without is theirs: "Lionel Richie without Hello" leaves out his, not the best-known one."""
        artists = tuple(e.entity_id for e in self.draft.entities if e.role == "target" and e.entity_type == "artist")
        if artists:
            self._swap("exclude", Filter(artist_ids=artists))

    def _others_only(self) -> None:
        """What to start from is itself ruled out where only others are wanted; of a title, its artist."""
        if not self.draft.others_only:
            return
        for position, entity in enumerate(list(self.draft.entities)):
            if entity.role == "seed" and entity.entity_type == "artist":
                self.draft.entities.append(entity.model_copy(update={"role": "exclude"}))
                self.draft.evidence.append(self.draft.evidence[position])

    def _not_by_the_excluded(self) -> None:
        """A title by anybody but the artist that is ruled out ("Hurt, but not Johnny Cash's")."""
        banned = tuple(e.entity_id for e in self.draft.entities if e.role == "exclude" and e.entity_type == "artist")
        if banned:
            self._swap("target", Filter(not_artist_ids=banned), when=lambda entry: not banned_free(entry, banned))

    def _original_first(self, asked: tuple[str, ...]) -> None:
        """The original comes before a cover, a live, remixed or new recording that is not asked for, all before karaoke."""
        banned = tuple(e.entity_id for e in self.draft.entities if e.role == "exclude" and e.entity_type == "artist")
        for kinds in (_SUNG, PLAIN):
            wanted = (Constraint(constraint_id="v", facet="version", op="is", values=kinds, strength="core"),)
            where = Filter(artist_ids=self._named_artists(), constraints=wanted, not_artist_ids=banned)
            for role in ("target", "seed"):
                self._swap(role, where, when=partial(self._is_other, (*kinds, *asked)))

    def _is_other(self, kinds: tuple[str, ...], entry: TrackEntry) -> bool:
        """Whether a track is of none of the kinds, and not asked for by its remark."""
        return entry.track.version not in kinds and not self._is_said(entry)

    def _is_said(self, entry: TrackEntry) -> bool:
        """Whether the request itself holds the whole title with its remark ("Love Story, Taylor's Version")."""
        title = name_key(entry.track.title)
        return title != name_key(base_title(entry.track.title)) and title in name_key(self.lookup.request)

    def _swap(self, role: Role, where: Filter, *, when: Callable[[TrackEntry], bool] = lambda entry: True) -> None:
        """Give the tracks of a role to the most popular track of the same title that `where` allows."""
        for position, entity in enumerate(self.draft.entities):
            if entity.role != role or entity.entity_type != "track":
                continue
            held = self.index.by_ids([entity.entity_id]).get(entity.entity_id)
            if held is None or not when(held):
                continue
            titles = (name_key(self.draft.evidence[position].surface), name_key(base_title(held.track.title)))
            rows = self.index.search(replace(where, title_keys=titles), limit=1).rows
            if rows:
                self._take(position, entity, self.index.track(rows[0]))

    def _take(self, position: int, entity: EntityRef, entry: TrackEntry) -> None:
        change = {"entity_id": entry.track.track_id, "name": entry.track.title}
        artists = tuple(credit.name for credit in entry.track.artists)
        backing = {**change, "artists": artists, "popularity": round(entry.popularity, 4)}
        self.draft.entities[position] = entity.model_copy(update=change)
        self.draft.evidence[position] = self.draft.evidence[position].model_copy(update=backing)

    def _right_namesakes(self) -> None:
        """Among artists of one name, the one with music that fits what else is said ("Alphabeat, the techno project")."""
        said = tuple(c for c in self.draft.constraints if c.op != "not" and c.facet not in ("popularity", "version"))
        for position, entity in enumerate(self.draft.entities):
            if not said or entity.entity_type != "artist" or entity.role not in ("target", "seed"):
                continue
            if self._fits(entity.entity_id, said):
                continue
            for mention in self._namesakes(self.draft.evidence[position]):
                found = self.make_evidence(mention)
                if found.entity_id != entity.entity_id and self._fits(found.entity_id, said):
                    number = entity.evidence_id
                    self.draft.evidence[position] = found.model_copy(update={"evidence_id": number})
                    self.draft.entities[position] = entity.model_copy(update={"entity_id": found.entity_id, "name": found.name})
                    break

    def _namesakes(self, item: Evidence) -> list[Mention]:
        tokens = self.lookup.tokens
        return [
            mention
            for mention in self.lookup.mentions
            if mention.entity_type == "artist" and tokens[mention.span.first].start == item.span[0]
            and tokens[mention.span.last - 1].end == item.span[1]
        ]  # fmt: skip

    def _fits(self, artist_id: str, said: tuple[Constraint, ...]) -> bool:
        return self.index.count(Filter(artist_ids=(artist_id,), constraints=said)) > 0


def banned_free(entry: TrackEntry, banned: tuple[str, ...]) -> bool:
    """Whether a track is by none of the artists."""
    return all(credit.artist_id not in banned for credit in entry.track.artists)
