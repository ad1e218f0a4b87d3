"""Trains the Semantic IDs of an index and puts them beside it, whole or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from program.generative.fitting import Examples, Fit, fit
from program.generative.model import Weights, fresh_weights
from program.generative.quantize import Codes, codes_per_level, learn_codebooks, quantise, told_apart
from program.generative.requests import Facts, synthetic_requests
from program.generative.retriever import Flags
from program.generative.stored import write_semantic_ids
from program.index.embedder import TextEmbedder
from program.index.engine import EmbeddedIndex
from program.index.protocol import Vector
from program.index.records import RecordReader
from program.index.space import project
from program.index.stored import decode_track

Progress = Callable[[str, int, int | None], None]
_CHUNK, _EMBED = 8_192, 256
_SAMPLE = 100_000
_MOST_FACTS = 200_000


@dataclass(frozen=True)
class TrainSettings:
    """How Semantic IDs are trained. requests: synthetic ones; fewer for a small catalog (four a track)."""

    requests: int = 40_000
    seed: int = 0
    fit: Fit = field(default_factory=Fit)


@dataclass(frozen=True)
class Trained:
    """What training leaves. codes: shape (tracks, LEVELS + 1), in row order. loss: nats a track over held-out requests."""

    weights: Weights
    codes: Codes
    playable: Flags
    requests: int
    loss: float
    seconds: float


def train_into(index: EmbeddedIndex, embedder: TextEmbedder, settings: TrainSettings, progress: Progress) -> dict[str, Any]:
    """Train, and put the result into the index's folder; returns what is told about it. Nothing changes before it is whole."""
    made = train(index, embedder, settings, progress)
    told = {
        "codes_per_level": made.weights["books"].shape[1], "levels": made.weights["books"].shape[0],
        "tracks": int(made.playable.sum()), "shared": round(float(_shared(made.codes)), 4), "requests": made.requests,
        "passes": settings.fit.passes, "seed": settings.seed, "loss": round(made.loss, 4), "seconds": round(made.seconds, 1),
    }  # fmt: skip
    write_semantic_ids(
        Path(index.info.path), made.weights, made.codes, made.playable, content_hash=index.info.content_hash, told=told
    )  # fmt: skip
    return told


def _shared(codes: Codes) -> float:
    """Share of the tracks that need the last code: another track has the same codes before it."""
    _, inverse, counts = np.unique(codes[:, :-1], axis=0, return_inverse=True, return_counts=True)
    return float((counts[inverse.ravel()] > 1).mean())


def train(index: EmbeddedIndex, embedder: TextEmbedder, settings: TrainSettings, progress: Progress) -> Trained:
    """Train on the index's own tracks; the same index and settings give the same result on one machine."""
    begun, rng = time.monotonic(), np.random.default_rng(settings.seed)
    tracks = index.info.tracks
    sample = np.sort(rng.choice(tracks, size=min(tracks, _SAMPLE), replace=False))
    books = learn_codebooks(
        index.track_vectors(sample.tolist()), codes_per_level(tracks), rng, lambda level: progress("codebooks", level, 3)
    )
    codes = _all_codes(index, books, progress)
    facts, playable = _facts(index, rng, progress)
    asked = synthetic_requests(facts, min(settings.requests, 4 * tracks), rng)
    vectors = _embedded(index, embedder, [request.text for request in asked], progress)
    examples = Examples.of(vectors, [codes[request.targets, :-1] for request in asked])
    weights, loss = fit(
        fresh_weights(books, rng), examples, settings.fit, rng,
        lambda done, loss: progress("learning", done, settings.fit.passes),
    )  # fmt: skip
    return Trained(weights, codes, playable, len(asked), loss, time.monotonic() - begun)


def _all_codes(index: EmbeddedIndex, books: Vector, progress: Progress) -> Codes:
    tracks, parts = index.info.tracks, []
    for first in range(0, tracks, _CHUNK):
        rows = range(first, min(first + _CHUNK, tracks))
        parts.append(quantise(index.track_vectors(rows), books))
        progress("codes", rows.stop, tracks)
    return told_apart(np.concatenate(parts))


def _facts(index: EmbeddedIndex, rng: np.random.Generator, progress: Progress) -> tuple[Facts, Flags]:
    """What holds of the playable tracks (of a large catalog: of some `_MOST_FACTS` tracks), and which tracks are playable."""
    folder, tracks, facts = Path(index.info.path), index.info.tracks, Facts()
    ranks = np.load(folder / "popularity.npy", mmap_mode="r", allow_pickle=False)
    playable = np.zeros(tracks, dtype=bool)
    taken = rng.random(tracks) < _MOST_FACTS / tracks
    with closing(RecordReader(folder / "tracks.jsonl")) as reader:
        for row in range(tracks):
            track = decode_track(reader.line(row))
            playable[row] = track.playable
            if track.playable and taken[row]:
                facts.add(row, track, float(ranks[row]))
            progress("reading", row + 1, tracks)
    return facts, playable


def _embedded(index: EmbeddedIndex, embedder: TextEmbedder, texts: list[str], progress: Progress) -> Vector:
    """The requests in the index's space, shape (requests, dims)."""
    held = np.load(Path(index.info.path) / "space.npz", allow_pickle=False)["projection"]
    parts = []
    for first in range(0, len(texts), _EMBED):
        parts.append(project(embedder.embed(texts[first : first + _EMBED]), held if held.size else None))
        progress("requests", first + len(parts[-1]), len(texts))
    return np.concatenate(parts)
