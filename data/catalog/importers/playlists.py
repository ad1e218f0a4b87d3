"""Playlists, or what was played together: (playlist id, track id) pairs from a CSV or JSON Lines file; .gz too.

A CSV has a header and one pair a row. A JSON line holds one pair, or a playlist with the list of its tracks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from data.catalog.importers import jsonl
from data.catalog.importers.columns import column_form
from data.catalog.importers.rejects import Rejects
from data.catalog.importers.streams import SourceRow, open_bytes, reading
from data.errors import CatalogError, RowError

Pair = tuple[str, str]
LIST_NAMES = ("playlist_id", "playlist", "pid", "session_id", "session", "user_id", "user", "listener")
TRACK_NAMES = ("track_id", "track", "song_id", "tracks", "track_ids", "songs")
_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_MAX_ID = 200


def read_playlists(path: Path, rejects: Rejects) -> Iterator[Pair]:
    """The pairs of a file in its order, each with ids of 1 to 200 characters; bad rows go to `rejects`.

    Raises:
        CatalogError: the file cannot be read, or its header names no playlist or no track.
    """
    if not path.is_file():
        raise CatalogError(f"no such file: {path}")
    rows = _csv_rows(path) if path.name.casefold().endswith(_CSV) else jsonl.rows(path)
    for number, row in rows:
        found = row if isinstance(row, RowError) else _pairs(row, number)
        if isinstance(found, RowError):
            rejects.add(found, file=path.name)
        else:
            yield from found


def _pairs(row: Mapping[str, Any], number: int) -> list[Pair] | RowError:
    cells = {column_form(str(name)): value for name, value in row.items()}
    playlist, tracks = _first(cells, LIST_NAMES), _first(cells, TRACK_NAMES)
    held = tracks if isinstance(tracks, list) else [tracks]
    if not _is_id(playlist):
        return RowError("no playlist id", row=number)
    if not held or not all(map(_is_id, held)):
        return RowError("no track id", row=number)
    return [(str(playlist).strip(), str(track).strip()) for track in held]


def _first(cells: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((cells[name] for name in names if cells.get(name) is not None), None)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value).strip()) <= _MAX_ID


def _csv_rows(path: Path) -> Iterator[SourceRow]:
    with reading(path), open_bytes(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace", newline="")
        delimiter = "\t" if ".tsv" in path.name.casefold() else ","
        reader = csv.reader(text, delimiter=delimiter)
        header = [column_form(name) for name in next(reader, [])]
        if not set(header) & set(LIST_NAMES) or not set(header) & set(TRACK_NAMES):
            raise CatalogError(f"{path}: the header names no playlist_id and track_id")
        number = 1
        while True:
            number += 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield number, RowError(f"not valid CSV: {error}", row=number)
                continue
            if cells:
                yield number, dict(zip(header, cells, strict=False))
