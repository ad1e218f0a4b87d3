"""The hot tier of one process: traces in memory, the longest unused first to go."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from program.trust.store.rows import Row


@dataclass(frozen=True, slots=True)
class _Held:
    bodies: dict[str, str]
    size: int
    until: float


class MemoryTier:
    """Holds whole traces.

    Args:
        ttl_s: how long a trace is held. most_bytes: of all bodies, counted in characters.
        clock: seconds, monotonic.
    """

    fault = ""

    def __init__(self, ttl_s: float, most_bytes: int, clock: Callable[[], float]) -> None:
        self._ttl_s, self._most_bytes, self._clock = ttl_s, most_bytes, clock
        self._lock = threading.Lock()
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._bytes = 0

    def put(self, traces: Sequence[Sequence[Row]]) -> None:
        """Keep these; the longest unused make room."""
        with self._lock:
            for rows in traces:
                bodies = {row.artifact_id: row.body for row in rows}
                size = sum(map(len, bodies.values()))
                self._take(rows[0].trace_id)
                self._held[rows[0].trace_id] = _Held(bodies, size, self._clock() + self._ttl_s)
                self._bytes += size
            while self._bytes > self._most_bytes:
                self._take(next(iter(self._held)))

    def drop(self, trace_ids: Sequence[str]) -> None:
        """Forget these."""
        with self._lock:
            for trace_id in trace_ids:
                self._take(trace_id)

    def trace(self, trace_id: str) -> dict[str, str] | None:
        """One trace, if its time is not over."""
        with self._lock:
            held = self._held.get(trace_id)
            if held is None:
                return None
            if held.until <= self._clock():
                self._take(trace_id)
                return None
            self._held.move_to_end(trace_id)
            return held.bodies

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._held.clear()
            self._bytes = 0

    def close(self) -> None:
        """Nothing stays."""
        self.clear()

    def _take(self, trace_id: str) -> None:
        held = self._held.pop(trace_id, None)
        if held is not None:
            self._bytes -= held.size


class NoTier:
    """No hot tier: everything is read from the cold one."""

    fault = ""

    def put(self, traces: Sequence[Sequence[Row]]) -> None:
        """Keep nothing."""

    def drop(self, trace_ids: Sequence[str]) -> None:
        """Nothing is held."""

    def trace(self, trace_id: str) -> dict[str, str] | None:
        """Nothing is held."""
        return None

    def clear(self) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is held."""
