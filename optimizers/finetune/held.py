"""Names of a catalog to put into requests that an adapter learns from."""

from __future__ import annotations

from data.contracts import NameKind
from data.nameforms import base_title
from program.index.protocol import CatalogIndex

_MOST_WORDS = 7
_MOST_NAMES = 20_000


def names_of(index: CatalogIndex) -> dict[NameKind, list[str]]:
    """Artists and titles in Latin letters, each once, in the catalog's order; of a large catalog the first ones."""
    artists: dict[str, None] = {}
    works: dict[str, None] = {}
    for row in range(min(_MOST_NAMES, index.info.tracks)):
        track = index.track(row).track
        works[base_title(track.title)] = None
        artists.update(dict.fromkeys(credit.name for credit in track.artists))
    return {"artist": _usable(artists), "work": _usable(works)}


def _usable(names: dict[str, None]) -> list[str]:
    return [name for name in names if name.isascii() and len(name.split()) <= _MOST_WORDS]
