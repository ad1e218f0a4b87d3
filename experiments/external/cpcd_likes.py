"""CPCD with likes: every turn is asked by a listener who is known by the likes and dislikes of the earlier turns.

What a turn itself liked is never given; the request stays the turn's own words. Three systems on the same turns: Melo with the
listener, Melo without, and Melo without whose answer leaves out what was judged in earlier turns, since no track is liked
twice in a dialogue. Intervals come from resampling dialogues, differences are paired.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from data.catalog.importers.rejects import Rejects
from data.users.reader import read_events
from data.users.schema import Event, LooseEvent
from experiments.bench.machine import versions
from experiments.external.cpcd import Dialogue
from experiments.external.evaluation import MELO, Progress
from experiments.external.report import Evaluation
from experiments.external.retrieval import FIGURES, judged
from experiments.external.rows import sibling
from experiments.external.scoring import Metric, metric
from experiments.stats import DRAWS, Numbers, Statistic, bootstrap_all
from program.graph import MOST_TRACKS, Melo
from program.index.protocol import CatalogIndex
from program.settings import Settings
from program.users.listener import Listener, listener_of

WITHOUT, LEFT_OUT = "without_likes", "judged_left_out"
Judged = Mapping[int, Sequence[Event]]
"""By dialogue (0-based line of the file): its likes and dislikes in the order of the turns."""


def judgements(data: Path, split: str) -> Judged:
    """Every like and dislike of a split, by dialogue.

    Raises:
        LabelError: the file is missing.
    """
    name = f"dialogs.{split}.jsonl"
    found: dict[int, list[Event]] = defaultdict(list)
    for loose in read_events(sibling(data, "cpcd", name) / name, "cpcd", Rejects()):
        found[loose.row - 1].append(_known(loose))
    return found


def _known(loose: LooseEvent) -> Event:
    event = loose.event
    return Event(loose.track_id, event.kind, event.at, event.count, event.request, event.session, event.turn)


def listener_before(turn: int, events: Sequence[Event], index: CatalogIndex) -> Listener:
    """The listener as known when a turn begins: the events of earlier turns, the last ones first."""
    before = sorted((event for event in events if event.turn < turn), key=lambda event: -event.turn)
    return listener_of("cpcd", before, index, now=0.0)


class LikesEvaluation:
    """Dialogues with what each system found for their turns.

    Attributes:
        found: by system: a list of track ids a turn.
    """

    def __init__(self, split: str, dialogues: Sequence[Dialogue], judged_before: Judged) -> None:
        self.split = split
        self.dialogues = dialogues
        self.judged_before = judged_before
        self.turns = [(place, turn) for place, dialogue in enumerate(dialogues) for turn in dialogue.turns]
        self.found: dict[str, list[list[str]]] = {MELO: [], WITHOUT: [], LEFT_OUT: []}
        self.seconds = 0.0

    def run(self, index: CatalogIndex, settings: Settings, progress: Progress) -> None:
        """Ask every turn with and without the listener."""
        melo = Melo(index, settings)
        for number, (place, turn) in enumerate(self.turns, 1):
            listener = listener_before(turn.index, self.judged_before[self.dialogues[place].index], index)
            plain = _ids(melo, turn.text, None)
            started = time.monotonic()
            known = _ids(melo, turn.text, listener) if listener.taste else plain
            self.seconds += time.monotonic() - started
            self.found[WITHOUT].append(plain)
            self.found[LEFT_OUT].append([name for name in plain if name not in listener.known])
            self.found[MELO].append([name for name in known if name not in listener.known])
            progress("turns", number, len(self.turns))

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
            set="cpcd with likes", unit="dialogues", requests=len(self.turns), lm=settings.lm.name, limit=limit, seed=seed,
            draws=DRAWS, settings_hash=settings.hash(), catalog_hash=index.info.content_hash[:16],
            catalog_tracks=index.info.tracks, versions=versions(),
            ms_per_request=round(1000 * self.seconds / len(self.turns), 2),
        )  # fmt: skip

    def rows(self) -> list[dict[str, object]]:
        """A row a turn for `--out`: its place, the liked ids, and Melo's first hundred with the listener."""
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
        table = np.zeros((len(self.dialogues), len(FIGURES) + 1))
        for (place, turn), ids in zip(self.turns, found, strict=True):
            table[place] += (*judged(ids, turn.liked), 1.0)
        return table


def _ids(melo: Melo, text: str, listener: Listener | None) -> list[str]:
    playlist = melo(request=text, n=MOST_TRACKS, listener=listener).playlist
    return [track.track_id for track in playlist.tracks]


def _mean(amount: int, weight: int) -> Statistic:
    return lambda sums: np.asarray(sums[..., amount] / sums[..., weight])


def _ahead(first: Statistic, second: Statistic) -> Statistic:
    return lambda sums: first(sums) - second(sums)
