"""JSON Lines: one object a line, `{"kind": "artist", …}` an artist and any other a track; .gz too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import orjson

from data.catalog.importers.streams import Part, SourceRow, open_bytes, reading
from data.errors import RowError

MAX_LINE = 4 * 1024 * 1024
"""Longest line in bytes; a longer one is skipped and reported."""

_BOM = b"\xef\xbb\xbf"
_KIND = b'"kind"'
_TRACK_KINDS = ("track", "song")


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Numbered non-blank lines; None for a line that is too long. Never holds more than `MAX_LINE` bytes."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if number == 1 and line.startswith(_BOM):
            line = line[len(_BOM) :]
        if len(line) > MAX_LINE:
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
            yield number, None
        elif line.strip():
            yield number, line


def parse_line(line: bytes, number: int) -> dict[str, Any] | RowError:
    """The object on one line, or what is wrong with it."""
    try:
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            value = json.loads(line.decode("utf-8"))  # slower, but takes the NaN that Python writes
    except UnicodeDecodeError:
        return RowError("not UTF-8", row=number)
    except (ValueError, RecursionError):
        return RowError("not valid JSON", row=number)
    return value if isinstance(value, dict) else RowError("not a JSON object", row=number)


def _artist_rows(path: Path) -> Iterator[SourceRow]:
    """The artist lines; a broken line is left to the pass over the tracks."""
    with reading(path), open_bytes(path) as file:
        for number, line in _lines(file):
            if line is not None and _KIND in line:
                value = parse_line(line, number)
                if isinstance(value, dict) and value.get("kind") == "artist":
                    yield number, value


def _track_rows(path: Path) -> Iterator[SourceRow]:
    """Every other line."""
    with reading(path), open_bytes(path) as file:
        for number, line in _lines(file):
            if line is None:
                yield number, RowError(f"a line over {MAX_LINE} bytes", row=number)
                continue
            value = parse_line(line, number)
            kind = value.get("kind") if isinstance(value, dict) else None
            if kind is not None and kind not in _TRACK_KINDS:
                if kind == "artist" and _KIND in line:
                    continue
                value = RowError("neither artist nor track", row=number, field="kind")
            yield number, value


def parts(path: Path) -> list[Part]:
    """Two passes: the artist lines wherever they stand, then the tracks."""
    return [
        Part(path.name, "artist", lambda: _artist_rows(path)),
        Part(path.name, "track", lambda: _track_rows(path)),
    ]


def rows(path: Path) -> Iterator[SourceRow]:
    """Every line of a file whose lines are all of one kind."""
    with reading(path), open_bytes(path) as file:
        for number, line in _lines(file):
            bad_line = RowError(f"a line over {MAX_LINE} bytes", row=number)
            yield number, bad_line if line is None else parse_line(line, number)


def first_row(path: Path) -> dict[str, Any] | None:
    """The object on the first line that holds anything; None when it is not an object."""
    with reading(path), open_bytes(path) as file:
        for number, line in _lines(file):
            value = parse_line(line, number) if line is not None else None
            return value if isinstance(value, dict) else None
    return None
