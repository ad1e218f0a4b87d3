"""Which examples a search does not see. The seed and the example's own words decide, so the order of a file does not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from data.errors import LabelError

_E = TypeVar("_E")


@dataclass(frozen=True)
class Divided(Generic[_E]):
    """Examples in two parts, each in its old order: those that are searched on, and those that judge what was found."""

    tuned: tuple[_E, ...]
    held_out: tuple[_E, ...]


def divided(examples: Sequence[_E], key: Callable[[_E], str], share: float, seed: int, what: str) -> Divided[_E]:
    """Hold out about a share of the examples; those of the same key stay together.

    Args:
        share: 0..1. what: names the examples in the error.

    Raises:
        LabelError: there are too few examples: one of the parts would be empty.
    """
    out = [_fraction(f"{seed}:{key(example)}") < share for example in examples]
    tuned = tuple(example for example, held in zip(examples, out, strict=True) if not held)
    held_out = tuple(example for example, held in zip(examples, out, strict=True) if held)
    if not tuned or not held_out:
        raise LabelError(f"{len(examples)} {what} are too few to hold some out", hint="give more, or another --seed")
    return Divided(tuned, held_out)


def _fraction(text: str) -> float:
    """A number in [0, 1) that only the text decides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
