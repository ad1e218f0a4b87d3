"""Faults at several rates: what the breaker stops, what it stops wrongly, what still reaches the answer."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from experiments.bench.machine import machine, versions
from experiments.faults.kinds import CONTRADICTORY, DROPPED, INVENTED, OFF_TOPIC, WRONG_ENTITY
from experiments.faults.trial import Outcome, Trial
from experiments.labelled_run import rows_of
from experiments.lm_cache import Tally
from experiments.replays import replayed
from experiments.report import About, Block, Cell, Column, Line, Table
from experiments.stats import Numbers
from experiments.tables.base import Setup, source_code
from program.index.protocol import CatalogIndex

NAME = "faults"
RATES = (0.05, 0.2, 0.5)
KINDS = {
    WRONG_ENTITY: "wrong entity",
    DROPPED: "dropped constraint",
    INVENTED: "invented id",
    CONTRADICTORY: "contradictory verdict",
    OFF_TOPIC: "off-topic text",
}
NOTES = (
    "A fault spoils the output of one node of so many requests, and with the same probability that of a retry; the way by code"
    " alone is not spoilt. The other guards are on in both variants. A spoilt answer is neither the one without faults nor that"
    " of code alone, in status, tracks, words or ledger. A trip is right where a fault was put into the output that was stopped;"
    " the column beside it counts those too that stop a reading which is wrong by the request's label, with no fault put in.",
    "The cold start is over for every node. Source (another system): precision 62 to 89 %, false trips 23 to 7 %.",
)
Draws = list[list[Outcome]]
"""Outcomes by drawing, then request."""
Pair = Callable[[Outcome], tuple[float, float]]


class FaultsTable:
    """Asks a set with faults.

    Args:
        rates: shares of requests that are struck.
    """

    def __init__(self, name: str, split: str, index: CatalogIndex, setup: Setup, rates: Sequence[float] = RATES) -> None:
        self._name, self._split, self._index, self._setup, self._rates = name, split, index, setup, rates
        self._rows = list({row.request: row for row in rows_of(name, split)}.values())

    def table(self) -> Table:
        """Ask and reckon."""
        with self._setup.store() as store:
            resolver = replayed(0, 0.0, store, Tally())
            trial = Trial(self._rows, self._index, self._setup.settings, resolver, self._setup.drawn.seed)
            trial.clean(self._told("without faults"))
            without = {rate: self._asked(trial, rate, breaker=False) for rate in self._rates}
            with_it = {rate: self._asked(trial, rate, breaker=True) for rate in self._rates}
        return Table(
            name=NAME, title=f"Injected faults and the breaker ({self._name}, {self._split})",
            blocks=(self._stopped(with_it), self._reached(without, with_it), self._by_kind(without, with_it)), notes=NOTES,
            details={"false_trips": _false_trips(with_it)}, about=self._about(),
        )  # fmt: skip

    def _asked(self, trial: Trial, rate: float, *, breaker: bool) -> Draws:
        words = f"{rate:.0%} {'with' if breaker else 'without'} breaker"
        return [trial.run(rate, draw, breaker=breaker, told=self._told(words)) for draw in range(self._setup.runs)]

    def _told(self, words: str) -> Callable[[int, int], None]:
        return lambda done, total: self._setup.progress(words, done, total)

    def _stopped(self, with_it: dict[float, Draws]) -> Block:
        columns = (
            Column(key="precision", head="right trips of all (%)", unit="share"),
            Column(key="deserved", head="the same, wrong readings by the label counted as right (%)", unit="share"),
            Column(key="false", head="requests without a fault that were stopped (%)", unit="share"),
            Column(key="caught", head="faults that were stopped (%)", unit="share"),
            Column(key="people", head="sent to people (%)", unit="share"),
            Column(key="trips", head="trips", unit="count"),
        )
        lines = [
            Line(name=f"{rate:.0%}", cells={
                "precision": self._figure(draws, lambda one: (one.right_trips, len(one.trips))),
                "deserved": self._figure(draws, lambda one: (one.deserved_trips, len(one.trips))),
                "false": self._figure(draws, lambda one: (not one.strikes and bool(one.trips), not one.strikes)),
                "caught": self._figure(draws, lambda one: (bool(one.right_trips), bool(one.strikes))),
                "people": self._figure(draws, lambda one: (one.to_people, 1)),
                "trips": sum(len(one.trips) for run in draws for one in run),
            })
            for rate, draws in with_it.items()
        ]  # fmt: skip
        return Block(title="What is stopped", first="faults", columns=columns, lines=tuple(lines), plotted="precision")

    def _reached(self, without: dict[float, Draws], with_it: dict[float, Draws]) -> Block:
        columns = (
            Column(key="off", head="spoilt answers without (%)", unit="share"),
            Column(key="on", head="with the breaker (%)", unit="share"),
            Column(key="cut", head="cut (%)", unit="share"),
        )
        lines = []
        for rate in self._rates:
            lines.append(Line(name=f"{rate:.0%}", cells={
                "off": self._figure(without[rate], lambda one: (one.spoilt, 1)),
                "on": self._figure(with_it[rate], lambda one: (one.spoilt, 1)),
                "cut": self._cut(with_it[rate], without[rate]),
            }))  # fmt: skip
        return Block(title="What reaches the answer", first="faults", columns=columns, lines=tuple(lines))

    def _by_kind(self, without: dict[float, Draws], with_it: dict[float, Draws]) -> Block:
        columns = (
            Column(key="caught", head="stopped (%)", unit="share"),
            Column(key="off", head="spoils the answer without (%)", unit="share"),
            Column(key="on", head="with the breaker (%)", unit="share"),
        )
        rate = max(self._rates)
        lines = []
        for kind, words in KINDS.items():
            lines.append(Line(name=words, cells={
                "caught": self._figure(with_it[rate], lambda one, k=kind: (_is(one, k) and bool(one.right_trips), _is(one, k))),
                "off": self._figure(without[rate], lambda one, k=kind: (_is(one, k) and one.spoilt, _is(one, k))),
                "on": self._figure(with_it[rate], lambda one, k=kind: (_is(one, k) and one.spoilt, _is(one, k))),
            }))  # fmt: skip
        return Block(title=f"By fault, at {rate:.0%}", first="fault", columns=columns, lines=tuple(lines))

    def _figure(self, draws: Draws, pair: Callable[..., tuple[float, float]]) -> Cell:
        return self._setup.drawn.figure(np.asarray([[pair(one) for one in run] for run in draws], dtype=np.float64))

    def _cut(self, on: Draws, off: Draws) -> Cell:
        block = [[(one.spoilt, other.spoilt) for one, other in zip(a, b, strict=True)] for a, b in zip(on, off, strict=True)]
        return self._setup.drawn.figure(np.asarray(block, dtype=np.float64), _less)

    def _about(self) -> About:
        setup, info = self._setup, self._index.info
        return About(
            command=setup.command, set=self._name, split=self._split, requests=len(self._rows), runs=setup.runs, temperature=0.0,
            seed=setup.drawn.seed, draws=setup.drawn.draws, backbone=setup.backbone, settings={"full": setup.settings.hash()},
            catalog=info.content_hash[:16], catalog_tracks=info.tracks, code=source_code(), versions=versions(),
            machine=machine(), date=datetime.date.today().isoformat(),
        )  # fmt: skip


def _is(outcome: Outcome, kind: str) -> bool:
    return any(strike.kind == kind for strike in outcome.strikes)


def _less(sums: Numbers) -> Numbers:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - sums[..., 0] / sums[..., 1])


def _false_trips(with_it: dict[float, Draws]) -> list[dict[str, Any]]:
    """What was stopped without a fault, without the request's words."""
    return [
        {"rate": rate, "node": trip.node, "cause": trip.cause, "final": trip.final, "threshold": trip.threshold,
         "outcome": trip.outcome}
        for rate, draws in with_it.items() for run in draws for one in run if len(one.trips) > one.right_trips
        for trip in one.trips if trip.node not in {strike.node for strike in one.strikes}
    ]  # fmt: skip
