"""Scores answers against one catalog: knows how many tracks of it are right for each row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from data.labelled import LabelledRow
from data.sets.census import Census
from optimizers.metrics import RowScores, score
from optimizers.records import AnswerRecord
from program.index.protocol import CatalogIndex


class Judge:
    """Grades of a catalog's playable tracks; the catalog is read once, at the first score."""

    def __init__(self, index: CatalogIndex) -> None:
        self._index = index
        self._ideal: dict[str, Mapping[int, int]] = {}

    @cached_property
    def _census(self) -> Census:
        info = self._index.info
        tracks = (self._index.track(row).track for row in range(info.tracks))
        artists = (self._index.artist(row).artist for row in range(info.artists))
        return Census(artists, (track for track in tracks if track.playable))

    def ideal(self, row: LabelledRow) -> Mapping[int, int]:
        """Grade (1 to 3) → playable tracks that are worth exactly that."""
        if row.qid not in self._ideal:
            self._ideal[row.qid] = self._census.grade_counts(row)
        return self._ideal[row.qid]

    def score(self, row: LabelledRow, record: AnswerRecord) -> RowScores:
        """All scores of one answer."""
        return score(row, record, self.ideal(row))
