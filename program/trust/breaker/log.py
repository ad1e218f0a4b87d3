"""What the breaker remembers: a record of each node version, and the trips. In memory; `SqliteLog` keeps it on disk."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from data.errors import InputError
from data.trust import NodeRecord, Trip
from program.settings import BreakerSettings
from program.trust.breaker.thresholds import judged

_MOST_TRIPS = 10_000


class BreakerLog(Protocol):
    """Safe to share between threads."""

    def record(self, node: str, node_version: str) -> NodeRecord | None:
        """What is known of a node version; None where it was never seen."""

    def observe(self, node: str, node_version: str, final: float, *, drifted: bool, threshold: float) -> None:
        """Count an artifact. threshold: where a version that is new starts."""

    def add(self, trip: Trip, threshold: float) -> None:
        """Keep a trip, and move its node version's threshold."""

    def trips(self, since: float = 0.0) -> list[Trip]:
        """Trips from a time on (seconds since 1970), oldest first."""

    def records(self) -> list[NodeRecord]:
        """Every node version."""

    def judge(self, trip_id: str, right: bool) -> None:
        """Note a person's verdict, which moves the threshold. right: it was right to stop the artifact.

        Raises:
            InputError: no such trip.
        """

    def flush(self) -> None:
        """Write what is only in memory.

        Raises:
            StoreError: it cannot be written; it stays in memory.
        """

    def close(self) -> None:
        """Flush and release."""


class MemoryLog:
    """Forgets with the process; holds the latest ten thousand trips."""

    def __init__(
        self, records: Sequence[NodeRecord] = (), trips: Sequence[Trip] = (), settings: BreakerSettings | None = None
    ) -> None:
        self._settings = settings or BreakerSettings()
        self._lock = threading.RLock()
        self._records = {(record.node, record.node_version): record for record in records}
        self._trips: deque[Trip] = deque(trips, maxlen=_MOST_TRIPS)

    def record(self, node: str, node_version: str) -> NodeRecord | None:
        """See `BreakerLog`."""
        with self._lock:
            return self._records.get((node, node_version))

    def observe(self, node: str, node_version: str, final: float, *, drifted: bool, threshold: float) -> None:
        """See `BreakerLog`."""
        with self._lock:
            known = self._records.get((node, node_version)) or NodeRecord(
                node=node, node_version=node_version, threshold=threshold
            )
            self._put(
                known, seen=known.seen + 1, confidence_sum=known.confidence_sum + final, drifted=known.drifted + drifted
            )  # fmt: skip

    def add(self, trip: Trip, threshold: float) -> None:
        """See `BreakerLog`."""
        with self._lock:
            self._trips.append(trip)
            known = self._records.get((trip.node, trip.node_version)) or NodeRecord(
                node=trip.node, node_version=trip.node_version
            )
            self._put(
                known, trips=known.trips + 1, recovered=known.recovered + (trip.outcome == "recovered"), threshold=threshold
            )  # fmt: skip

    def trips(self, since: float = 0.0) -> list[Trip]:
        """See `BreakerLog`."""
        with self._lock:
            return [trip for trip in self._trips if trip.at >= since]

    def records(self) -> list[NodeRecord]:
        """See `BreakerLog`."""
        with self._lock:
            return list(self._records.values())

    def judge(self, trip_id: str, right: bool) -> None:
        """See `BreakerLog`."""
        with self._lock:
            trip = next((trip for trip in self._trips if trip.trip_id == trip_id), None)
            known = self._records.get((trip.node, trip.node_version)) if trip else None
            if trip is None or known is None:
                raise InputError(f"the breaker knows no trip {trip_id}")
            counted = {"rejected": known.rejected + 1} if right else {"approved": known.approved + 1}
            self._put(known, **counted, threshold=judged(known.threshold, known.node, right=right, settings=self._settings))

    def flush(self) -> None:
        """Nothing to write."""

    def close(self) -> None:
        """Nothing to release."""

    def _put(self, known: NodeRecord, **update: float) -> None:
        self._records[known.node, known.node_version] = known.model_copy(update=update)
