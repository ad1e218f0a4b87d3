"""The model's gradients, its fit, and that only playable tracks of the catalog can come out."""

from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.generative.fitting import Examples, Fit, fit
from program.generative.model import CodeModel, Weights, fresh_weights, gradients
from program.generative.quantize import LEVELS, told_apart
from program.generative.retriever import SemanticIds
from program.index.engine import EmbeddedIndex
from program.index.protocol import Vector

_DIMS, _CODES, _HIDDEN = 6, 5, 7


def _random_weights(rng: np.random.Generator, dims: int = _DIMS, codes: int = _CODES, scale: float = 1.0) -> Weights:
    books = rng.standard_normal((LEVELS, codes, dims)).astype(np.float32)
    fresh = fresh_weights(books, rng, _HIDDEN)
    return {name: np.asarray(rng.standard_normal(value.shape) * scale, dtype=np.float32) for name, value in fresh.items()}


def test_gradients_are_those_of_the_loss() -> None:
    """Each weight's gradient agrees with the loss when the weight is moved a little either way."""
    rng = np.random.default_rng(0)
    weights: Any = {name: value.astype(np.float64) for name, value in _random_weights(rng, scale=0.5).items()}
    requests: Any = rng.standard_normal((9, _DIMS))
    codes = rng.integers(_CODES, size=(9, LEVELS))
    kept: Any = (rng.random((9, _HIDDEN)) < 0.8) * 1.25
    _, found = gradients(weights, requests, codes, kept)
    for name, slopes in found.items():
        place = tuple(int(rng.integers(size)) for size in slopes.shape)
        losses = []
        for step in (1e-5, -1e-5):
            moved = {key: value.copy() for key, value in weights.items()}
            moved[name][place] += step
            losses.append(gradients(moved, requests, codes, kept)[0])

        assert slopes[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-5), name


def test_the_model_scores_as_it_was_fitted() -> None:
    """The log probabilities at run time are those that the loss is made of."""
    rng = np.random.default_rng(1)
    weights, request, codes = _random_weights(rng, scale=0.3), rng.standard_normal(_DIMS).astype(np.float32), [2, 0, 4]
    reading = CodeModel(weights).read(request)
    total = 0.0
    for level in range(LEVELS):
        scores = reading.scores(level, np.array([codes[:level]], dtype=np.int64).reshape(1, level))[0]
        total += float(scores[codes[level]] - np.log(np.exp(scores).sum()))
    loss, _ = gradients(weights, request[None], np.array([codes]), np.ones((1, _HIDDEN), dtype=np.float32))

    assert total == pytest.approx(-loss, rel=1e-4)


def test_fitting_learns_and_keeps_the_best_pass() -> None:
    """Codes that follow from the request are learnt; the loss that is told is lower than at the start."""
    rng = np.random.default_rng(2)
    requests = rng.standard_normal((600, _DIMS)).astype(np.float32)
    targets = [np.repeat((request[:1] > 0).astype(np.uint16)[:, None], LEVELS, axis=1) for request in requests]
    books = np.asarray(rng.standard_normal((LEVELS, _CODES, _DIMS)) / 10, dtype=np.float32)
    start = fresh_weights(books, rng, _HIDDEN)
    losses: list[float] = []
    weights, loss = fit(
        start, Examples.of(requests, targets), Fit(passes=8, batch=32, rate=1e-2), np.random.default_rng(3),
        lambda done, value: losses.append(value),
    )  # fmt: skip

    assert loss == min(losses) < 1.0
    assert any((weights[name] != start[name]).any() for name in weights)


def _retriever(index: EmbeddedIndex, weights: Weights, seed: int) -> SemanticIds:
    """Random codes and random weights over the tiny catalog."""
    tracks = index.info.tracks
    codes = told_apart(np.random.default_rng(seed).integers(_CODES, size=(tracks, LEVELS)).astype(np.uint16))
    playable = np.array([index.track(row).track.playable for row in range(tracks)])
    return SemanticIds(CodeModel(weights), codes, playable, index.track_vectors)


_REQUEST = st.one_of(
    st.text(max_size=60), st.sampled_from(["Love Story by Taylor Swift", "unplayable", "\x00", "t1 t2", "💥" * 50])
)


@hypothesis.settings(max_examples=40)
@given(seed=st.integers(0, 2**31), text=_REQUEST, width=st.integers(1, 300), scale=st.sampled_from([0.0, 1.0, 1e3]))
def test_only_playable_tracks_can_come_out(tiny_index: EmbeddedIndex, seed: int, text: str, width: int, scale: float) -> None:
    """Whatever the weights and the request: every row is of the catalog, playable, and there once."""
    rng = np.random.default_rng(seed)
    ids = _retriever(tiny_index, _random_weights(rng, 384, scale=scale), seed)
    found = [row for row, _ in ids.generate(tiny_index.embed(text), width=width)]
    playable = {row for row in range(tiny_index.info.tracks) if tiny_index.track(row).track.playable}

    assert len(found) == len(set(found)) == min(width, len(playable))
    assert set(found) <= playable


@hypothesis.settings(max_examples=40)
@given(seed=st.integers(0, 2**31), rows=st.sets(st.integers(0, 149), max_size=40))
def test_a_narrowed_trie_gives_nothing_else(tiny_index: EmbeddedIndex, seed: int, rows: set[int]) -> None:
    """Among given rows exactly the playable ones of them come out."""
    ids = _retriever(tiny_index, _random_weights(np.random.default_rng(seed), 384), seed)
    held = [row for row in rows if row < tiny_index.info.tracks]
    found = [row for row, _ in ids.generate(tiny_index.embed("night"), among=held)]

    assert sorted(found) == sorted(row for row in held if tiny_index.track(row).track.playable)


def test_untrained_it_is_near_search_by_vectors() -> None:
    """With fine codes and fresh weights the most probable track is the one whose vector the request is."""
    rng = np.random.default_rng(5)
    vectors: Vector = rng.standard_normal((200, _DIMS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    books = np.stack([vectors[:64], np.zeros((64, _DIMS)), np.zeros((64, _DIMS))]).astype(np.float32)
    codes = told_apart(np.stack([np.arange(64), np.zeros(64), np.zeros(64)], axis=1).astype(np.uint16))
    ids = SemanticIds(CodeModel(fresh_weights(books, rng)), codes, np.ones(64, dtype=bool), lambda rows: vectors[list(rows)])

    assert [ids.generate(vectors[row])[0][0] for row in range(64)] == list(range(64))
