"""Programs over the tiny catalog for the tests of faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from data.contracts import Reply
from experiments.faults.injector import Injector, Struck
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import BreakerSettings, Settings
from program.trust.breaker.breaker import Breaker
from tests.tiny import TinyEmbedder

REPLIES = (
    Reply(title="Goals", description="Penalties and referees inside a crowded stadium tonight."),
    Reply(title="Soup", description="Carrots and onions simmer slowly above an open fire."),
)


@contextmanager
def opened(path: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    index = EmbeddedIndex(path, embedder=TinyEmbedder())
    yield index
    index.close()


def without(name: str) -> Backbone:
    """No model."""
    return Backbone("none", None, schema=False, embedded=False)


def struck(index: EmbeddedIndex, kinds: dict[str, str], *, on: bool = False, seed: int = 0, rate: float = 0.0) -> Struck:
    """A program whose requests are struck so, with the breaker or without."""
    breaker = BreakerSettings(cold_start=0) if on else BreakerSettings.none()
    program = Melo(index, Settings(breaker=breaker), backbones=without, breaker=Breaker(breaker, clock=lambda: 0.0))
    return Struck(program, Injector(kinds, rate, seed, REPLIES))


def shown(playlist: Any) -> tuple[object, ...]:
    """What a listener gets."""
    return playlist.status, playlist.title, playlist.description, playlist.tracks, playlist.ledger
