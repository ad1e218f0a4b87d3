"""The cold tier: everything, for good, spread over partitions by time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from program.trust.store.layout import Layout
from program.trust.store.partition import Edge, Partition
from program.trust.store.removal import count, made_with, older, remove
from program.trust.store.rows import Mark, Row


class ColdTier:
    """Reads and writes over all partitions. Every method raises StoreError when the store fails."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def place(self, rows: Sequence[Row]) -> str:
        """The partition that a trace is written to, by its first row: a trace stays whole over the end of a month."""
        return self._layout.at(rows[0].created_at).name

    def write(self, traces: Sequence[Sequence[Row]]) -> None:
        """Write traces that share a place, all or none."""
        self._layout.at(traces[0][0].created_at).write([row for rows in traces for row in rows])

    def trace(self, trace_id: str) -> dict[str, str]:
        """Artifact id → body of one trace; empty when there is none."""
        found: dict[str, str] = {}
        for partition in self._layout.all():
            found.update(partition.trace(trace_id))
        return found

    def bodies(self, ids: Sequence[str]) -> dict[str, str]:
        """Artifact id → body, of those that are known."""
        return self._gather(ids, Partition.bodies)

    def nodes(self, ids: Sequence[str]) -> dict[str, str]:
        """Artifact id → node, of those that are known."""
        return self._gather(ids, Partition.nodes)

    def walk(self, start: str, *, forward: bool) -> list[str]:
        """What an artifact went into (forward) or was made from, nearest first, each once; names at one distance by name."""
        edges = self._edges(start, forward=forward)
        further: dict[str, set[str]] = {}
        for child, parent in edges:
            here, there = (parent, child) if forward else (child, parent)
            further.setdefault(here, set()).add(there)
        found: dict[str, None] = {}
        frontier = [start]
        while frontier:
            reached = sorted({there for here in frontier for there in further.get(here, ())})
            frontier = [name for name in reached if name not in found]
            found.update(dict.fromkeys(frontier))
        return list(found)

    def latest(self, limit: int) -> list[str]:
        """Trace ids, newest first."""
        found: list[tuple[float, str]] = []
        for partition in self._layout.all():
            if len(found) < limit or partition.end > min(found)[0]:
                found = sorted([*found, *partition.latest(limit)], key=lambda one: -one[0])[:limit]
        return [trace_id for _, trace_id in found]

    def marks(self, ids: Sequence[str]) -> list[Mark]:
        """What is marked among `ids`, the oldest mark first."""
        found = [mark for partition in self._layout.all() for mark in partition.marks(ids)]
        return sorted(found, key=lambda mark: (mark.at, mark.artifact_id, mark.cause))

    def mark(self, ids: Sequence[str], cause: str, why: str, at: float) -> int:
        """Mark artifacts. Returns how many were not marked by this cause before."""
        return sum(partition.mark(ids, cause, why, at) for partition in self._layout.all())

    def forget(self, parameter: str, value: str) -> int:
        """Remove every trace with an artifact that was made with this parameter. Returns how many."""
        partitions = self._layout.all()
        names = sorted({name for partition in partitions for name in made_with(partition, parameter, value)})
        if any([remove(partition, names) for partition in partitions if names]):
            self._layout.note_removal()
        return len(names)

    def prune(self, cutoff: float, now: float, *, whole_only: bool = False) -> int:
        """Remove what is older than `cutoff` (seconds since 1970). Returns how many traces.

        Args:
            whole_only: only partitions that are older with all that they hold, which costs next to nothing.
        """
        gone = 0
        current = self._layout.at(now).name
        for partition in self._layout.all():
            if partition.name != current and _is_older(partition, cutoff):
                gone += count(partition)
                self._layout.drop(partition)
            elif partition.start < cutoff and not whole_only:
                names = older(partition, cutoff)
                remove(partition, names)
                gone += len(names)
        if gone:
            self._layout.note_removal()
        return gone

    def removals(self) -> int:
        """A number that changes whenever anything was removed, by whichever process."""
        return self._layout.removals()

    def close(self) -> None:
        """Release the connections."""
        self._layout.close()

    def _edges(self, start: str, *, forward: bool) -> set[Edge]:
        """Every link on the way. A partition is asked again only for names that others led to."""
        edges: set[Edge] = set()
        reached = {start}
        asked: dict[str, set[str]] = {}
        grows = True
        while grows:
            grows = False
            for partition in self._layout.all():
                seeds = reached - asked.setdefault(partition.name, set())
                found = partition.edges(sorted(seeds), forward=forward) if seeds else []
                edges.update(found)
                own = _ends(found, forward=forward)
                asked[partition.name] |= seeds | own
                grows = grows or not own <= reached
                reached |= own
        return edges

    def _gather(self, ids: Iterable[str], read: Callable[[Partition, Sequence[str]], dict[str, str]]) -> dict[str, str]:
        found: dict[str, str] = {}
        missing = list(ids)
        for partition in self._layout.all():
            if not missing:
                break
            found.update(read(partition, missing))
            missing = [name for name in missing if name not in found]
        return found


def _ends(edges: Iterable[Edge], *, forward: bool) -> set[str]:
    return {child if forward else parent for child, parent in edges}


def _is_older(partition: Partition, cutoff: float) -> bool:
    if partition.end <= cutoff:
        return True
    newest = partition.newest() if partition.start < cutoff and partition.end == float("inf") else None
    return newest is not None and newest < cutoff
