"""Fits the model's weights to synthetic requests: Adam, dropout, and the weights of the best pass over held-out requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from program.generative.model import Weights, gradients
from program.generative.quantize import Codes, Whole
from program.index.protocol import Vector

_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Fit:
    """How to fit.

    Attributes:
        passes: at most so many over all requests. batch: requests a step. rate: of Adam, falling to 0 over all passes.
        dropout: share of hidden units. noise: standard deviation that is added to each dimension of a request's vector.
        decay: share by which every step's rate shrinks the weights. held_out: share of requests that nothing is learnt from.
    """

    passes: int = 20
    batch: int = 256
    rate: float = 2e-3
    dropout: float = 0.2
    noise: float = 0.01
    decay: float = 0.01
    held_out: float = 0.05


@dataclass(frozen=True)
class Examples:
    """Requests with the codes of their targets. vectors: (requests, dims). starts: of each one's run in `targets`."""

    vectors: Vector
    starts: Whole
    targets: Codes

    @classmethod
    def of(cls, vectors: Vector, targets: Sequence[Codes]) -> Examples:
        """One array of codes a request, shape (targets, LEVELS)."""
        starts = np.cumsum([0, *(len(codes) for codes in targets)])
        return cls(vectors, starts, np.concatenate(targets).astype(np.int64))

    def drawn(self, places: Whole, rng: np.random.Generator) -> Codes:
        """The codes of one target of each request, drawn evenly."""
        first, counts = self.starts[places], self.starts[places + 1] - self.starts[places]
        return self.targets[first + (rng.random(len(places)) * counts).astype(np.int64)]


def fit(
    weights: Weights, examples: Examples, how: Fit, rng: np.random.Generator, on_pass: Callable[[int, float], None]
) -> tuple[Weights, float]:
    """The best weights found, and their loss (nats a track, over held-out requests). `weights` are not changed.

    Args:
        on_pass: is given the number of passes done and the held-out loss.
    """
    places = rng.permutation(len(examples.vectors))
    cut = max(1, round(len(places) * how.held_out))
    held, learnt = places[:cut], places[cut:]
    if not len(learnt):
        learnt = held
    held_codes = examples.drawn(held, rng)
    adam = _Adam({name: value.copy() for name, value in weights.items()}, how)
    best, lowest = weights, _loss(weights, examples.vectors[held], held_codes)
    steps = how.passes * -(-len(learnt) // how.batch)
    for done in range(1, how.passes + 1):
        for batch in np.array_split(rng.permutation(learnt), -(-len(learnt) // how.batch)):
            vectors = examples.vectors[batch]
            vectors = vectors + how.noise * rng.standard_normal(vectors.shape).astype(np.float32)
            kept = (rng.random((len(batch), weights["into"].shape[1])) >= how.dropout) / np.float32(1 - how.dropout)
            _, slopes = gradients(adam.weights, vectors, examples.drawn(batch, rng), kept.astype(np.float32))
            adam.step(slopes, steps)
        loss = _loss(adam.weights, examples.vectors[held], held_codes)
        on_pass(done, loss)
        if loss < lowest:
            best, lowest = {name: value.copy() for name, value in adam.weights.items()}, loss
    return best, lowest


def _loss(weights: Weights, vectors: Vector, codes: Codes) -> float:
    ones = np.ones((len(vectors), weights["into"].shape[1]), dtype=np.float32)
    return gradients(weights, vectors, codes, ones)[0]


class _Adam:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019) and a rate that falls evenly to 0."""

    def __init__(self, weights: Weights, how: Fit) -> None:
        self.weights = weights
        self._how = how
        self._first = {name: np.zeros_like(value) for name, value in weights.items()}
        self._second = {name: np.zeros_like(value) for name, value in weights.items()}
        self._done = 0

    def step(self, slopes: Weights, steps: int) -> None:
        rate = self._how.rate * max(0.0, 1 - self._done / steps)
        self._done += 1
        for name, slope in slopes.items():
            first, second, value = self._first[name], self._second[name], self.weights[name]
            first += (1 - _FIRST) * (slope - first)
            second += (1 - _SECOND) * (slope**2 - second)
            even = first / (1 - _FIRST**self._done), second / (1 - _SECOND**self._done)
            if value.ndim == 2 and name != "map":
                value *= 1 - rate * self._how.decay
            value -= rate * even[0] / (np.sqrt(even[1]) + _TINY)
