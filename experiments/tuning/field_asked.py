"""Field rows as rows of an objective: whether each answer is right. Their catalogs' indexes are built once and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data import names
from data.catalog import schema
from experiments.bench.machine import content
from experiments.external import field_catalog
from experiments.external.field_catalog import FieldCatalog, Shelf
from experiments.external.field_checks import answer_faults
from experiments.external.field_rows import FieldRow
from optimizers.objective import Table
from program.graph import Melo
from program.index.build import build_index
from program.index.embedder import TextEmbedder, packaged_embedder
from program.index.engine import EmbeddedIndex
from program.index.layout import FORMAT_VERSION
from program.index.protocol import Vector
from program.lm.environment import user_cache
from program.settings import LMSettings, Settings

Progress = Callable[[str, int, int | None], None]
_RECIPE = [Path(str(module.__file__)) for module in (names, schema, field_catalog)]


@dataclass(frozen=True)
class ShelvedRow:
    """A row with its catalog and the index of that."""

    row: FieldRow
    shelf: Shelf
    index: Path


class RememberingEmbedder:
    """Embeds each text once: the rows' catalogs share most of theirs."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    def embed(self, texts: list[str]) -> Vector:
        """As the embedder that was given."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else self._embedder.embed([])


def field_embedder() -> RememberingEmbedder:
    """The packaged embedder, remembering."""
    return RememberingEmbedder(packaged_embedder())


def shelved(rows: Sequence[FieldRow], common: FieldCatalog, embedder: TextEmbedder, progress: Progress) -> tuple[ShelvedRow, ...]:
    """Every row with its index, built in the user's cache where it is not there yet."""
    folder = user_cache() / "catalogs" / f"field-{FORMAT_VERSION}-{content(_RECIPE)[:12]}"
    found = []
    for number, row in enumerate(rows):
        progress("catalogs of the rows", number, len(rows))
        shelf = Shelf.of(row.catalog, None if row.bare else common)
        path = folder / _name(shelf)
        if not (path / "manifest.json").is_file():
            build_index([*shelf.artists, *shelf.tracks], path, embedder=embedder)
        found.append(ShelvedRow(row, shelf, path))
    return tuple(found)


def _name(shelf: Shelf) -> str:
    digest = hashlib.sha256()
    for record in (*shelf.artists, *shelf.tracks):
        digest.update(record.model_dump_json().encode() + b"\n")
    return digest.hexdigest()[:16]


class FieldRows:
    """Asks rows under settings, without a language model."""

    def __init__(self, rows: Sequence[ShelvedRow], embedder: TextEmbedder) -> None:
        self._rows = tuple(rows)
        self._embedder = embedder

    def right(self, settings: Settings) -> Table:
        """(1 right or 0 wrong, 1) of each row; shape (rows, 2)."""
        settings = settings.model_copy(update={"lm": LMSettings()})
        values = [self._is_right(row, settings) for row in self._rows]
        return np.array([[float(value), 1.0] for value in values])

    def _is_right(self, shelved_row: ShelvedRow, settings: Settings) -> bool:
        row = shelved_row.row
        with closing(EmbeddedIndex(shelved_row.index, embedder=self._embedder)) as index:
            prediction = Melo(index, settings)(request=row.request)
        return not answer_faults(row.want, shelved_row.shelf, prediction.playlist, prediction.intent)
