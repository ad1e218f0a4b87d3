"""Scores Melo on the field rows: requests that real assistants got wrong, each against a small catalog with traps in it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from data.contracts import Intent, Playlist
from experiments.external.field_catalog import FieldCatalog, Shelf
from experiments.external.field_checks import answer_faults
from experiments.external.field_rows import FieldRow, load_common, load_rows
from program.graph import Melo
from program.index.build import build_index
from program.index.embedder import TextEmbedder, packaged_embedder
from program.index.engine import EmbeddedIndex
from program.index.protocol import CatalogIndex
from program.settings import Settings


@dataclass(frozen=True)
class RowResult:
    """How one row came out. faults: what is wrong with the answer, in words; empty when it is right."""

    id: str
    kind: str
    faults: tuple[str, ...]
    playlist: Playlist
    intent: Intent | None

    @property
    def right(self) -> bool:
        """Whether the answer is what the row wants."""
        return not self.faults


class FieldBench:
    """Asks rows under one setting; each distinct catalog is indexed once, in `work`.

    Args:
        common: the tracks that every row's catalog is merged with.
        embedder: for the indexes and the queries.
    """

    def __init__(self, common: FieldCatalog, work: Path, embedder: TextEmbedder) -> None:
        self._common = common
        self._work = work
        self._embedder = embedder
        self._built: dict[Shelf, Path] = {}

    def score(self, row: FieldRow, settings: Settings, program: Callable[[CatalogIndex, Settings], Melo] = Melo) -> RowResult:
        """One row's answer, judged.

        Args:
            program: makes the program that is asked.
        """
        shelf = Shelf.of(row.catalog, None if row.bare else self._common)
        with closing(EmbeddedIndex(self._index(shelf), embedder=self._embedder)) as index:
            prediction = program(index, settings)(request=row.request)
        faults = answer_faults(row.want, shelf, prediction.playlist, prediction.intent)
        return RowResult(row.id, row.kind, faults, prediction.playlist, prediction.intent)

    def _index(self, shelf: Shelf) -> Path:
        if shelf not in self._built:
            path = self._work / f"shelf-{len(self._built)}"
            build_index([*shelf.artists, *shelf.tracks], path, embedder=self._embedder)
            self._built[shelf] = path
        return self._built[shelf]


def score_rows(
    folder: Path, settings: Settings, *, lm: str = "", embedder: TextEmbedder | None = None, rows: Sequence[FieldRow] = ()
) -> list[RowResult]:
    """Every row of a folder, in file order.

    Args:
        lm: backbone for all nodes; empty = what the settings say.
        embedder: the packaged one when None.
        rows: only these.

    Raises:
        LabelError: the folder's files break the format.
    """
    if lm:
        settings = settings.model_copy(update={"lm": settings.lm.model_copy(update={"name": lm})})
    with tempfile.TemporaryDirectory(prefix="melo-field-") as work:
        bench = FieldBench(load_common(folder), Path(work), embedder or packaged_embedder())
        return [bench.score(row, settings) for row in rows or load_rows(folder)]


def by_kind(results: Sequence[RowResult]) -> Mapping[str, tuple[int, int]]:
    """Kind → (rows right, rows), kinds in order of their names, and all of them under `all`."""
    kinds = sorted({result.kind for result in results})
    table = {kind: [result.right for result in results if result.kind == kind] for kind in kinds}
    table["all"] = [result.right for result in results]
    return {kind: (sum(right), len(right)) for kind, right in table.items()}
