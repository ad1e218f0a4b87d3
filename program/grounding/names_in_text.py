"""Artists and ids of a catalog in a text that is no request."""

from __future__ import annotations

import re

from program.grounding.lattice import Lattice
from program.grounding.lookup import Mention, look_up
from program.index.protocol import CatalogIndex
from program.settings import GroundingSettings

_MIN_NAME_CHARS = 4
_ID_SIGN = re.compile(r"\d|--")
_AROUND = ".,:;!?()[]{}\"'“”‘’"


def artist_names(text: str, index: CatalogIndex, grounding: GroundingSettings) -> list[str]:
    """The names as they stand in the text, as far as they read as names rather than as words."""
    exact = grounding.model_copy(update={"fuzzy_max_spans": 0})
    lattice = Lattice(look_up(text, index, exact), exact, index)
    return [m.span.surface for m in lattice.lookup.mentions if m.entity_type == "artist" and _reads_as_name(m, lattice)]


def track_ids(text: str, index: CatalogIndex) -> list[str]:
    """Words with a figure or two dashes in them that are ids of tracks: prose names a track by its title."""
    words = {word.strip(_AROUND) for word in text.split() if _ID_SIGN.search(word)}
    return sorted(index.by_ids({*words, *map(str.lower, words)}) if words else ())


def _reads_as_name(mention: Mention, lattice: Lattice) -> bool:
    """Several words that are not all everyday ones; one word only when it is long, capitalised and well known."""
    first, last = mention.span.first, mention.span.last
    if mention.match not in ("exact", "alias") or lattice.is_everyday(first, last) or (first, last) in lattice.facets:
        return False
    if last - first > 1:
        return True
    known = mention.posting.popularity >= lattice.settings.p_hi and len(mention.span.key) >= _MIN_NAME_CHARS
    return known and mention.span.surface[:1].isupper()
