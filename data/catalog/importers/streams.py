"""What a format's reader gives to `base.py`: numbered loose rows, read one after the other."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, cast

from data.errors import CatalogError, RowError

RecordKind = Literal["artist", "track"]
SourceRow = tuple[int, dict[str, Any] | RowError]
"""A row's 1-based number, with its cells by column name or with what is wrong with it."""


@dataclass(frozen=True)
class Part:
    """One pass over one file of a source.

    Attributes:
        name: what reject lines call the file.
        kind: what its rows are.
        rows: opens the file and yields its rows in order.
    """

    name: str
    kind: RecordKind
    rows: Callable[[], Iterator[SourceRow]]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what the disk or the decompressor raises into a `CatalogError` that names `path`."""
    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        raise CatalogError(f"cannot read {path}: {error}") from error


def open_bytes(path: Path) -> IO[bytes]:
    """The bytes of `path`, decompressed when its name ends in .gz."""
    return cast(IO[bytes], gzip.open(path, "rb")) if path.suffix.casefold() == ".gz" else path.open("rb")
