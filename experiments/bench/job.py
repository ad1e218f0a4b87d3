"""What crosses between the benchmark and the process that measures one part: a job out, a measurement back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from data.errors import MeloError
from experiments.bench.figures import Figure
from experiments.bench.targets import Catalog


class NotMeasurableError(MeloError):
    """A part cannot be measured here; the message says why. The other parts go on."""

    code = "not_measurable"


@dataclass(frozen=True, slots=True)
class Job:
    """One part on one catalog.

    Attributes:
        part: name of the part, see `runner.PARTS`.
        source, index: where the catalog and its index lie.
        n: how many distinct requests (or processes, or builds).
        warmup: runs before them that are not counted.
        repeats: how often each request is measured.
        seed: of every random choice.
    """

    part: str
    catalog: Catalog
    source: str
    index: str
    n: int
    warmup: int = 0
    repeats: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Measured:
    """What one job found.

    Attributes:
        catalog: content hash and counts of the index. settings: hash of the program's settings.
        detail: whatever explains the figures, for the JSON file.
    """

    figures: tuple[Figure, ...]
    catalog: dict[str, Any]
    settings: str
    detail: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Measured:
        """From JSON.

        Raises:
            KeyError, TypeError: it is not one of ours.
        """
        figures = tuple(Figure(**item) for item in data["figures"])
        return cls(figures, data["catalog"], data["settings"], data["detail"])
