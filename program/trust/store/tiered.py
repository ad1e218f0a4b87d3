"""The trace store: written to the cold tier, then to the hot one; read from the hot tier, then from the cold one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from data.contracts import Artifact
from data.errors import StoreError
from program.trust.artifacts import verify
from program.trust.store.cold import ColdTier
from program.trust.store.commit import GroupCommit
from program.trust.store.files import FilePartitions
from program.trust.store.memory_tier import NoTier
from program.trust.store.protocol import HotTier
from program.trust.store.rows import Mark, Row, artifact_of, in_order, row_of

ANSWER = "playlist"
"""The node whose artifacts are answers."""


class TraceStore:
    """Keeps artifacts, and knows what came from what. Safe to share between threads; several processes may use one store.

    Every method raises StoreError when the cold tier fails. The hot tier may come and go: what it does not hold is read from
    the cold one. Links and marks are always read there, because another process may have added some.

    Args:
        check: look at every artifact on receipt: its hash, its parents, its version.
        now: seconds since 1970.
    """

    def __init__(self, cold: ColdTier, hot: HotTier, *, check: bool = True, now: Callable[[], float] = time.time) -> None:
        self._cold, self._hot, self._check, self._now = cold, hot, check, now
        self._commit: GroupCommit[Sequence[Row]] = GroupCommit(cold.write, self._heat, cold.place)
        self._removals = cold.removals()

    @classmethod
    def at(cls, path: Path) -> TraceStore:
        """A store in SQLite files beside `path`, without a hot tier; `open_store` follows settings and environment.

        Raises:
            StoreError: it cannot be opened.
        """
        return cls(ColdTier(FilePartitions(path, "month", time.time)), NoTier())

    @property
    def fault(self) -> str:
        """Why the hot tier does not answer now; empty while it does."""
        return self._hot.fault

    def add(self, artifacts: Sequence[Artifact]) -> None:
        """Keep one session's artifacts: once this returns they are committed. All of a trace are, or none.

        Raises:
            StoreError: one does not match its hash, has a parent that nobody knows or a schema that is not ours; or the
                store cannot be written.
        """
        if not artifacts:
            return
        if self._check:
            self._receive(artifacts)
        traces: dict[str, list[Row]] = {}
        for artifact in artifacts:
            traces.setdefault(artifact.trace_id, []).append(row_of(artifact))
        for rows in traces.values():
            self._commit.submit(rows)

    def trace(self, trace_id: str) -> list[Artifact]:
        """All artifacts of one session, oldest first; empty when there is none."""
        held = self._held(trace_id)
        if held is not None:
            try:
                return [artifact_of(body) for body in in_order(held)]
            except StoreError:  # not what we wrote; the cold tier has the truth
                self._hot.drop([trace_id])
        return [artifact_of(body) for body in in_order(self._cold.trace(trace_id))]

    def get(self, artifact_id: str) -> Artifact | None:
        """One artifact."""
        held = self._held(artifact_id.rpartition("-")[0]) or {}
        body = held.get(artifact_id) or self._cold.bodies([artifact_id]).get(artifact_id)
        return artifact_of(body) if body else None

    def known(self, ids: Iterable[str]) -> set[str]:
        """Those of the ids that artifacts have."""
        return set(self._cold.nodes(list(ids)))

    def made_from(self, artifact_id: str) -> list[str]:
        """Backwards: the ids of everything that an artifact was made from, nearest first."""
        return self._cold.walk(artifact_id, forward=False)

    def went_into(self, artifact_id: str) -> list[str]:
        """Forwards: the ids of everything that was made from an artifact, nearest first."""
        return self._cold.walk(artifact_id, forward=True)

    def affected_answers(self, artifact_id: str) -> list[str]:
        """The ids of the answers that an artifact is, or went into, nearest first."""
        names = [artifact_id, *self.went_into(artifact_id)]
        nodes = self._cold.nodes(names)
        return [name for name in names if nodes.get(name) == ANSWER]

    def invalidate(self, artifact_ids: Iterable[str], why: str) -> int:
        """Mark artifacts, and all that was made from them, as not to be believed. Nothing is removed.

        Returns:
            How many marks are new: an artifact has one for each of these that it was made from.
        """
        at = self._now()
        return sum(self._cold.mark([name, *self.went_into(name)], name, why, at) for name in dict.fromkeys(artifact_ids))

    def marks(self, artifact_ids: Sequence[str]) -> list[Mark]:
        """What is no longer to be believed among these, the oldest mark first."""
        return self._cold.marks(artifact_ids)

    def latest(self, limit: int = 10) -> list[str]:
        """Trace ids, newest first."""
        return self._cold.latest(limit)

    def forget(self, parameter: str, value: str) -> int:
        """Remove every trace with an artifact that was made with this parameter, for good, from all tiers and partitions.

        What is deleted is overwritten, the write-ahead log is emptied, and the file compacted (SQLite; elsewhere, deleted).

        Returns:
            How many traces there were.

        Raises:
            StoreError: also when the cold tier is done but the hot one does not answer.
        """
        gone = self._cold.forget(parameter, value)
        self._hot.clear()
        return gone

    def prune(self, older_than_s: float) -> int:
        """Remove the traces that are older than so many seconds, from all tiers. Returns how many."""
        now = self._now()
        gone = self._cold.prune(now - older_than_s, now)
        if gone:
            self._hot.clear()
        return gone

    def close(self) -> None:
        """Release the connections."""
        self._hot.close()
        self._cold.close()

    def _receive(self, artifacts: Sequence[Artifact]) -> None:
        own = {artifact.artifact_id for artifact in artifacts}
        others = {parent for artifact in artifacts for parent in artifact.parents} - own
        known = own | (self.known(others) if others else set())
        for artifact in artifacts:
            verify(artifact, known.__contains__)

    def _heat(self, traces: Sequence[Sequence[Row]]) -> None:
        """Hold what was committed. A trace that only grew is not held: the hot tier answers with whole ones."""
        whole = [rows for rows in traces if not rows[0].parents]
        grown = [rows[0].trace_id for rows in traces if rows[0].parents]
        if whole:
            self._hot.put(whole)
        if grown:
            self._hot.drop(grown)

    def _held(self, trace_id: str) -> dict[str, str] | None:
        """From the hot tier, unless something was removed since it was last looked at: then it starts anew."""
        removals = self._cold.removals()
        if removals != self._removals:
            self._removals = removals
            self._hot.clear()
        return self._hot.trace(trace_id)
