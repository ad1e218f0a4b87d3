"""Code's own readings of a request, best first: the deterministic half of UNDERSTAND."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from data.contracts import EntityRef, Intent
from program.grounding.ambiguity import MAX_AMBIGUOUS, with_ambiguity
from program.grounding.compose import Composer, Reading
from program.grounding.decode import best_chains
from program.grounding.drafted import Drafted, located
from program.grounding.lattice import Lattice
from program.grounding.locale import request_locale
from program.grounding.lookup import Lookup, look_up
from program.grounding.periods import told_period
from program.grounding.remembered import asks_for_a_line, lyric_reading, says_lyrics
from program.grounding.surnames import with_surnames
from program.index.protocol import CatalogIndex
from program.settings import Settings

__all__ = ["MAX_AMBIGUOUS", "Understanding", "entity_ids", "understand_by_code"]

_CHAINS = 12


@dataclass(frozen=True)
class Understanding:
    """What code knows about a request before any LM is asked.

    Attributes:
        readings: distinct, best first; at least one.
        margin: how far the best is ahead of the second (infinite when there is one).
        quoting: the request says that it quotes words of a song. line: and wants nothing but that song.
        drafted: the names that a model drafted, on the tokens of `lookup`; None without a draft.
    """

    lookup: Lookup
    readings: tuple[Reading, ...]
    margin: float
    quoting: bool = False
    line: bool = False
    drafted: Drafted | None = None

    @property
    def best(self) -> Reading:
        """The best reading."""
        return self.readings[0]


def understand_by_code(
    request: str, index: CatalogIndex, settings: Settings, draft: Sequence[str] | None = None
) -> Understanding:
    """Look everything up and read the request; never fails, an unreadable request is all free text.

    Args:
        draft: names that a model found in the request, each as `artist: words` or `work: words`; None: none was asked.
    """
    told = told_period(request, request_locale(request))
    if told is not None:
        known = _understood(told.rest, index, settings, draft)
        if told.is_history or known.best.intent.personal != "none":
            return replace(known, readings=tuple(replace(one, intent=told.on(one.intent)) for one in known.readings))
    return _understood(request, index, settings, draft)


def _understood(request: str, index: CatalogIndex, settings: Settings, draft: Sequence[str] | None) -> Understanding:
    lookup = with_surnames(look_up(request, index, settings.grounding), index)
    lattice = Lattice(lookup, settings.grounding, index)
    tokens = lookup.tokens
    drafted = None if draft is None else located(draft, lookup)
    items = lattice.items() if drafted is None else drafted.weigh(lattice.items(), lattice)
    chains = best_chains(items, len(tokens), _CHAINS, lattice.openings)
    composer = Composer(
        lattice, index, locale=request_locale(request), list_size=settings.retry.list_size, drafted=drafted
    )  # fmt: skip
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
    best = with_ambiguity(readings[0], lookup, index, settings.grounding)
    quoting, line = says_lyrics(request, best), asks_for_a_line(request, best)
    if sung := lyric_reading(request, best, index, settings):
        found = (sung, best, *readings[1:])[: settings.grounding.max_readings]
        return Understanding(lookup, found, float("inf"), quoting, line, drafted)
    return Understanding(lookup, (best, *readings[1:]), margin, quoting, line, drafted)


def _meaning(intent: Intent) -> str:
    """What two readings must share to be the same: everything but evidence ids."""
    entities = [(entity.entity_type, entity.entity_id, entity.role) for entity in intent.entities]
    constraints = [(c.facet, c.op, c.values) for c in intent.constraints]
    return repr((intent.kind, entities, sorted(constraints), intent.absent, intent.free_text, intent.size, intent.personal))


def entity_ids(entities: tuple[EntityRef, ...], entity_type: str) -> tuple[str, ...]:
    """Ids of the entities of one type, in order."""
    return tuple(entity.entity_id for entity in entities if entity.entity_type == entity_type)
