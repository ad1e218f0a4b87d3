"""Runs the systems over a set of labelled requests and puts the evaluation together."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from experiments.bench.machine import versions
from experiments.external.report import Evaluation, SplitScores
from experiments.external.rows import LabelledRequest
from experiments.external.scoring import SYSTEMS, Answered, System, answer, score
from experiments.external.sets import SpanSet
from experiments.stats import DRAWS
from program.index.protocol import CatalogIndex
from program.settings import Settings

MELO, BY_CODE = "melo", "melo_by_code"
Progress = Callable[[str, int, int | None], None]


def read_requests(chosen: SpanSet, data: Path, split: str, limit: int | None) -> list[LabelledRequest]:
    """The requests of a split, or of each part of a group; of each at most `limit`, the first ones."""
    return [request for part in chosen.parts(split) for request in chosen.read(data, part)[:limit]]


class SpanEvaluation:
    """One set's requests with what every system found in them.

    Attributes:
        answers: by system, in the order of `requests`.
        seconds: that Melo's own readings took.
    """

    def __init__(self, chosen: SpanSet, requests: Sequence[LabelledRequest]) -> None:
        self.chosen = chosen
        self.requests = requests
        self.answers: dict[str, list[Answered]] = {}
        self.seconds = 0.0

    def run(self, index: CatalogIndex, settings: Settings, progress: Progress, reader: System | None = None) -> None:
        """Ask every system every request.

        Args:
            reader: reads in the place of code alone, which then becomes a baseline.
        """
        systems = SYSTEMS if reader is None else {MELO: reader, BY_CODE: SYSTEMS[MELO], **_others()}
        for name, system in systems.items():
            started, found = time.monotonic(), list[Answered]()
            for number, request in enumerate(self.requests, 1):
                found.append(answer(system, request, index, settings, whole=self.chosen.whole_words))
                progress(name, number, len(self.requests))
            self.answers[name] = found
            if name == MELO:
                self.seconds = time.monotonic() - started

    def evaluation(self, split: str, index: CatalogIndex, settings: Settings, *, limit: int | None, seed: int) -> Evaluation:
        """The scores of the whole and of each part."""
        parts = self.chosen.parts(split)
        by_split = tuple(self._scores(part, seed, part) for part in parts) if len(parts) > 1 else ()
        return Evaluation(
            **dict(self._scores(split, seed)),
            set=self.chosen.name, requests=len(self.requests), lm=settings.lm.label,
            by_split=by_split, limit=limit, seed=seed, draws=DRAWS,
            settings_hash=settings.hash(), catalog_hash=index.info.content_hash[:16], catalog_tracks=index.info.tracks,
            versions=versions(), ms_per_request=round(1000 * self.seconds / len(self.requests), 2),
        )  # fmt: skip

    def _scores(self, name: str, seed: int, part: str | None = None) -> SplitScores:
        rows = [row for row, request in enumerate(self.requests) if part is None or request.split == part]
        requests = [self.requests[row] for row in rows]
        answers = {system: [found[row] for row in rows] for system, found in self.answers.items()}
        scored = score(requests, answers, self.chosen.figures, seed)
        baselines = {system: metrics for system, metrics in scored.systems.items() if system != MELO}
        return SplitScores(split=name, metrics=scored.systems[MELO], baselines=baselines, differences=dict(scored.ahead_of))


def _others() -> dict[str, System]:
    """The baselines that are not Melo."""
    return {name: system for name, system in SYSTEMS.items() if name != MELO}
