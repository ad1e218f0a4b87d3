"""A small vocabulary, and one way to read a source with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from data.catalog.importers import Rejects, read_catalog
from data.catalog.schema import Artist, Track
from data.vocab.loader import Concept, Vocabulary

Read = Callable[..., tuple[list[Artist], list[Track], Rejects]]

_WORDS = {
    "genre": {"rock": ["Rock music", "摇滚"], "hip-hop": ["rap"], "synth-pop": ["electro pop"]},
    "mood": {"happy": ["joyful"], "dark": []},
    "activity": {"workout": ["gym"]},
    "instrument": {"piano": ["keys"]},
    "region": {"CN": ["中国"], "nordic": ["nordic countries"]},
    "language": {"zh": ["国语"], "mnk": ["Mandinka"]},
    "vocal": {"female": ["女声"]},
}


@pytest.fixture(scope="session")
def vocabularies() -> dict[str, Vocabulary]:
    """A few concepts a facet."""
    made = {}
    for facet, table in _WORDS.items():
        concepts = {name: Concept(facet, name, name, (), (), (name, *more), {}) for name, more in table.items()}
        made[facet] = Vocabulary(facet, concepts)
    return made


@pytest.fixture
def read(vocabularies: dict[str, Vocabulary]) -> Read:
    """Reads a whole source: its artists, its tracks, its rejects."""

    def read_source(
        source: Path, *, format: str | None = None, rejects: Rejects | None = None
    ) -> tuple[list[Artist], list[Track], Rejects]:
        taken = rejects or Rejects()
        records = list(read_catalog(source, format=format, rejects=taken, vocabularies=vocabularies))
        artists = [record for record in records if isinstance(record, Artist)]
        tracks = [record for record in records if isinstance(record, Track)]
        assert records == [*artists, *tracks], "artists come before tracks"
        return artists, tracks, taken

    return read_source
