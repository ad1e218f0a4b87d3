"""What the graph asks of a trace store, and what the trace store asks of its hot tier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from data.contracts import Artifact
from program.trust.store.rows import Row


class ArtifactSink(Protocol):
    """Takes the artifacts of sessions; all that the graph needs of a store."""

    def add(self, artifacts: Sequence[Artifact]) -> None:
        """Keep one session's artifacts.

        Raises:
            StoreError: they cannot be kept.
        """
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class HotTier(Protocol):
    """A cache of whole traces that were just written. It may forget at any time, and no method raises but `clear`.

    What it holds is never newer than the cold tier: it is written after, and read first.
    """

    @property
    def fault(self) -> str:
        """Why it does not answer now; empty while it does."""
        ...

    def put(self, traces: Sequence[Sequence[Row]]) -> None:
        """Keep these, each with every row of its trace, for the tier's time to live."""
        ...

    def drop(self, trace_ids: Sequence[str]) -> None:
        """Forget these traces: they have grown in the cold tier."""
        ...

    def trace(self, trace_id: str) -> dict[str, str] | None:
        """Artifact id → body of one trace, whole; None where it is not held."""
        ...

    def clear(self) -> None:
        """Forget everything.

        Raises:
            StoreError: it does not answer, so what it holds stays until its time to live is over.
        """
        ...

    def close(self) -> None:
        """Release the connections."""
        ...
