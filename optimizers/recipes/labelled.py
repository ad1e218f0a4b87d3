"""`labelled`: demos made of train cases and the replies that the labels call right. Costs no call but the judging."""

from __future__ import annotations

import random
from collections.abc import Iterator

from optimizers.recipes.base import Job
from program.bundle.state import NodeText

_POOL = 16
_SIZES = (1, 2, 4, 3, 6, 2, 4, 8)
"""Demos of each try, in turn; the order is drawn anew every time."""
_MOST_TRIES = 24


class Labelled:
    """Draws sets of labelled demos of several sizes."""

    name = "labelled"

    def propose(self, job: Job) -> Iterator[NodeText]:
        """Sets of demos under the start's instructions."""
        pool = job.labels(_POOL)
        if not pool:
            return
        start, rng = job.student.state(), random.Random(job.seed)
        for number in range(_MOST_TRIES):  # the budget ends it sooner
            chosen = rng.sample(pool, min(len(pool), _SIZES[number % len(_SIZES)]))
            yield NodeText(instructions=start.instructions, demos=tuple(label.demo() for label in chosen))
