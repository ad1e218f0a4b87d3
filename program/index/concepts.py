"""Moods and activities by meaning: which of them a text in any language comes nearest to.

A concept is as near as the nearest of the words and phrases by which the vocabularies name it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from data.vocab.loader import facet_phrases, load_vocabularies
from program.index.embedder import TextEmbedder
from program.index.multilingual import WEIGHTS, multilingual_embedder
from program.index.protocol import Vector
from program.lm.environment import private_folder, user_cache

FACETS = ("mood", "activity")


@dataclass(frozen=True)
class NearConcept:
    """A concept and the cosine of its nearest phrase, -1..1."""

    facet: str
    concept_id: str
    likeness: float

    @property
    def label(self) -> str:
        """Its name in English."""
        return load_vocabularies()[self.facet].label(self.concept_id)


class Concepts:
    """The concepts with the vectors of their phrases, shape (phrases, dimensions)."""

    def __init__(self, phrases: Sequence[tuple[str, str, str]], vectors: Vector, embedder: TextEmbedder) -> None:
        """Take them.

        Args:
            phrases: facet, concept id and words of each row of `vectors`.
        """
        self._concepts = list(dict.fromkeys((facet, concept) for facet, concept, _ in phrases))
        places = {concept: place for place, concept in enumerate(self._concepts)}
        self._owners = np.array([places[facet, concept] for facet, concept, _ in phrases], dtype=np.int64)
        self._vectors, self._embedder = vectors, embedder

    def near(self, text: str, limit: int) -> list[NearConcept]:
        """The nearest concepts, nearest first."""
        best = np.full(len(self._concepts), -1.0, dtype=np.float32)
        np.maximum.at(best, self._owners, self._vectors @ self._embedder.embed([text])[0])
        order = np.argsort(-best, kind="stable")[:limit]
        found = ((*self._concepts[place], round(float(best[place]), 4)) for place in order)
        return [NearConcept(facet, concept, likeness) for facet, concept, likeness in found]


@cache
def nearest_concepts(locale: str) -> Concepts:
    """The moods and activities with the English and Chinese phrases for them, and those of one more language.

    The vectors are made at the first use (some three seconds) and kept in the user's cache folder.

    Raises:
        InfrastructureError: the packaged model is missing or not the pinned one.
    """
    phrases = [(facet, concept, words) for facet in FACETS for concept, words in facet_phrases(facet, locale)]
    embedder = multilingual_embedder()
    return Concepts(phrases, _vectors([words for _, _, words in phrases], embedder), embedder)


def _vectors(texts: list[str], embedder: TextEmbedder) -> Vector:
    """The vectors of `texts`, from the cache folder where they are there; a folder that cannot be used costs only time."""
    name = hashlib.sha256("\n".join([WEIGHTS, *texts]).encode()).hexdigest()[:16]
    path = user_cache() / "phrases" / f"{name}.npy"
    try:
        kept = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        kept = None
    if kept is None or kept.dtype != np.float16 or kept.ndim != 2 or len(kept) != len(texts):
        kept = embedder.embed(texts).astype(np.float16)
        _keep(path, kept)
    return np.asarray(kept, dtype=np.float32)


def _keep(path: Path, vectors: Vector) -> None:
    """Write the file whole or not at all."""
    try:
        private_folder(path.parent)
        beside = path.with_suffix(f".{np.random.default_rng().integers(1 << 30)}.npy")
        np.save(beside, vectors, allow_pickle=False)
        beside.replace(path)
    except OSError:
        return
