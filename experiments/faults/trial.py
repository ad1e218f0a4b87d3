"""One set asked with faults at one rate, with the breaker and without."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import dspy

from data.contracts import Playlist, Reply
from data.labelled import LabelledRow
from data.trust import Trip
from experiments.faults.calibrating import read_right
from experiments.faults.injector import Injector, Strike, Struck
from experiments.faults.kinds import CONTRADICTORY, DROPPED, INVENTED, OFF_TOPIC, WRONG_ENTITY
from experiments.labelled_run import KeptArtifacts
from optimizers.judge import Judge
from optimizers.records import record_of
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone
from program.settings import BreakerSettings, LMSettings, Settings
from program.trust.breaker.breaker import Breaker
from program.trust.guards import clean_request

Resolver = Callable[[str], Backbone]
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Clean:
    """A request's answer without faults.

    Attributes:
        by_code: the answer that code alone gives. kinds: the faults that it could be struck by.
        misread: by its label it is read wrongly, also without a fault.
    """

    playlist: Playlist
    by_code: Playlist
    kinds: tuple[str, ...]
    misread: bool


@dataclass(frozen=True)
class Outcome:
    """What became of a request.

    Attributes:
        strikes: faults that were put in. trips: what the breaker stopped.
        spoilt: the answer is neither the one without faults nor that of code alone, in status, tracks, words or ledger.
        crashed: there is no answer. to_people: the breaker sent it to the review queue.
        misread: by its label the request is read wrongly without any fault.
    """

    strikes: tuple[Strike, ...]
    trips: tuple[Trip, ...]
    spoilt: bool
    crashed: bool
    to_people: bool
    misread: bool

    @property
    def right_trips(self) -> int:
        """Trips of an output that a fault was put into."""
        struck = {strike.node for strike in self.strikes}
        return sum(trip.node in struck for trip in self.trips)

    @property
    def deserved_trips(self) -> int:
        """The same, and those of a reading that is wrong by the label."""
        return self.right_trips + sum(self.misread and not self.strikes and trip.node == "understand" for trip in self.trips)


class Trial:
    """Asks the requests of a set.

    Args:
        settings: the breaker's are replaced for the variants; a cold start is taken to be over, and nothing cools down: requests
            follow each other faster than people's.
    """

    def __init__(
        self, rows: Sequence[LabelledRow], index: CatalogIndex, settings: Settings, resolver: Resolver, seed: int
    ) -> None:
        self._rows, self._texts = rows, [row.request for row in rows]
        self._index, self._resolver, self._seed = index, resolver, seed
        warm = settings.breaker.model_copy(update={"cold_start": 0, "enabled": True, "cool_down_s": 0.0})
        self._settings = settings.model_copy(update={"breaker": warm})
        self._clean: dict[str, Clean] = {}

    def clean(self, told: Told) -> Mapping[str, Clean]:
        """The answers without faults and without a breaker; asked once."""
        if not self._clean:
            kept, judge = KeptArtifacts(), Judge(self._index)
            program, plain = self._program(BreakerSettings.none(), store=kept), self._plain()
            for done, row in enumerate(self._rows, 1):
                found = program(request=row.request)
                scores = judge.score(row, record_of(found, kept.artifacts, self._index))
                self._clean[row.request] = Clean(
                    found.playlist, plain(request=row.request).playlist, _kinds(found), not read_right(scores)
                )  # fmt: skip
                told(done, len(self._rows))
        return self._clean

    def struck(self, rate: float, draw: int) -> dict[str, str]:
        """Request → fault, for a share of the requests that can have one. draw: which of several drawings."""
        rng = random.Random(f"{self._seed}-{rate}-{draw}")
        able = [text for text, one in self._clean.items() if one.kinds]
        chosen = rng.sample(able, round(rate * len(able)))
        return {text: rng.choice(self._clean[text].kinds) for text in chosen}

    def run(self, rate: float, draw: int, *, breaker: bool, told: Told) -> list[Outcome]:
        """Every request once, in order."""
        settings = self._settings.breaker if breaker else BreakerSettings.none()
        keeper = Breaker(settings)
        replies = [Reply(title=one.playlist.title, description=one.playlist.description)
                   for one in self._clean.values() if one.playlist.description]  # fmt: skip
        asked = {clean_request(text, self._settings.request): kind for text, kind in self.struck(rate, draw).items()}
        injector = Injector(asked, rate, self._seed + draw, replies)
        program = Struck(self._program(settings, keeper), injector)
        outcomes = []
        for done, text in enumerate(self._texts, 1):
            outcomes.append(self._outcome(text, program, keeper))
            told(done, len(self._texts))
        return outcomes

    def _outcome(self, text: str, program: Struck, keeper: Breaker) -> Outcome:
        before = len(keeper.log.trips())
        try:
            playlist: Playlist | None = program(request=text).playlist
        except Exception:  # noqa: BLE001 - a program that a fault breaks is what is measured
            playlist = None
        trips = tuple(keeper.log.trips()[before:])
        handed = playlist is not None and playlist.handover is not None and playlist.handover.reason == "low_confidence"
        known = self._clean[text]
        spoilt = playlist is None or _shown(playlist) not in (_shown(known.playlist), _shown(known.by_code))
        return Outcome(tuple(program.injector.strikes), trips, spoilt, playlist is None, handed, known.misread)

    def _plain(self) -> Melo:
        settings = self._settings.model_copy(update={"breaker": BreakerSettings.none(), "lm": LMSettings()})
        return Melo(self._index, settings)

    def _program(self, breaker: BreakerSettings, keeper: Breaker | None = None, store: KeptArtifacts | None = None) -> Melo:
        settings = self._settings.model_copy(update={"breaker": breaker})
        return Melo(self._index, settings, store=store, backbones=self._resolver, breaker=keeper)


def _kinds(found: dspy.Prediction) -> tuple[str, ...]:
    """Faults that can strike a session that went as this one did."""
    intent, playlist = found.intent, found.playlist
    kinds = []
    if intent is not None and intent.entities:
        kinds.append(WRONG_ENTITY)
    if intent is not None and intent.constraints:
        kinds.append(DROPPED)
    if playlist.tracks:
        kinds += [INVENTED, CONTRADICTORY]
    if playlist.description:
        kinds.append(OFF_TOPIC)
    return tuple(kinds)


def _shown(playlist: Playlist) -> tuple[object, ...]:
    """What a listener gets."""
    ledger = [(entry.facet, entry.state, entry.to) for entry in playlist.ledger]
    tracks = [(track.track_id, track.title) for track in playlist.tracks]
    return playlist.status, playlist.title, playlist.description, playlist.message, tracks, ledger
