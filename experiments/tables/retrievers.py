"""Recall by meaning beside recall by Semantic IDs, each asked for a hundred tracks with nothing but the request's words.

Two sources of requests: a labelled set of the project, where tracks have grades, and the dialogues of CPCD, where the tracks
that the listener liked are the right ones. Turns of one dialogue are resampled together.
"""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

import numpy as np

from data.contracts import ToolArgs, ToolName
from data.errors import InputError
from data.grading import grade
from data.labelled import LabelledRow
from experiments.bench.machine import machine, versions
from experiments.external.cpcd import Dialogue
from experiments.figures import Drawn, Figure
from experiments.report import About, Block, Column, Line, Table
from experiments.stats import Numbers
from experiments.tables.base import Setup, source_code
from optimizers.quality import GOOD_GRADE
from program.index.protocol import CatalogIndex
from program.tools.merge import fuse
from program.tools.protocol import ToolContext
from program.tools.registry import TOOLS

_T = TypeVar("_T")
NAME = "retrievers"
SEMANTIC: Final = "semantic_recall"
GENERATIVE: Final = "generative_retriever"
BOTH: Final = "both, merged"
MEASURES = {"recall_20": "recall@20 (%)", "recall_100": "recall@100 (%)", "ndcg_20": "nDCG@20 (%)"}
_TOOLS: tuple[ToolName, ...] = (SEMANTIC, GENERATIVE)
_SYSTEMS = (*_TOOLS, BOTH)
_WEIGHTS = (1.0, 0.7)
_LIMIT, _QUERY_CHARS = 100, 200
NOTES = (
    "Each tool gets the request's own words as its query, and no conditions: this is what the retrievers find by themselves, not"
    " what an answer of Melo holds. Both, merged: reciprocal ranks, as EXECUTE merges them.",
    "recall@k: good tracks (grade 2 or 3; liked ones) among the first k, as a share of those there are, or of k where there are"
    " more. nDCG@20 with gains 2^grade - 1. Requests without a good track in the catalog are left out.",
    "Times are those of a tool's own work; embedding the request is needed once by whoever asks and stands apart.",
)


@dataclass(frozen=True)
class Asked:
    """A request with its right tracks. unit: requests of the same unit are resampled together. gains: track id → grade."""

    unit: int
    text: str
    gains: Mapping[str, int]

    @property
    def good(self) -> frozenset[str]:
        """The tracks that count for recall."""
        return frozenset(track_id for track_id, grade in self.gains.items() if grade >= GOOD_GRADE)


def labelled(rows: Sequence[LabelledRow], index: CatalogIndex) -> list[Asked]:
    """The rows with the grades of every playable track; personal ones are left out."""
    entries = [index.track(row) for row in range(index.info.tracks)]
    tracks = [entry.track for entry in entries if entry.track.playable]
    asked = []
    for number, row in enumerate(rows):
        if row.quality.personal == "none":
            grades = {track.track_id: grade(track, row) for track in tracks}
            asked.append(Asked(number, row.request, {track_id: found for track_id, found in grades.items() if found}))
    return asked


def liked(dialogues: Sequence[Dialogue]) -> list[Asked]:
    """The turns of dialogues; a liked track is worth the highest grade."""
    return [
        Asked(unit, turn.text, dict.fromkeys(turn.liked, 3))
        for unit, dialogue in enumerate(dialogues)
        for turn in dialogue.turns
    ]  # fmt: skip


def judged(found: Sequence[str], asked: Asked) -> tuple[float, float, float]:
    """The measures of one answer, in the order of `MEASURES`, 0..1."""
    good = asked.good
    hits = [track_id in good for track_id in found]
    ideal = _gain(sorted(asked.gains.values(), reverse=True))
    return (
        sum(hits[:20]) / min(20, len(good)),
        sum(hits[:_LIMIT]) / min(_LIMIT, len(good)),
        _gain([asked.gains.get(track_id, 0) for track_id in found]) / ideal,
    )


def _gain(grades: Sequence[int]) -> float:
    return sum((2.0**found - 1) / math.log2(place + 2) for place, found in enumerate(grades[:20]))


@dataclass
class _Found:
    """What the systems did. figures: by system, one row of measures a request. times: milliseconds, by system."""

    figures: dict[str, list[tuple[float, float, float]]] = field(default_factory=lambda: {name: [] for name in _SYSTEMS})
    times: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in (*_TOOLS, "embedding")})


