"""Spans that no name answers to as they stand, tried in another spelling: part of L1.

First the usual other spellings of their words (colour/color, IV/4, vier/4). Then errors: a word that nothing in the catalog
explains is replaced by the words of the catalog's names that are near to it (`repair.py`), and what that finds is kept where
it is believable (`believable.py`). What no spelling repairs is tried by its sound. All bounds are settings.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from data.respelling import asked_as, may_be_asked_otherwise
from program.grounding.believable import Believable
from program.grounding.repair import Repair, whole_names
from program.grounding.requested import Request, Respelt, Version, answered
from program.index.protocol import CatalogIndex
from program.settings import GroundingSettings


def respelt(request: Request, index: CatalogIndex, settings: GroundingSettings) -> list[Respelt]:
    """What answers to the spans of a request in another spelling, where nothing answers to them as they stand."""
    found = _in_other_words(request, index)
    if settings.fuzzy_max_spans == 0:
        return found
    request = replace(request, known={**request.known, **{hit.span.key: hit.hits for hit in found}})
    repair = Repair(request, index, settings)
    believable = Believable(request, index)
    spelling = answered(repair.versions() + whole_names(request, index, settings), index)
    found += believable.kept(spelling)
    if settings.phonetic:
        found += believable.kept(answered(repair.versions(by_sound=True, done=found), index))
    return found


def _in_other_words(request: Request, index: CatalogIndex) -> list[Respelt]:
    """Spans in another usual spelling of their words, such as American for British."""
    places = {position for position, token in enumerate(request.tokens) if _may_be_otherwise(token.text)}
    if not places:
        return []
    spans = [
        span for span in request.spans if span.key not in request.known and not places.isdisjoint(range(span.first, span.last))
    ]
    return answered([Version(span, key, 0) for span in spans for key in asked_as(span.surface)], index)


_may_be_otherwise = lru_cache(maxsize=4_096)(may_be_asked_otherwise)
