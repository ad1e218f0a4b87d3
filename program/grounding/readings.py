"""Code's own readings of a request, best first: the deterministic half of UNDERSTAND."""

from __future__ import annotations

from dataclasses import dataclass

from data.contracts import EntityRef, Evidence, Intent
from program.grounding.compose import Composer, Reading
from program.grounding.decode import best_chains
from program.grounding.lattice import Lattice
from program.grounding.locale import request_locale
from program.grounding.lookup import Lookup, look_up
from program.index.protocol import CatalogIndex
from program.settings import Settings

_CHAINS = 12
MAX_AMBIGUOUS = 4


@dataclass(frozen=True)
class Understanding:
    """What code knows about a request before any LM is asked.

    Attributes:
        readings: distinct, best first; at least one.
        margin: how far the best is ahead of the second (infinite when there is one).
    """

    lookup: Lookup
    readings: tuple[Reading, ...]
    margin: float

    @property
    def best(self) -> Reading:
        """The best reading."""
        return self.readings[0]


def understand_by_code(request: str, index: CatalogIndex, settings: Settings) -> Understanding:
    """Look everything up and read the request; never fails, an unreadable request is all free text."""
    lookup = look_up(request, index, settings.grounding)
    lattice = Lattice(lookup, settings.grounding)
    tokens = lookup.tokens
    chains = best_chains(lattice.items(index), len(tokens), _CHAINS, lattice.openings)
    composer = Composer(lattice, index, locale=request_locale(request), list_size=settings.retry.list_size)
    readings: list[Reading] = []
    seen: set[str] = set()
    evidence_used = 0
    for chain in chains:
        reading = composer.reading(chain, evidence_used)
        meaning = _meaning(reading.intent)
        if meaning in seen:
            continue
        seen.add(meaning)
        evidence_used += len(reading.evidence)
        readings.append(reading)
        if len(readings) == settings.grounding.max_readings:
            break
    margin = readings[0].score - readings[1].score if len(readings) > 1 else float("inf")
    best = _with_ambiguity(readings[0], lookup, index, settings)
    return Understanding(lookup, (best, *readings[1:]), margin)


def _meaning(intent: Intent) -> str:
    """What two readings must share to be the same: everything but evidence ids."""
    entities = [(entity.entity_type, entity.entity_id, entity.role) for entity in intent.entities]
    constraints = [(c.facet, c.op, c.values) for c in intent.constraints]
    return repr((intent.kind, entities, sorted(constraints), intent.absent, intent.free_text, intent.size, intent.personal))


def _with_ambiguity(reading: Reading, lookup: Lookup, index: CatalogIndex, settings: Settings) -> Reading:
    """Mark a lone track title that other artists' equally popular tracks share: asking beats guessing.

    Only where the catalog knows popularity; without it, nothing says that two readings are equally likely.
    """
    targets = reading.intent.by_role("target")
    if not settings.grounding.rules:
        return reading
    if len(targets) != 1 or targets[0].entity_type != "track" or reading.intent.by_role("context"):
        return reading
    if index.info.coverage.get("popularity", 0.0) < 0.5:
        return reading
    chosen = next(item for item in reading.evidence if item.evidence_id == targets[0].evidence_id)
    rivals = _equal_rivals(chosen, lookup, index, settings)
    if not rivals:
        return reading
    entities = (chosen, *rivals)
    intent = reading.intent.model_copy(update={"ambiguity": tuple(item.evidence_id for item in entities)})
    return Reading(intent, (*reading.evidence, *rivals), reading.score, reading.complete)


def _equal_rivals(chosen: Evidence, lookup: Lookup, index: CatalogIndex, settings: Settings) -> list[Evidence]:
    from program.grounding.lookup import evidence

    grounding = settings.grounding
    if chosen.popularity < grounding.p_lo:
        return []
    rivals: list[Evidence] = []
    artists = {chosen.artists}
    for mention in lookup.mentions:
        if mention.entity_type != "track" or mention.match != chosen.match:
            continue
        found = evidence(mention, 100 + len(rivals), lookup, index)
        close = chosen.popularity - found.popularity <= grounding.ambiguity_margin
        if found.span == chosen.span and found.artists not in artists and close and _is_original(found, index):
            artists.add(found.artists)
            rivals.append(found)
    return rivals[: MAX_AMBIGUOUS - 1]


def _is_original(found: Evidence, index: CatalogIndex) -> bool:
    entry = index.by_ids([found.entity_id]).get(found.entity_id)
    return entry is not None and entry.track.version == "original"


def entity_ids(entities: tuple[EntityRef, ...], entity_type: str) -> tuple[str, ...]:
    """Ids of the entities of one type, in order."""
    return tuple(entity.entity_id for entity in entities if entity.entity_type == entity_type)
