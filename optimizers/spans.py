"""The span metric: named spans found against named spans labelled, compared strictly by text and type.

Counts are arrays whose last axis is (true positives, false positives, false negatives), so one function serves a request,
a whole set and a bootstrap's draws.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

Counts = NDArray[np.float64]

_APOSTROPHES = re.compile(r"['’‘ʼ`´]")


class NamedSpan(BaseModel):
    """A name in a request, as it stands there, and what it names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    type: str


def plain(text: str) -> str:
    """`text` in lower case without punctuation, single spaces; a text of signs only keeps them."""
    folded = _APOSTROPHES.sub("", text.lower())
    kept = "".join(char if _is_kept(char) else " " for char in folded)
    return " ".join(kept.split()) or "".join(text.split())


def _is_kept(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN"


def tally(gold: Iterable[NamedSpan], found: Iterable[NamedSpan], types: Collection[str] | None = None) -> Counts:
    """The counts of one request, shape (3,). Spans are multisets of (plain text, type).

    Args:
        types: the types that count; None: all.
    """
    labelled, predicted = _bag(gold, types), _bag(found, types)
    shared = (labelled & predicted).total()
    return np.array([shared, predicted.total() - shared, labelled.total() - shared], dtype=np.float64)


def tallies(
    gold: Sequence[Iterable[NamedSpan]], found: Sequence[Iterable[NamedSpan]], types: Collection[str] | None = None
) -> Counts:
    """The counts of several requests, shape (requests, 3)."""
    rows = [tally(labelled, predicted, types) for labelled, predicted in zip(gold, found, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def _bag(spans: Iterable[NamedSpan], types: Collection[str] | None) -> Counter[tuple[str, str]]:
    return Counter((plain(span.text), span.type) for span in spans if types is None or span.type in types)


def precision(counts: Counts) -> Counts:
    """Share of the found spans that are right, 0..1; 0 where nothing was found."""
    return _share(counts[..., 0], counts[..., 0] + counts[..., 1])


def recall(counts: Counts) -> Counts:
    """Share of the labelled spans that were found, 0..1; 0 where nothing is labelled."""
    return _share(counts[..., 0], counts[..., 0] + counts[..., 2])


def f1(counts: Counts) -> Counts:
    """Harmonic mean of precision and recall, 0..1; 0 where nothing is labelled and nothing found."""
    return _share(2 * counts[..., 0], 2 * counts[..., 0] + counts[..., 1] + counts[..., 2])


def _share(part: Counts, whole: Counts) -> Counts:
    return np.divide(part, whole, out=np.zeros_like(np.asarray(part, dtype=np.float64)), where=whole > 0)
