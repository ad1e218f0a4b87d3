"""Requests with labelled names as rows of an objective: the names that are found, and what the head shortcut is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.external.reading import FoundSpan, spans_of
from experiments.external.rows import LabelledRequest
from experiments.external.scoring import NAME_FIGURES, answer, table
from experiments.external.sets import SpanSet
from optimizers.objective import Table
from program.grounding.readings import understand_by_code
from program.index.protocol import CatalogIndex
from program.nodes.understand import is_clear
from program.settings import Settings

ASKED = 0.5
"""What a request is worth that the shortcut leaves to a language model: half a right answer, for it costs time and may fail
(own choice). So the shortcut pays where more than half of what it answers is right."""


class SpanRows:
    """Reads requests under settings; the last settings' readings are kept, because several parts ask for them."""

    def __init__(self, span_set: SpanSet, requests: Sequence[LabelledRequest], index: CatalogIndex) -> None:
        self._span_set = span_set
        self._requests = tuple(requests)
        self._index = index
        self._last: tuple[str, Table, Table] | None = None

    def names(self, settings: Settings) -> Table:
        """Counts of names for micro F1: (right, wrong, missed); shape (requests, 3)."""
        return self._read(settings)[0]

    def shortcut(self, settings: Settings) -> Table:
        """(worth, 1) of each request: 1 answered by the shortcut and right, 0 answered and wrong, `ASKED` left to the LM."""
        return self._read(settings)[1]

    def _read(self, settings: Settings) -> tuple[Table, Table]:
        key = settings.hash()
        if self._last is None or self._last[0] != key:
            self._last = (key, *self._tables(settings))
        return self._last[1:]

    def _tables(self, settings: Settings) -> tuple[Table, Table]:
        clear: list[bool] = []

        def read(text: str, index: CatalogIndex, chosen: Settings) -> tuple[FoundSpan, ...]:
            known = understand_by_code(text, index, chosen)
            clear.append(is_clear(known, chosen.grounding.shortcut_margin))
            return spans_of(known.best, known.lookup)

        whole = self._span_set.whole_words
        answers = [answer(read, request, self._index, settings, whole=whole) for request in self._requests]
        counts = table(self._requests, answers, NAME_FIGURES["micro_f1"])
        right = counts[:, 1:].sum(axis=1) == 0
        worth = np.where(clear, right, ASKED)
        return counts, np.stack([worth, np.ones_like(worth)], axis=1)
