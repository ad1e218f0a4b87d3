"""The cold tier as SQLite files, one a stretch of time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from data.errors import StoreError
from program.lm.environment import private_folder
from program.trust.store.layout import OPENING, disk_told, newest_first, opened
from program.trust.store.partition import Partition
from program.trust.store.periods import EVERYTHING, Period, name_of, span
from program.trust.store.tables import engine_of

_SUFFIX = ".sqlite"


class FilePartitions:
    """SQLite files in a folder beside `path`, named by time; `path` itself holds what was written before there were any.

    Args:
        path: `traces.sqlite`; the folder is then `traces`, readable by its owner only. With the period `none` it is the store.
        now: seconds since 1970.
    """

    def __init__(self, path: Path, period: Period, now: Callable[[], float]) -> None:
        self._path, self._period = path, period
        self._folder = path.with_suffix("")
        self._removals = self._folder / "removals"
        self._lock = threading.Lock()
        self._open: dict[str, Partition] = {}
        self._listed: tuple[int, list[str]] = (-1, [])
        try:
            private_folder(self._folder)
            if not self._removals.exists():  # touching it would tell the others of a removal
                self._removals.touch()
        except OSError as error:
            raise StoreError(f"cannot make the folder of the trace store: {error}") from error
        self.at(now())
        self.all()

    def at(self, time_s: float) -> Partition:
        """The partition that is written to at a time, made if need be."""
        return self._partition(name_of(time_s, self._period))

    def all(self) -> list[Partition]:
        """Every partition that there is now, the newest first."""
        with disk_told(OPENING):
            changed = self._folder.stat().st_mtime_ns
            if self._listed[0] != changed:
                self._listed = (changed, self._names())
                self._let_go()
        return [self._partition(name) for name in self._listed[1]]

    def drop(self, partition: Partition) -> None:
        """Remove the file with what SQLite keeps beside it."""
        with self._lock:
            self._open.pop(partition.name, None)
        partition.engine.dispose()
        file = self._file(partition.name)
        with disk_told("remove from the trace store"):
            for beside in ("", "-wal", "-shm"):
                Path(f"{file}{beside}").unlink(missing_ok=True)
        self._listed = (-1, [])

    def removals(self) -> int:
        """When the last removal was."""
        with disk_told("read the trace store"):
            return self._removals.stat().st_mtime_ns

    def note_removal(self) -> None:
        """Touch the file that every process looks at."""
        with disk_told("remove from the trace store"):
            before = self._removals.stat().st_mtime_ns
            self._removals.touch()
            if self._removals.stat().st_mtime_ns == before:  # two removals within one tick of the file system's clock
                os.utime(self._removals, ns=(before + 1, before + 1))

    def close(self) -> None:
        """Release the connections."""
        with self._lock:
            for partition in self._open.values():
                partition.engine.dispose()
            self._open.clear()

    def _let_go(self) -> None:
        """Close the files that another process removed."""
        with self._lock:
            for name in self._open.keys() - set(self._listed[1]):
                self._open.pop(name).engine.dispose()

    def _names(self) -> list[str]:
        names = [file.stem for file in self._folder.glob(f"*{_SUFFIX}") if span(file.stem) is not None]
        names += [EVERYTHING] if self._path.exists() else []
        return newest_first(names)

    def _file(self, name: str) -> Path:
        return self._path if name == EVERYTHING else self._folder / f"{name}{_SUFFIX}"

    def _partition(self, name: str) -> Partition:
        with self._lock:
            if name not in self._open:
                self._open[name] = opened(name, engine_of(f"sqlite:///{self._file(name)}"), "")
            return self._open[name]
