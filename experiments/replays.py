"""Backbones for replays: a temperature, a seed where the server takes one, and answers remembered by replay."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dspy

from experiments.lm_cache import AnswerStore, Patience, RememberingEngine, Tally
from program.lm.backbones import Backbone, resolve
from program.lm.brains import brain
from program.lm.embedded import PREFIX

REPLAY_TEMPERATURE = 0.3
"""Source: Melo 3.1."""
_CONNECTION = frozenset({"api_key", "api_base", "base_url", "timeout", "model_list", "headers", "extra_headers"})
_BASES = ("API_BASE", "BASE_URL")


def temperature_of(runs: int) -> float:
    """One run is the product as it is; several are to differ."""
    return 0.0 if runs == 1 else REPLAY_TEMPERATURE


def replayed(
    replay: int, temperature: float, store: AnswerStore | None, tally: Tally, patience: Patience | None = None
) -> Callable[[str], Backbone]:
    """A resolver like `program.lm.backbones.resolve` for one replay.

    Args:
        temperature: models that fix their own keep it.
        store: None remembers nothing. tally: is told of every call. patience: waits for limits on the rate of calls.
    """

    def resolve_replayed(name: str) -> Backbone:
        plain = resolve(name)
        if plain.lm is None:
            return plain
        about: dict[str, str | int] = {
            "backbone": plain.name,
            "endpoint": endpoint_of(plain),
            "replay": replay,
            "probabilities": 1,
        }
        engine = RememberingEngine(plain.lm, about, store, tally, None if plain.embedded else patience)
        return replace(plain, lm=_wrapped(plain, engine, temperature, replay))

    return resolve_replayed


def endpoint_of(backbone: Backbone) -> str:
    """What tells two servers of one model name apart: an address, or the weights' hash. Goes into keys only."""
    if backbone.embedded:
        weights = brain(backbone.name.removeprefix(PREFIX)).sha256
        if not backbone.adapter:
            return weights
        return f"{weights}+{hashlib.sha256(Path(backbone.adapter).read_bytes()).hexdigest()}"
    given = backbone.lm.kwargs.get("api_base") or backbone.lm.kwargs.get("base_url") if backbone.lm is not None else None
    provider = backbone.name.split("/", 1)[0].upper()
    known = (os.environ.get(f"{owner}_{base}") for owner in (provider, provider.split("_")[0]) for base in _BASES)
    return str(given or next(filter(None, known), ""))


def _wrapped(plain: Backbone, engine: RememberingEngine, temperature: float, replay: int) -> dspy.LM:
    inner = plain.lm
    assert inner is not None
    options = {name: value for name, value in inner.kwargs.items() if name not in _CONNECTION}
    if options.get("temperature") is not None:
        options["temperature"] = temperature
    if plain.embedded and temperature > 0:
        options["seed"] = replay
    return dspy.LM(inner.model, engine=engine, cache=False, num_retries=0, **options)
