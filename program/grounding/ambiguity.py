"""Named things that the request cannot tell apart: asking beats guessing (L2)."""

from __future__ import annotations

from dataclasses import replace

from data.contracts import Constraint, Evidence, Intent
from data.names import name_key
from program.grounding.compose import Reading
from program.grounding.lookup import Lookup, Mention, evidence
from program.grounding.settle import PLAIN
from program.index.protocol import CatalogIndex, Filter
from program.settings import GroundingSettings

MAX_AMBIGUOUS = 4
_KNOWN_POPULARITY = 0.5
"""Least share of tracks whose popularity the catalog knows: without it nothing says that two are equally likely."""
_LOOSER = 3.0
"""How many margins apart namesakes may be when words of the request are left that may be about the difference."""
_FIRST_RIVAL = 100


def with_ambiguity(reading: Reading, lookup: Lookup, index: CatalogIndex, settings: GroundingSettings) -> Reading:
    """The reading with its lone target marked as ambiguous when equally popular namesakes exist.

    A track is asked about when another artist's track of that title is about as popular, an artist when another act of
    exactly that name is.
    """
    targets = reading.intent.by_role("target")
    if not settings.rules or len(targets) != 1 or index.info.coverage.get("popularity", 0.0) < _KNOWN_POPULARITY:
        return reading
    if targets[0].entity_type == "track" and not _artist_is_named(reading.intent):
        rivals = _tracks(reading, lookup, index, settings)
    elif targets[0].entity_type == "artist":
        rivals = _artists(reading, lookup, index, settings)
    else:
        return reading
    if not rivals:
        return reading
    chosen = _chosen(reading)
    intent = reading.intent.model_copy(update={"ambiguity": (chosen.evidence_id, *(item.evidence_id for item in rivals))})
    return Reading(intent, (*reading.evidence, *rivals), reading.score, reading.complete)


def _artist_is_named(intent: Intent) -> bool:
    return any(entity.entity_type != "track" for entity in intent.by_role("context"))


def _chosen(reading: Reading) -> Evidence:
    number = reading.intent.by_role("target")[0].evidence_id
    return next(item for item in reading.evidence if item.evidence_id == number)


def _tracks(reading: Reading, lookup: Lookup, index: CatalogIndex, settings: GroundingSettings) -> list[Evidence]:
    """Other artists' recordings of the title, in the version that is asked for, about as popular."""
    chosen = _chosen(reading)
    if chosen.popularity < settings.p_lo:
        return []
    rivals: list[Evidence] = []
    artists = set(chosen.artists[:1])
    for found in _same_title(reading, chosen, lookup, index):
        if artists.isdisjoint(found.artists[:1]) and chosen.popularity - found.popularity <= settings.ambiguity_margin:
            artists.update(found.artists[:1])
            rivals.append(found.model_copy(update={"evidence_id": f"e{_FIRST_RIVAL + len(rivals)}"}))
    return rivals[: MAX_AMBIGUOUS - 1]


def _same_title(reading: Reading, chosen: Evidence, lookup: Lookup, index: CatalogIndex) -> list[Evidence]:
    versions = tuple(c for c in reading.intent.constraints if c.facet == "version" and c.op == "is") or (
        Constraint(constraint_id="v", facet="version", op="is", values=PLAIN, strength="core"),
    )
    banned = tuple(e.entity_id for e in reading.intent.by_role("exclude") if e.entity_type == "artist")
    where = Filter(constraints=versions, not_artist_ids=banned)
    like = [m for m in lookup.mentions if m.entity_type == "track" and m.match == chosen.match and _covers(m, chosen, lookup)]
    if chosen.match != "fuzzy":
        rows = index.search(replace(where, title_keys=(name_key(chosen.surface),)), limit=2 * MAX_AMBIGUOUS).rows
        like = [replace(m, posting=replace(m.posting, row=row)) for m in like[:1] for row in rows]
        return [item.model_copy(update={"popularity": round(index.track(m.posting.row).popularity, 4)}) for m in like
                for item in [evidence(m, 0, lookup, index)]]  # fmt: skip
    allowed = index.by_ids(evidence(m, 0, lookup, index).entity_id for m in like)
    wanted = versions[0].values
    return [
        item for m in like for item in [evidence(m, 0, lookup, index)]
        if item.entity_id in allowed and allowed[item.entity_id].track.version in wanted
    ]  # fmt: skip


def _artists(reading: Reading, lookup: Lookup, index: CatalogIndex, settings: GroundingSettings) -> list[Evidence]:
    """Other acts of exactly that name, about as popular, or not far behind when unexplained words may be about them."""
    chosen = _chosen(reading)
    if chosen.match == "fuzzy":
        return []
    margin = settings.ambiguity_margin * (_LOOSER if reading.intent.free_text else 1.0)
    said = tuple(c for c in reading.intent.constraints if c.op != "not" and c.facet not in ("popularity", "version"))
    if said and not index.count(Filter(artist_ids=(chosen.entity_id,), constraints=said)):
        said = ()  # it fits nobody's music, so it tells nobody apart
    rivals: list[Evidence] = []
    for mention in lookup.mentions:
        if mention.entity_type != "artist" or mention.match != chosen.match or not _covers(mention, chosen, lookup):
            continue
        found = evidence(mention, _FIRST_RIVAL + len(rivals), lookup, index)
        same = found.entity_id != chosen.entity_id and name_key(found.name) == name_key(chosen.name)
        same = same and (not said or index.count(Filter(artist_ids=(found.entity_id,), constraints=said)) > 0)
        if same and found.available_tracks and chosen.popularity - found.popularity <= margin:
            rivals.append(found)
    return rivals[: MAX_AMBIGUOUS - 1]


def _covers(mention: Mention, item: Evidence, lookup: Lookup) -> bool:
    tokens = lookup.tokens
    return (tokens[mention.span.first].start, tokens[mention.span.last - 1].end) == item.span
