"""The most memory that this process and the processes it starts hold together."""

from __future__ import annotations

import re
import resource
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

_EVERY_S = 0.2
_SELF = Path("/proc/self")


class MemoryWatch:
    """Watches resident memory while it is entered; mapped files that were read count too.

    The process's own peak is the kernel's; what its children hold beside it is looked at five times a second. Without
    /proc, children are not seen.
    """

    def __init__(self) -> None:
        self._most = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._ended.set()
        self._thread.join()

    def peak_bytes(self) -> int:
        """The peak so far."""
        return max(self._most, _own_peak())

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._most = max(self._most, sum(_status(process, "VmRSS") for process in _family(_SELF)))


def _own_peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return _status(_SELF, "VmHWM") or peak


def _family(process: Path) -> list[Path]:
    """A process and all that descend from it."""
    found = [process]
    for file in process.glob("task/*/children"):
        for number in _read(file).split():
            found.extend(_family(Path("/proc") / number))
    return found


def _status(process: Path, name: str) -> int:
    """Bytes in a field of a process's status; 0 where there is none."""
    line = re.search(rf"^{name}:\s+(\d+) kB", _read(process / "status"), re.MULTILINE)
    return int(line[1]) * 1024 if line else 0


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # the process has ended
        return ""
