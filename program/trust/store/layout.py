"""What the cold tier asks of the place where its partitions lie: files.py, or database.py.

A file a month is the default because what is too old then goes by removing a file: 0.06 s for 25,000 artifacts of a year's
300,000, where tables in one file took 15 s and rows of one table 21 s, every writer locked out. It writes half as fast again
too, for its indexes are smaller (300,000 artifacts of 3 KB: 13,800 a second against 9,400; experiments/LOG.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from sqlalchemy.engine import Engine

from data.errors import StoreError
from program.trust.store.partition import Partition
from program.trust.store.periods import EVERYTHING, span
from program.trust.store.tables import make, tables_of, told

OPENING = "open the trace store"


class Layout(Protocol):
    """The partitions of one cold tier. Every method raises StoreError when the disk or the database fails."""

    def at(self, time_s: float) -> Partition:
        """The partition that is written to at a time, made if need be."""
        ...

    def all(self) -> list[Partition]:
        """Every partition that there is now, the newest first; other processes may have made some."""
        ...

    def drop(self, partition: Partition) -> None:
        """Remove a partition with all that it holds."""
        ...

    def removals(self) -> int:
        """A number that changes whenever anything was removed, by whichever process."""
        ...

    def note_removal(self) -> None:
        """Tell every process that something was removed."""
        ...

    def close(self) -> None:
        """Release the connections."""
        ...


def opened(name: str, engine: Engine, suffix: str) -> Partition:
    """A partition whose tables are there."""
    bounds = span(name)
    assert bounds is not None
    tables = tables_of(suffix)
    with told(OPENING):
        make(engine, tables.artifacts, tables.parents, tables.marks)
    return Partition(name, engine, suffix, *bounds)


def newest_first(names: Iterable[str]) -> list[str]:
    """Names of partitions; the one without a time is that of earlier versions, so the oldest."""
    return sorted(names, key=lambda name: (name != EVERYTHING, (span(name) or (0.0, 0.0))[1]), reverse=True)


@contextmanager
def disk_told(what: str) -> Iterator[None]:
    """Whatever the file system complains of inside becomes a StoreError that says what could not be done."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot {what}: {error.strerror or error}") from error
