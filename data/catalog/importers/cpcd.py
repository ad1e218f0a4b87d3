"""The track list of the Conversational Playlist Curation Dataset (`tracks.jsonl`): id, title, artist names, album.

Source: github.com/google-research-datasets/cpcd (CC BY 4.0).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from data.catalog.importers import jsonl
from data.catalog.importers.streams import Part, SourceRow
from data.errors import RowError

FIELDS = frozenset({"track_id", "title", "artists", "album"})


def is_cpcd(row: dict[str, Any] | None) -> bool:
    """Whether a first row has exactly the fields of CPCD, with the artists as a list of names."""
    if row is None or row.keys() != FIELDS or not isinstance(row["artists"], list):
        return False
    return all(isinstance(name, str) for name in row["artists"])


def rows(path: Path) -> Iterator[SourceRow]:
    """The tracks. One by a karaoke label is marked `karaoke`: many of their titles do not say so."""
    for number, values in jsonl.rows(path):
        if isinstance(values, RowError):
            yield number, values
            continue
        kept = {field: values.get(field) for field in FIELDS}
        names = kept["artists"]
        if isinstance(names, list) and any("karaoke" in str(name).casefold() for name in names):
            kept["version"] = "karaoke"
        yield number, kept


def parts(path: Path) -> list[Part]:
    """One pass."""
    return [Part(path.name, "track", lambda: rows(path))]
