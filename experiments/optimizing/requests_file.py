"""Reads a person's own requests: text with one a line, or CSV or JSON Lines with a column `request`. Nothing else is read.

The text is not trusted: it is bounded, and markers that a prompt would obey are made harmless.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from data.catalog.importers import csv_file, jsonl
from data.catalog.importers.columns import Columns
from data.catalog.importers.rejects import Rejects
from data.catalog.importers.streams import SourceRow, open_bytes, reading
from data.catalog.importers.values import FieldReader
from data.errors import CatalogError, InputError, RequestError, RowError
from data.nameforms import name_form
from program.settings import RequestLimits
from program.trust.guards import clean_request

MOST_REQUESTS = 100_000
"""Rows of one file."""
LIMITS = RequestLimits(max_chars=500)
"""A small model's prompt holds no longer request."""
_MAX_LINE = 64 * 1024
_TEXT, _CSV, _JSONL = (".txt",), (".csv", ".tsv"), (".jsonl", ".ndjson")
_FIELD = "request"
_COLUMNS = Columns({_FIELD: "request query user_query"})


@dataclass(frozen=True)
class OwnRequests:
    """What a file holds: each request once, in its order. rejects: rows that cannot be used."""

    texts: tuple[str, ...] = ()
    rejects: Rejects = field(default_factory=Rejects)


def request_key(text: str) -> str:
    """The same for requests that differ in case, accents, punctuation and spacing only."""
    return name_form(text).replace(" ", "")


def read_requests(path: Path) -> OwnRequests:
    """The requests of a file.

    Raises:
        CatalogError: the file is missing or cannot be read, or its header has no column for requests.
        InputError: a format that is not known, too many rows, or not one request in them.
    """
    rejects, found = Rejects(), dict[str, str]()
    for number, values in _rows(path):
        if number > MOST_REQUESTS:
            raise InputError(f"{path} has more than {MOST_REQUESTS:,} rows", hint="give fewer requests at a time")
        try:
            text = _request(values, number)
        except RowError as error:
            rejects.add(error)
            continue
        found.setdefault(request_key(text), text)
    if not found:
        raise InputError(f"{path} holds no request", hint=rejects.summary())
    return OwnRequests(tuple(found.values()), rejects)


def _request(values: dict[str, object] | RowError, number: int) -> str:
    """The request of one row, harmless.

    Raises:
        RowError: there is none, or it cannot be used.
    """
    if isinstance(values, RowError):
        raise values
    text = FieldReader(_COLUMNS.pick(values), number).text(_FIELD) or ""
    try:
        return clean_request(text, LIMITS)
    except RequestError as error:
        reason = f"over {LIMITS.max_chars} characters" if len(text) > LIMITS.max_chars else error.message
        raise RowError(reason, row=number, field=_FIELD) from error


def _rows(path: Path) -> Iterator[SourceRow]:
    name = path.name.casefold().removesuffix(".gz")
    if not path.is_file():
        raise CatalogError(f"no such file: {path}")
    if name.endswith(_CSV):
        return csv_file.table_rows(path, _COLUMNS, lambda names: _check(path, names))
    if name.endswith(_JSONL):
        return jsonl.rows(path)
    if name.endswith(_TEXT):
        return _lines(path)
    raise InputError(f"{path.name} is no file of requests", hint="a .txt file with one a line, or .csv or .jsonl (.gz too)")


def _check(path: Path, names: list[str]) -> None:
    if not any(map(_COLUMNS.knows, names)):
        raise CatalogError(f"{path}: the header has no column for {_FIELD}")


def _lines(path: Path) -> Iterator[SourceRow]:
    """Lines of a text file that hold anything; a long one is skipped with an error."""
    with reading(path), open_bytes(path) as file:
        number = 0
        while line := file.readline(_MAX_LINE):
            number += 1
            if len(line) == _MAX_LINE and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = file.readline(_MAX_LINE)
                yield number, RowError(f"over {LIMITS.max_chars} characters", row=number)
                continue
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                yield number, RowError("not UTF-8", row=number)
                continue
            if text:
                yield number, {_FIELD: text}
