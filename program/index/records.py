"""Records by row: one JSON line each, and their byte offsets, memory-mapped."""

from __future__ import annotations

import hashlib
import mmap
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from data.errors import CatalogIndexError


class RecordWriter:
    """Appends records; `close` writes the offsets. `digest` covers every byte written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb", buffering=1 << 20)
        self._offsets: list[int] = [0]
        self._hash = hashlib.sha256()

    def append(self, line: bytes) -> int:
        """Write one record and return its row."""
        self._file.write(line)
        self._file.write(b"\n")
        self._hash.update(line + b"\n")
        self._offsets.append(self._offsets[-1] + len(line) + 1)
        return len(self._offsets) - 2

    def digest(self) -> str:
        """SHA-256 of all records so far, in hex."""
        return self._hash.hexdigest()

    def close(self) -> None:
        """Flush the records and write their offsets."""
        self._file.close()
        np.save(self._path.with_suffix(".offsets.npy"), np.array(self._offsets, dtype=np.uint64))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class RecordReader:
    """Random access to records by row.

    Raises:
        CatalogIndexError: the file is shorter than its offsets say.
    """

    def __init__(self, path: Path) -> None:
        self._offsets = np.load(path.with_suffix(".offsets.npy"), allow_pickle=False)
        size = path.stat().st_size
        if len(self._offsets) == 0 or int(self._offsets[-1]) != size:
            raise CatalogIndexError(f"{path.name} is damaged", hint="build the index again")
        self._file = path.open("rb")
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def line(self, row: int) -> bytes:
        """The record at `row`, without its line end."""
        return self._map[int(self._offsets[row]) : int(self._offsets[row + 1]) - 1]

    def close(self) -> None:
        """Release the map and the file."""
        if isinstance(self._map, mmap.mmap):
            self._map.close()
        self._file.close()
