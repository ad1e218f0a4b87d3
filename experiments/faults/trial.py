"""One set asked with faults at one rate, with the breaker and without."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import dspy

from data.contracts import Playlist, Reply
from data.trust import Trip
from experiments.faults.injector import Injector, Strike, Struck
from experiments.faults.kinds import CONTRADICTORY, DROPPED, INVENTED, OFF_TOPIC, WRONG_ENTITY
from program.graph import Melo
from program.index.protocol import CatalogIndex
from program.lm.backbones import Backbone
from program.settings import BreakerSettings, Settings
from program.trust.breaker.breaker import Breaker
from program.trust.guards import clean_request

Resolver = Callable[[str], Backbone]
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Clean:
    """A request's answer without faults. kinds: the faults that it could be struck by."""

    playlist: Playlist
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of a request.

    Attributes:
        strikes: faults that were put in. trips: what the breaker stopped.
        spoilt: the answer is not the one without faults, in status, tracks, words or ledger.
        crashed: there is no answer. to_people: the breaker sent it to the review queue.
    """

    strikes: tuple[Strike, ...]
    trips: tuple[Trip, ...]
    spoilt: bool
    crashed: bool
    to_people: bool

    @property
    def right_trips(self) -> int:
        """Trips of an output that a fault was put into."""
        struck = {strike.node for strike in self.strikes}
        return sum(trip.node in struck for trip in self.trips)


class Trial:
    """Asks the requests of a set.

    Args:
        settings: the breaker's are replaced for the variants; a cold start is taken to be over.
    """

    def __init__(self, texts: Sequence[str], index: CatalogIndex, settings: Settings, resolver: Resolver, seed: int) -> None:
        self._texts, self._index, self._resolver, self._seed = texts, index, resolver, seed
        warm = settings.breaker.model_copy(update={"cold_start": 0, "enabled": True})
        self._settings = settings.model_copy(update={"breaker": warm})
        self._clean: dict[str, Clean] = {}

    def clean(self, told: Told) -> Mapping[str, Clean]:
        """The answers without faults and without a breaker; asked once."""
        if not self._clean:
            program = self._program(BreakerSettings.none())
            for done, text in enumerate(self._texts, 1):
                found = program(request=text)
                self._clean[text] = Clean(found.playlist, _kinds(found))
                told(done, len(self._texts))
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
        spoilt = playlist is None or _shown(playlist) != _shown(self._clean[text].playlist)
        return Outcome(tuple(program.injector.strikes), trips, spoilt, playlist is None, handed)

    def _program(self, breaker: BreakerSettings, keeper: Breaker | None = None) -> Melo:
        settings = self._settings.model_copy(update={"breaker": breaker})
        return Melo(self._index, settings, backbones=self._resolver, breaker=keeper)


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
