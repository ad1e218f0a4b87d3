"""When models are left alone: a node whose retries fail, and all of them where too much is doubtful. Thread-safe, by clock."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from program.settings import BreakerSettings


class Circuit:
    """Break fast, recover slow (source: A-14, A-15).

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, settings: BreakerSettings, clock: Callable[[], float]) -> None:
        self._settings, self._clock = settings, clock
        self._lock = threading.Lock()
        self._open_until: dict[str, float] = {}
        self._recent: deque[bool] = deque(maxlen=settings.window)
        self._paused_until = float("-inf")
        self.alarms = 0

    def is_open(self, node: str) -> bool:
        """Whether a node goes by code alone now, because what its model made could not be mended."""
        with self._lock:
            return self._clock() < self._open_until.get(node, float("-inf"))

    def open(self, node: str) -> None:
        """Leave a node's model alone for the cool-down."""
        with self._lock:
            self._open_until[node] = self._clock() + self._settings.cool_down_s

    @property
    def is_paused(self) -> bool:
        """Whether all models are left alone now."""
        with self._lock:
            return self._clock() < self._paused_until

    def observe(self, *, tripped: bool) -> bool:
        """Count an artifact; True when this one set off the global breaker, which then starts to count anew."""
        with self._lock:
            if self._clock() < self._paused_until:
                return False
            self._recent.append(tripped)
            if len(self._recent) < self._settings.window or self._share() <= self._settings.global_share:
                return False
            self._paused_until = self._clock() + self._settings.cool_down_s
            self._recent.clear()
            self.alarms += 1
            return True

    @property
    def share(self) -> float:
        """Trips among the last artifacts, 0..1."""
        with self._lock:
            return self._share()

    def _share(self) -> float:
        return sum(self._recent) / len(self._recent) if self._recent else 0.0
