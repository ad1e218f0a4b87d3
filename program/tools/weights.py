"""The weights of the ranking features: set by hand, or learned from likes and kept in a small JSON file beside the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.errors import InputError

AFFINITY = "affinity"
FILE = "ranker.json"
"""The file's name in the folder of an index."""

BY_FACET = {"relevance": 1.0, "constraints": 2.5, "popularity": 0.35, "original": 0.3, "lead": 0.3, AFFINITY: 0.5}
"""Hand-set weights of the features, each 0..1 (own choice; a learned ranker may replace them)."""
BY_MEANING = BY_FACET | {"popularity": 0.1, AFFINITY: 1.0}
"""For requests that name no facet: being near counts, being famous hardly does."""


@dataclass(frozen=True)
class Weights:
    """Feature → weight, for candidates found by facets or names and for those found by meaning alone.

    Attributes:
        name: what results and traces call them: `hand_set`, or a learned file's hash.
    """

    by_facet: Mapping[str, float]
    by_meaning: Mapping[str, float]
    name: str = "hand_set"

    def of(self, *, by_meaning: bool) -> Mapping[str, float]:
        """The weights for one way of finding."""
        return self.by_meaning if by_meaning else self.by_facet

    def without(self, feature: str) -> Weights:
        """The same with one feature left out."""
        left = [{name: w for name, w in part.items() if name != feature} for part in (self.by_facet, self.by_meaning)]
        return Weights(left[0], left[1], self.name)


HAND_SET = Weights(BY_FACET, BY_MEANING)


class RankerFile(BaseModel):
    """A learned ranker as it is kept.

    Attributes:
        pairs, requests: what it was learned from, by way of finding. catalog: hash of the index it was learned on.
        by_facet, by_meaning: feature → weight; empty where there were too few pairs, so that the hand-set ones stay.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    catalog: str
    pairs: dict[str, int] = {}
    requests: dict[str, int] = {}
    by_facet: dict[str, float] = Field(default={}, max_length=40)
    by_meaning: dict[str, float] = Field(default={}, max_length=40)

    def weights(self, name: str) -> Weights:
        """With the hand-set ones where nothing was learned."""
        return Weights(self.by_facet or BY_FACET, self.by_meaning or BY_MEANING, name)


def load_weights(folder: Path) -> Weights:
    """The learned weights in the folder of an index, else the hand-set ones.

    Raises:
        InputError: there is a file and it cannot be used.
    """
    path = folder / FILE
    if not path.is_file():
        return HAND_SET
    try:
        raw = path.read_bytes()
        found = RankerFile.model_validate_json(raw)
    except (OSError, ValidationError) as error:
        hint = "learn it again with melo user learn, or remove it"
        raise InputError(f"the ranker at {path} cannot be used", hint=hint) from error
    return found.weights(f"learned-{sha256(raw).hexdigest()[:12]}")
