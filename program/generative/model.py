"""The model from a request's vector to codes: each code's probabilities given the request and the codes before it.

Two terms make a code's score. One is near what search by vectors does: the request's vector through a learned map, times the
code's own vector. The other is a small network that corrects it. Plain numpy; `gradients` is for training only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from program.generative.quantize import LEVELS, Codes, Whole
from program.index.protocol import Vector

Weights = dict[str, np.ndarray[Any, np.dtype[np.float32]]]
HIDDEN = 256
_SHARPNESS = 12.0


def fresh_weights(books: Vector, rng: np.random.Generator, hidden: int = HIDDEN) -> Weights:
    """Weights to start from: the network says nothing yet, the map changes nothing."""
    codes, dims = books.shape[1:]

    def drawn(rows: int, columns: int) -> Vector:
        return np.asarray(rng.standard_normal((rows, columns)) * np.sqrt(2.0 / rows), dtype=np.float32)

    weights: Weights = {
        "books": books, "map": np.eye(dims, dtype=np.float32), "into": drawn(dims, hidden),
        "into_bias": np.zeros(hidden, dtype=np.float32), "sharpness": np.full(LEVELS + 1, _SHARPNESS, dtype=np.float32),
    }  # fmt: skip
    for level in range(LEVELS):
        weights[f"hidden{level}"] = drawn(hidden, hidden)
        weights[f"out{level}"] = np.zeros((hidden, codes), dtype=np.float32)
        weights[f"bias{level}"] = np.zeros(codes, dtype=np.float32)
        for earlier in range(level):
            weights[f"after{level}{earlier}"] = np.zeros((codes, hidden), dtype=np.float32)
    return weights


def names_of(levels: int) -> tuple[str, ...]:
    """The names of the weights."""
    each = [name for level in range(levels) for name in (f"hidden{level}", f"out{level}", f"bias{level}")]
    after = [f"after{level}{earlier}" for level in range(levels) for earlier in range(level)]
    return ("books", "map", "into", "into_bias", "sharpness", *each, *after)


class CodeModel:
    """Scores codes for one request after another.

    Args:
        weights: those of `names_of`.

    Raises:
        KeyError: one is missing.
    """

    def __init__(self, weights: Weights) -> None:
        self.books = weights["books"]
        self.levels = len(self.books)
        self._weights = {name: weights[name] for name in names_of(self.levels)}

    def read(self, request: Vector) -> Reading:
        """What the levels need to know of a request, shape (dims,)."""
        weights = self._weights
        hidden = np.maximum(request @ weights["into"] + weights["into_bias"], 0)
        mapped = request @ weights["map"]
        return Reading(weights, hidden, mapped, self.levels)


class Reading:
    """One request as the model has read it. mapped: the request's vector through the learned map, shape (dims,)."""

    def __init__(self, weights: Weights, hidden: Vector, mapped: Vector, levels: int) -> None:
        self._weights = weights
        self._levels = levels
        self._hidden = hidden
        self.mapped = mapped

    def scores(self, level: int, prefixes: Whole) -> Vector:
        """Unnormalised log probabilities of the codes of `level`, shape (prefixes, codes).

        Args:
            prefixes: the codes before it, shape (prefixes, level).
        """
        weights = self._weights
        into = np.tile(self._hidden @ weights[f"hidden{level}"], (len(prefixes), 1))
        for earlier in range(level):
            into += weights[f"after{level}{earlier}"][prefixes[:, earlier]]
        near = weights["books"][level] @ self.mapped * weights["sharpness"][level]
        return np.asarray(np.maximum(into, 0) @ weights[f"out{level}"] + weights[f"bias{level}"] + near, dtype=np.float32)

    def leaf_scores(self, rest: Vector) -> Vector:
        """Scores that tell tracks of equal codes apart, from what the codes leave of their vectors, shape (tracks, dims)."""
        return np.asarray(rest @ self.mapped * self._weights["sharpness"][self._levels], dtype=np.float32)


def gradients(weights: Weights, requests: Vector, codes: Codes, kept: Vector) -> tuple[float, Weights]:
    """The mean cross-entropy of the codes (summed over levels, nats) and its gradients; the codebooks stay as they are.

    Args:
        requests: shape (batch, dims). codes: shape (batch, LEVELS). kept: dropout of the hidden units, shape (batch, hidden).
    """
    batch, at = len(requests), np.arange(len(requests))
    before = requests @ weights["into"] + weights["into_bias"]
    hidden = np.maximum(before, 0) * kept
    mapped = requests @ weights["map"]
    found: Weights = {"sharpness": np.zeros_like(weights["sharpness"])}
    to_hidden, to_mapped, loss = np.zeros_like(hidden), np.zeros_like(mapped), 0.0
    for level in range(LEVELS):
        into = hidden @ weights[f"hidden{level}"]
        for earlier in range(level):
            into = into + weights[f"after{level}{earlier}"][codes[:, earlier]]
        active = np.maximum(into, 0)
        near = mapped @ weights["books"][level].T
        sharp = weights["sharpness"][level]
        scores = active @ weights[f"out{level}"] + weights[f"bias{level}"] + near * sharp
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        loss -= float(np.log(chances[at, codes[:, level]] + 1e-12).mean())
        chances[at, codes[:, level]] -= 1
        wrong = chances / batch
        found[f"out{level}"], found[f"bias{level}"] = active.T @ wrong, wrong.sum(axis=0)
        found["sharpness"][level] = (wrong * near).sum()
        to_mapped += wrong @ weights["books"][level] * sharp
        to_into = (wrong @ weights[f"out{level}"].T) * (into > 0)
        found[f"hidden{level}"] = hidden.T @ to_into
        to_hidden += to_into @ weights[f"hidden{level}"].T
        for earlier in range(level):
            found[f"after{level}{earlier}"] = _summed(codes[:, earlier], to_into, weights[f"after{level}{earlier}"].shape[0])
    to_before = to_hidden * kept * (before > 0)
    found |= {"map": requests.T @ to_mapped, "into": requests.T @ to_before, "into_bias": to_before.sum(axis=0)}
    return loss, found


def _summed(codes: Codes, values: Vector, size: int) -> Vector:
    """The sum of the values of each code, shape (size, columns)."""
    chosen = np.zeros((size, len(codes)), dtype=np.float32)
    chosen[codes, np.arange(len(codes))] = 1
    return np.asarray(chosen @ values, dtype=np.float32)