class RetrieversTable:
    """Asks both tools the same requests.

    Raises:
        InputError: the index has no Semantic IDs, or no request has a good track.
    """

    def __init__(self, name: str, split: str, asked: Sequence[Asked], index: CatalogIndex, setup: Setup) -> None:
        if index.semantic_ids is None:
            raise InputError("this index has no Semantic IDs", hint="build it with: melo catalog build … --generative")
        self._name, self._split, self._index, self._setup = name, split, index, setup
        self._asked = [one for one in asked if one.good]
        self._left_out = len(asked) - len(self._asked)
        if not self._asked:
            raise InputError(f"no request of {name} has a good track in this catalog")

    def table(self) -> Table:
        """Ask and reckon."""
        found = self._run()
        blocks = {system: self._block(rows) for system, rows in found.figures.items()}
        drawn, units = self._setup.drawn, len({one.unit for one in self._asked})
        return Table(
            name=NAME, title=f"Recall by meaning and by Semantic IDs ({self._name}, {self._split})",
            blocks=(_figures(blocks, drawn), _differences(blocks, drawn), _times(found.times, drawn)), notes=NOTES,
            details={"left_out": self._left_out, "units": units}, about=self._about(),
        )  # fmt: skip

    def _run(self) -> _Found:
        found = _Found()
        self._index.embed("warm")
        for done, one in enumerate(self._asked, 1):
            args = ToolArgs(query=one.text[:_QUERY_CHARS], limit=_LIMIT)
            _timed(found.times["embedding"], partial(self._index.embed, args.query))
            lists: list[list[str]] = []
            for tool in _TOOLS:
                context = ToolContext(self._index, self._setup.settings.execute)
                lists.append(_timed(found.times[tool], partial(TOOLS[tool].run, args, context)))
                found.figures[tool].append(judged(lists[-1], one))
            routes = [(tool, weight, ids) for tool, weight, ids in zip(_TOOLS, _WEIGHTS, lists, strict=True)]
            merged = fuse(routes, self._setup.settings.execute.rank_constant)
            found.figures[BOTH].append(judged(sorted(merged, key=lambda name: (-merged[name][0], name)), one))
            self._setup.progress("requests", done, len(self._asked))
        return found

    def _block(self, rows: Sequence[tuple[float, float, float]]) -> Numbers:
        """Sums of the measures and the number of requests of each unit, shape (1, units, measures + 1)."""
        units = sorted({one.unit for one in self._asked})
        table = np.zeros((1, len(units), len(MEASURES) + 1))
        for one, row in zip(self._asked, rows, strict=True):
            table[0, units.index(one.unit)] += (*row, 1.0)
        return table

    def _about(self) -> About:
        setup, info = self._setup, self._index.info
        return About(
            command=setup.command, set=self._name, split=self._split, requests=len(self._asked), runs=1, temperature=0.0,
            seed=setup.drawn.seed, draws=setup.drawn.draws, backbone=setup.backbone, settings={"full": setup.settings.hash()},
            catalog=info.content_hash[:16], catalog_tracks=info.tracks, code=source_code(), versions=versions(),
            machine=machine(), date=datetime.date.today().isoformat(),
        )  # fmt: skip


def _timed(times: list[float], work: Callable[[], _T]) -> _T:
    begun = time.perf_counter()
    done = work()
    times.append((time.perf_counter() - begun) * 1000)
    return done


def _mean_of(blocks: Mapping[str, Numbers], system: str, measure: int) -> Numbers:
    return blocks[system][:, :, [measure, len(MEASURES)]]


def _figures(blocks: Mapping[str, Numbers], drawn: Drawn) -> Block:
    lines = []
    for system in blocks:
        cells = {key: drawn.figure(_mean_of(blocks, system, number)) for number, key in enumerate(MEASURES)}
        lines.append(Line(name=system, cells=cells))
    return Block(title="What is found", first="retriever", columns=_columns("share"), lines=tuple(lines), plotted="ndcg_20")


def _differences(blocks: Mapping[str, Numbers], drawn: Drawn) -> Block:
    """Paired, in percentage points."""
    lines = []
    for system in (GENERATIVE, BOTH):
        cells = {
            key: drawn.difference(_mean_of(blocks, system, number), _mean_of(blocks, SEMANTIC, number))
            for number, key in enumerate(MEASURES)
        }
        lines.append(Line(name=f"{system} - {SEMANTIC}", cells=cells))
    return Block(title="Differences on the same requests", first="", columns=_columns("points"), lines=tuple(lines))


def _columns(unit: str) -> tuple[Column, ...]:
    return tuple(Column.model_validate({"key": key, "head": head, "unit": unit}) for key, head in MEASURES.items())


def _times(times: Mapping[str, list[float]], drawn: Drawn) -> Block:
    def cells(values: list[float]) -> Iterator[tuple[str, Figure]]:
        yield from ((key, drawn.quantile([values], level)) for key, level in (("p50", 0.5), ("p99", 0.99)))

    lines = tuple(Line(name=name, cells=dict(cells(values))) for name, values in times.items())
    columns = (Column(key="p50", head="P50 (ms)", unit="ms"), Column(key="p99", head="P99 (ms)", unit="ms"))
    return Block(title="Time of a call", first="", columns=columns, lines=lines)
