"""Scores systems that find named spans on a set of labelled requests: every figure with its interval, paired differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import BaseModel, ConfigDict

from data.contracts import EntityType
from experiments.external.longest import longest_matches
from experiments.external.reading import FoundSpan, read_spans, whole_words
from experiments.external.rows import LabelledRequest
from experiments.stats import Estimate, Statistic, bootstrap_all
from optimizers.spans import Counts, NamedSpan, f1, precision, recall, tallies
from program.index.protocol import CatalogIndex
from program.settings import Settings

System = Callable[[str, CatalogIndex, Settings], tuple[FoundSpan, ...]]
SYSTEMS: Mapping[str, System] = {"melo": read_spans, "longest_match": longest_matches}
"""Melo first, then the baselines."""

_NAMED: Mapping[str, str] = {"artist": "Artist", "track": "WoA", "album": "WoA"}
_COUNTS = 3
RUNS = 1
"""Without a language model every run gives the same."""


class Metric(BaseModel):
    """A figure with its 95 % interval over n requests and the number of runs that it is the mean of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float
    lo: float
    hi: float
    n: int
    runs: int = RUNS


@dataclass(frozen=True)
class Figure:
    """How one metric is computed.

    Attributes:
        types: the span types that count, None: all. slots: whether track and album are told apart.
    """

    statistic: Statistic
    types: frozenset[str] | None = None
    slots: bool = False


NAME_FIGURES: Mapping[str, Figure] = {
    "micro_f1": Figure(f1),
    "precision": Figure(precision),
    "recall": Figure(recall),
    "artist_f1": Figure(f1, frozenset({"Artist"})),
    "work_f1": Figure(f1, frozenset({"WoA"})),
}
SLOT_FIGURES: Mapping[str, Figure] = {
    **NAME_FIGURES,
    "slot_f1": Figure(f1, slots=True),
    "track_f1": Figure(f1, frozenset({"track"}), slots=True),
    "album_f1": Figure(f1, frozenset({"album"}), slots=True),
}


@dataclass(frozen=True)
class Answered:
    """What one system found in one request; `spans` as they are compared with the gold."""

    found: tuple[FoundSpan, ...]
    spans: tuple[NamedSpan, ...]


def answer(system: System, request: LabelledRequest, index: CatalogIndex, settings: Settings, *, whole: bool) -> Answered:
    """Run a system on one request.

    Args:
        whole: the set labels whole words between spaces.
    """
    found = system(request.text, index, settings)
    texts = [whole_words(request.text, one) if whole else one.text for one in found]
    return Answered(found, tuple(NamedSpan(text=text, type=one.type) for text, one in zip(texts, found, strict=True)))


def table(requests: Sequence[LabelledRequest], answers: Sequence[Answered], figure: Figure) -> Counts:
    """The counts that a figure is computed from, shape (requests, 3)."""
    gold = [[NamedSpan(text=span.text, type=span.type) for span in request.gold] for request in requests]
    found = [answer.spans for answer in answers]
    if not figure.slots:
        return tallies([_coarse(spans) for spans in gold], [_coarse(spans) for spans in found], figure.types)
    return tallies(gold, found, figure.types)


@dataclass(frozen=True)
class Scored:
    """The figures of every system on the same requests, and by how much the first is ahead of each other one (paired)."""

    systems: Mapping[str, dict[str, Metric]]
    ahead_of: Mapping[str, dict[str, Metric]]


def score(
    requests: Sequence[LabelledRequest], answers: Mapping[str, Sequence[Answered]], figures: Mapping[str, Figure], seed: int
) -> Scored:
    """Score the systems, the first of which is compared with the others; all intervals rest on the same draws."""
    tables: list[Counts] = []
    statistics: dict[str, Statistic] = {}
    first, *others = answers
    for name, figure in figures.items():
        columns = {system: (len(tables) + place) * _COUNTS for place, system in enumerate(answers)}
        tables += [table(requests, found, figure) for found in answers.values()]
        statistics |= {f"{system} {name}": _part(figure.statistic, column) for system, column in columns.items()}
        for other in others:
            statistics[f"- {other} {name}"] = _difference(figure.statistic, columns[first], columns[other])
    found = {key: metric(one) for key, one in bootstrap_all(np.concatenate(tables, axis=1), statistics, seed=seed).items()}
    return Scored(
        {system: {name: found[f"{system} {name}"] for name in figures} for system in answers},
        {other: {name: found[f"- {other} {name}"] for name in figures} for other in others},
    )


def _part(statistic: Statistic, column: int) -> Statistic:
    return lambda sums: statistic(sums[..., column : column + _COUNTS])


def _difference(statistic: Statistic, first: int, second: int) -> Statistic:
    one, other = _part(statistic, first), _part(statistic, second)
    return lambda sums: one(sums) - other(sums)


def coarse_type(kind: str) -> str:
    """Artist or WoA: what a slot or an entity type is called where track and album are one."""
    return _NAMED.get(kind, kind)


def entity_type(kind: str) -> EntityType:
    """An entity type for a span type; a work is a track."""
    return "artist" if coarse_type(kind) == "Artist" else "album" if kind == "album" else "track"


def _coarse(spans: Sequence[NamedSpan]) -> list[NamedSpan]:
    return [NamedSpan(text=span.text, type=coarse_type(span.type)) for span in spans]


def metric(estimate: Estimate) -> Metric:
    """An estimate as it is reported, to four decimals."""
    return Metric(value=round(estimate.value, 4), lo=round(estimate.lo, 4), hi=round(estimate.hi, 4), n=estimate.n)
