"""Progress on stderr: nothing for what is quick, a line or a bar for what takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

QUIET_S = 2.0
_EVERY_S = 5.0


def say(text: str) -> None:
    """One line on stderr."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - this is the module that writes progress


class Stages:
    """Shows how far a build is: one line that is rewritten on a terminal, a line every few seconds elsewhere."""

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._title = title
        self._clock = clock
        self._started = self._last = clock()
        self._shown = False

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Report one step."""
        now = self._clock()
        terminal = sys.stderr.isatty()
        if now - self._started < QUIET_S or now - self._last < (0.2 if terminal else _EVERY_S):
            return
        self._last = now
        share = f" of {total:,}" if total else ""
        line = f"{self._title}: {stage} {done:,}{share} ({now - self._started:.0f} s)"
        if terminal:
            print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201
            self._shown = True
        else:
            say(line)

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201


@contextmanager
def stages(title: str) -> Iterator[Stages]:
    """A `Stages` that is closed at the end."""
    shown = Stages(title)
    try:
        yield shown
    finally:
        shown.close()


class NodeTicker:
    """Names the node that is working, once a request has taken longer than two seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()

    def restart(self) -> None:
        """A new request starts."""
        self._started = self._clock()

    def __call__(self, node: str) -> None:
        """A node starts."""
        if self._clock() - self._started > QUIET_S:
            say(f"… {node}")
