"""CSV after RFC 4180: comma, semicolon or tab, with a header; a byte order mark and .gz are fine."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

from data.catalog.importers.columns import ARTISTS, TRACKS, Columns
from data.catalog.importers.streams import Part, RecordKind, SourceRow, open_bytes, reading
from data.errors import CatalogError, RowError

_DELIMITERS = ",;\t"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAX_LINE = 4 * 1024 * 1024
_Check = Callable[[list[str]], None]


def _delimiter(header: str, columns: Columns) -> str:
    """The delimiter that finds the most known columns in a header line, then the most columns."""

    def fit(delimiter: str) -> tuple[int, int]:
        cells = next(csv.reader([header], delimiter=delimiter), [])
        return sum(columns.knows(cell) for cell in cells), len(cells)

    return max(_DELIMITERS, key=fit)


def _check_header(path: Path, names: list[str], kind: RecordKind) -> None:
    columns = ARTISTS if kind == "artist" else TRACKS
    fields = {columns.field_of(name) for name in names}
    missing = [] if kind == "artist" or fields & {"artists", "artist_ids"} else ["artist"]
    if (required := "name" if kind == "artist" else "title") not in fields:
        missing.insert(0, required)
    if missing:
        raise CatalogError(
            f"{path}: the header has no column for {' and '.join(missing)}", hint="the first row must name the columns"
        )


def _cells(names: list[str], row: list[str], number: int) -> SourceRow:
    """One record by column name; cells that are left out at the end are empty."""
    try:
        "".join(row).encode("utf-8")
    except UnicodeEncodeError:
        return number, RowError("not UTF-8", row=number)
    if len(row) > len(names) and any(cell.strip() for cell in row[len(names) :]):
        return number, RowError("more cells than the header has", row=number)
    return number, dict(zip(names, row, strict=False))


def rows(path: Path, kind: RecordKind = "track") -> Iterator[SourceRow]:
    """The records after the header, which is row 1; blank lines are counted, as a spreadsheet does, and left out.

    Raises:
        CatalogError: the file cannot be read, is UTF-16, or its header names no title or artist.
    """
    columns = ARTISTS if kind == "artist" else TRACKS
    return table_rows(path, columns, lambda names: _check_header(path, names, kind))


def table_rows(path: Path, columns: Columns, check: _Check) -> Iterator[SourceRow]:
    """The records of any table after its header.

    Args:
        columns: tell which delimiter fits the header.
        check: looks at the header's names; what it raises goes on to the caller.

    Raises:
        CatalogError: the file cannot be read or is UTF-16.
    """
    with reading(path), open_bytes(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")
        header = text.readline(_MAX_LINE)
        if header[:2].encode("utf-8", "surrogateescape") in _UTF16_MARKS:
            raise CatalogError(f"{path} is UTF-16", hint="save it as UTF-8")
        text.seek(0)
        yield from _records(text, _delimiter(header, columns), check)


class _Lines:
    """A file's lines, with those of a broken record to be read again: a stray quote costs its own line only."""

    def __init__(self, file: io.TextIOBase) -> None:
        self._file = file
        self._taken: list[str] = []
        self._again: list[str] = []

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        """The next line; one that is too long is skipped with an error."""
        line = self._again.pop() if self._again else self._file.readline(_MAX_LINE)
        if not line:
            raise StopIteration
        self._taken.append(line)
        if len(line) >= _MAX_LINE:
            while line and line[-1] not in "\r\n":
                line = self._file.readline(_MAX_LINE)
            raise csv.Error(f"a line over {_MAX_LINE} characters")
        return line

    def record_ends(self, *, broken: bool = False) -> None:
        """Forget the record's lines; of a broken one, give all but the first again."""
        if broken:
            self._again.extend(reversed(self._taken[1:]))
        self._taken.clear()


def _records(file: io.TextIOBase, delimiter: str, check: _Check) -> Iterator[SourceRow]:
    lines = _Lines(file)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    names: list[str] = []
    number = 0
    while True:
        number += 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            lines.record_ends(broken=True)
            yield number, RowError(f"not valid CSV: {error}", row=number)
            continue
        lines.record_ends()
        if row and not names:
            check(row)
            names = row
        elif row:
            yield _cells(names, row, number)


def parts(path: Path, kind: RecordKind = "track") -> list[Part]:
    """One pass."""
    return [Part(path.name, kind, lambda: rows(path, kind))]
