"""UNDERSTAND without L1, for comparison only: names go straight to the first search hit, unverified.

This is what a system without grounding does. The names come from an LM's memory, or without an LM from where names stand
in a request; facet words are read as always. Nothing here checks that a hit is the thing that was named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from data.contracts import EntityRef, Evidence, Intent, Role
from data.names import name_form, name_key
from program.grounding.compose import Composer, Reading
from program.grounding.decode import Chain, best_chains
from program.grounding.items import FreeItem, Item, RoleItem
from program.grounding.lattice import Lattice
from program.grounding.locale import request_locale
from program.grounding.lookup import Lookup
from program.grounding.readings import Understanding
from program.grounding.spans import propose
from program.grounding.tokens import tokenize
from program.index.documents import text_words
from program.index.protocol import CatalogIndex, Filter, TrackEntry
from program.settings import Settings

_MOST_NAMES = 8
_ARTIST_ROLES = frozenset({"by", "artist_word", "similar"})


@dataclass(frozen=True)
class Named:
    """What a request names, as strings that nobody checked."""

    artists: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    @classmethod
    def listed(cls, prediction: Any) -> Named:
        """From an LM's reply."""
        lists = (prediction.artists, prediction.titles, prediction.unwanted)
        return cls(*(tuple(dict.fromkeys(filter(None, map(str.strip, names))))[:_MOST_NAMES] for names in lists))


def _read(request: str, index: CatalogIndex, settings: Settings) -> tuple[Chain, Lookup, Reading]:
    """The request read without any name: roles, facets, numbers, and leftovers where names stand."""
    tokens = tokenize(request)
    lookup = Lookup(request, tokens, tuple(propose(request, tokens, settings.grounding.max_span_tokens)), ())
    lattice = Lattice(lookup, settings.grounding, index)
    chain = best_chains(lattice.items(), len(tokens), 1)[0]
    composer = Composer(lattice, index, locale=request_locale(request), list_size=settings.retry.list_size)
    return chain, lookup, composer.reading(chain)


def named_by_code(request: str, index: CatalogIndex, settings: Settings) -> Named:
    """The leftovers of a request as names: after a `by` word or "like" an artist, elsewhere a title."""
    chain, lookup, reading = _read(request, index, settings)
    if not reading.intent.absent:
        return Named()  # a description without a name
    artists: list[str] = []
    titles: list[str] = []
    unwanted: list[str] = []
    for first, last, before in _runs(chain.items):
        words = request[lookup.tokens[first].start : lookup.tokens[last - 1].end]
        into = unwanted if before == "negation" else artists if before in _ARTIST_ROLES else titles
        into.append(words)
    return Named(tuple(artists), tuple(titles), tuple(unwanted))


def _runs(items: tuple[Item, ...]) -> list[tuple[int, int, str]]:
    """Unbroken leftovers as (first token, end, role of the phrase before)."""
    runs: list[tuple[int, int, str]] = []
    before = ""
    for item in items:
        if isinstance(item, FreeItem):
            if runs and runs[-1][1] == item.first:
                runs[-1] = (runs[-1][0], item.last, runs[-1][2])
            else:
                runs.append((item.first, item.last, before))
        elif not (isinstance(item, RoleItem) and item.role == "filler"):
            before = item.role if isinstance(item, RoleItem) else ""
    return runs


def understand_ungrounded(request: str, named: Named, index: CatalogIndex, settings: Settings) -> tuple[Intent, Understanding]:
    """The intent whose names are whatever the search returned first; a name without a hit is left to the free words."""
    _, lookup, plain = _read(request, index, settings)
    found: list[Evidence] = []
    roles: list[Role] = []
    missed: list[str] = []
    kinds: list[tuple[str, Role, bool]] = [*((name, "exclude", True) for name in named.unwanted)]
    if len(named.titles) == 1 and len(named.artists) == 1:
        kinds.append((f"{named.titles[0]} {named.artists[0]}", "target", False))
    else:
        kinds += [*((name, "target", False) for name in named.titles), *((name, "target", True) for name in named.artists)]
    for name, role, is_artist in kinds:
        hit = _first_hit(name, index, is_artist=is_artist, number=len(found))
        if hit is None:
            missed.append(name)
        else:
            found.append(hit)
            roles.append(role)
    intent = _intent(plain.intent, found, roles, named, missed)
    reading = Reading(intent, tuple(found), plain.score, complete=True)
    return intent, Understanding(lookup, (reading,), float("inf"))


def _intent(plain: Intent, found: list[Evidence], roles: list[Role], named: Named, missed: list[str]) -> Intent:
    entities = tuple(
        EntityRef(evidence_id=item.evidence_id, entity_id=item.entity_id, entity_type=item.entity_type, name=item.name, role=role)
        for item, role in zip(found, roles, strict=True)
    )
    used = {name_key(name) for name in (*named.artists, *named.titles, *named.unwanted)}
    constraints = tuple(c for c in plain.constraints if name_key(c.surface) not in used)
    targets = [entity for entity in entities if entity.role == "target"]
    lone = bool(targets) and not constraints and all(entity.entity_type == "track" for entity in targets)
    return plain.model_copy(
        update={
            "entities": entities, "constraints": constraints, "absent": (),
            "free_text": " ".join(filter(None, (plain.free_text, *missed))),
            "kind": "play" if targets else plain.kind if plain.kind == "personal" else "discover",
            "size": len(targets) if lone else plain.size,
        }
    )  # fmt: skip


def _first_hit(name: str, index: CatalogIndex, *, is_artist: bool, number: int) -> Evidence | None:
    rows = index.search(Filter(text=text_words(name)), limit=1).rows if name_key(name) else ()
    if not rows:
        return None
    entry = index.track(rows[0])
    return _artist(name, entry, index, number) if is_artist else _track(name, entry, number)


def _track(name: str, entry: TrackEntry, number: int) -> Evidence:
    return Evidence(
        evidence_id=f"n{number}", surface=name, span=(0, 0), entity_type="track", entity_id=entry.track.track_id,
        name=entry.track.title, artists=tuple(credit.name for credit in entry.track.artists), match="fuzzy",
        available_tracks=int(entry.track.playable), popularity=entry.popularity, works=(), rivals=0, support=0.0,
    )  # fmt: skip


def _artist(name: str, entry: TrackEntry, index: CatalogIndex, number: int) -> Evidence:
    """The artist of the first hit whose name shares most words with what was asked for."""
    words = set(name_form(name).split())
    credit = max(entry.track.artists, key=lambda item: len(words & set(name_form(item.name).split())))
    artist = index.artist_by_id(credit.artist_id)
    return Evidence(
        evidence_id=f"n{number}", surface=name, span=(0, 0), entity_type="artist", entity_id=credit.artist_id, name=credit.name,
        artists=(), match="fuzzy", available_tracks=artist.available_tracks if artist else 0,
        popularity=artist.popularity if artist else 0.0, works=artist.works if artist else (), rivals=0, support=0.0,
    )  # fmt: skip
