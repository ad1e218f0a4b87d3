"""A progress line with an estimate of the time that is left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from experiments.commands.progress import Stages

_REMEMBERED = 40
_MINUTE = 60


class Bar:
    """Wraps `Stages`: the stage's words tell how much time the last answers make likely for the rest.

    Answers that a journal holds come at once and would promise too much, so only the latest ones count.
    """

    def __init__(self, stages: Stages, clock: Callable[[], float] = time.monotonic) -> None:
        self._stages = stages
        self._clock = clock
        self._times: deque[tuple[int, float]] = deque(maxlen=_REMEMBERED)

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Report one step."""
        self._times.append((done, self._clock()))
        left = self.seconds_left(total)
        self._stages(stage if left is None else f"{stage}, about {left_words(left)} left,", done, total)

    def seconds_left(self, total: int | None) -> float | None:
        """Seconds until `total` at the pace of the latest answers; None while there is none to go by."""
        if total is None or len(self._times) < 2:
            return None
        (first, began), (last, now) = self._times[0], self._times[-1]
        return (now - began) / (last - first) * (total - last) if last > first else None


def left_words(seconds: float) -> str:
    """Such as "40 s" or "12 min"."""
    return f"{seconds:.0f} s" if seconds < 2 * _MINUTE else f"{seconds / _MINUTE:.0f} min"


@contextmanager
def bar(title: str) -> Iterator[Bar]:
    """A `Bar` that is cleared at the end."""
    shown = Stages(title)
    try:
        yield Bar(shown)
    finally:
        shown.close()
