"""Scores what is retrieved for the turns of CPCD: does the answer hold what the listener liked.

Every turn is asked by itself, as a request without the dialogue before it. `hit_at_k` is the share of turns with a liked track
among the first k, `recall_at_100` the mean share of a turn's liked tracks among the first hundred. Turns of one dialogue are
not independent, so intervals come from resampling dialogues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from data.catalog.schema import Track
from experiments.bench.machine import versions
from experiments.external.bm25 import BM25
from experiments.external.cpcd import Dialogue
from experiments.external.evaluation import MELO, Progress
from experiments.external.report import Evaluation
from experiments.external.scoring import Metric, metric
from experiments.stats import DRAWS, Numbers, Statistic, bootstrap_all
from program.graph import MOST_TRACKS, Melo
from program.index.protocol import CatalogIndex
from program.settings import Settings

BASELINE = "bm25"
FIGURES = ("hit_at_10", "hit_at_20", "recall_at_100")
Search = Callable[[str], list[str]]


def systems(index: CatalogIndex, tracks: Sequence[Track], settings: Settings) -> dict[str, Search]:
    """Melo and the baseline over the same pool; each returns up to 100 track ids, best first."""
    melo, pool = Melo(index, settings), BM25(tracks)

    def ask(text: str) -> list[str]:
        return [track.track_id for track in melo(request=text, n=MOST_TRACKS).playlist.tracks]

    return {MELO: ask, BASELINE: lambda text: pool.search(text, MOST_TRACKS)}


def judged(found: Sequence[str], liked: frozenset[str]) -> tuple[float, float, float]:
    """The figures of one turn, in the order of `FIGURES`."""
    hits = [track_id in liked for track_id in found]
    return float(any(hits[:10])), float(any(hits[:20])), sum(hits[:100]) / len(liked)


class RetrievalEvaluation:
    """Dialogues with what every system found for their turns.

    Attributes:
        found: by system, Melo first: a list of track ids a turn.
    """

    name = "cpcd"

    def __init__(self, split: str, dialogues: Sequence[Dialogue]) -> None:
        self.split = split
        self.dialogues = dialogues
        self.turns = [(place, turn) for place, dialogue in enumerate(dialogues) for turn in dialogue.turns]
        self.found: dict[str, list[list[str]]] = {}
        self.seconds = 0.0

    def run(self, asked: Mapping[str, Search], progress: Progress) -> None:
        """Ask every system every turn."""
        for name, search in asked.items():
            started, found = time.monotonic(), list[list[str]]()
            for number, (_, turn) in enumerate(self.turns, 1):
                found.append(search(turn.text))
                progress(name, number, len(self.turns))
            self.found[name] = found
            if name == MELO:
                self.seconds = time.monotonic() - started

    def evaluation(self, index: CatalogIndex, settings: Settings, *, limit: int | None, seed: int) -> Evaluation:
        """The scores with their intervals."""
        table = np.concatenate([self._table(found) for found in self.found.values()], axis=1)
        width, names = len(FIGURES) + 1, list(self.found)
        statistics: dict[str, Statistic] = {}
        for number, figure in enumerate(FIGURES):
            for place, name in enumerate(names):
                mean = _mean(place * width + number, place * width + width - 1)
                statistics[f"{name} {figure}"] = mean
                statistics[f"- {name} {figure}"] = _ahead(_mean(number, width - 1), mean)
        scored = {name: metric(estimate) for name, estimate in bootstrap_all(table, statistics, seed=seed).items()}

        def of(system: str) -> dict[str, Metric]:
            return {figure: scored[f"{system} {figure}"] for figure in FIGURES}

        others = names[1:]
        return Evaluation(
            split=self.split, metrics=of(MELO), baselines={name: of(name) for name in others},
            differences={name: of(f"- {name}") for name in others},
            set=self.name, unit="dialogues", requests=len(self.turns), lm=settings.lm.name, limit=limit, seed=seed,
            draws=DRAWS, settings_hash=settings.hash(), catalog_hash=index.info.content_hash[:16],
            catalog_tracks=index.info.tracks, versions=versions(),
            ms_per_request=round(1000 * self.seconds / len(self.turns), 2),
        )  # fmt: skip

    def rows(self) -> list[dict[str, object]]:
        """A row a turn for `--out`: its place, the liked ids, and Melo's first hundred."""
        return [
            {
                "split": self.split,
                "index": self.dialogues[place].index,
                "turn": turn.index,
                "gold": sorted(turn.liked),
                "pred": ids,
            }
            for (place, turn), ids in zip(self.turns, self.found[MELO], strict=True)
        ]

    def _table(self, found: Sequence[Sequence[str]]) -> Numbers:
        """Sums of the figures and the number of turns, a row a dialogue."""
        table = np.zeros((len(self.dialogues), len(FIGURES) + 1))
        for (place, turn), ids in zip(self.turns, found, strict=True):
            table[place] += (*judged(ids, turn.liked), 1.0)
        return table


def _mean(amount: int, weight: int) -> Statistic:
    return lambda sums: np.asarray(sums[..., amount] / sums[..., weight])


def _ahead(first: Statistic, second: Statistic) -> Statistic:
    return lambda sums: first(sums) - second(sums)
