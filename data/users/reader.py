"""Reads a listener's file: CSV or JSON Lines of likes and plays, or the dialogues of CPCD with their likes and dislikes.

Bad rows are given to the rejects with their numbers; only a file that cannot be read at all is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from data.catalog.importers import csv_file, jsonl
from data.catalog.importers.columns import column_form
from data.catalog.importers.rejects import Rejects
from data.catalog.importers.streams import SourceRow
from data.catalog.importers.values import FieldReader, clean
from data.errors import CatalogError, RowError
from data.users.columns import EVENTS, KIND_OF
from data.users.schema import EVENT_KINDS, Event, EventKind, LooseEvent

Format = Literal["csv", "jsonl", "cpcd"]
_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_MAX_REQUEST, _MAX_NAME, _MAX_COUNT = 500, 200, 1_000_000
_MILLISECONDS_FROM, _LATEST = 1e11, 4102444800.0
"""A time from 1e11 on is in milliseconds; none lies after the year 2100."""
_TIMES: dict[EventKind, tuple[str, ...]] = {
    "like": ("liked_at", "at", "played_at"), "dislike": ("at", "liked_at", "played_at"), "play": ("played_at", "at", "liked_at"),
}  # fmt: skip


def detect_format(path: Path) -> Format:
    """What a listener's file is, told by its name and, for CPCD, by its first row.

    Raises:
        CatalogError: there is no such file.
    """
    if not path.is_file():
        raise CatalogError(f"no such file: {path}")
    if path.name.casefold().endswith(_CSV):
        return "csv"
    first = jsonl.first_row(path)
    return "cpcd" if first is not None and isinstance(first.get("turns"), list) else "jsonl"


def read_events(path: Path, format: Format, rejects: Rejects, kind: EventKind | None = None) -> Iterator[LooseEvent]:
    """The events of a file in its order. A row of CPCD gives several, one for each track that was liked or disliked.

    Args:
        rejects: takes the rows that cannot be used; it starts empty, and is complete when the result is used up.
        kind: what a row is that does not say so; None: a play where it holds a time or a number of plays, else a like.

    Raises:
        CatalogError: the file cannot be read, or its header names no track.
    """
    if rejects.path is not None and rejects.path.exists() and rejects.path.samefile(path):
        raise CatalogError("the rejects file is the listener's own file", hint="give another path for the rejects")
    rejects.begin()
    try:
        for number, values in _rows(path, format):
            try:
                if isinstance(values, RowError):
                    raise values
                yield from _dialogue(values, number) if format == "cpcd" else [_event(values, number, kind)]
            except RowError as error:
                rejects.add(error, file=path.name, values=values if isinstance(values, Mapping) else None)
    finally:
        rejects.flush()


def _rows(path: Path, format: Format) -> Iterator[SourceRow]:
    return csv_file.table_rows(path, EVENTS, lambda names: _check(path, names)) if format == "csv" else jsonl.rows(path)


def _check(path: Path, names: list[str]) -> None:
    fields = {EVENTS.field_of(name) for name in names}
    if "track_id" not in fields and not {"title", "artists"} <= fields:
        raise CatalogError(f"{path}: the header has no column for track_id, or for title and artist")


def _event(values: Mapping[str, Any], row: int, default: EventKind | None) -> LooseEvent:
    read = FieldReader(EVENTS.pick(values), row)
    track_id, title, artists = read.text("track_id") or "", read.text("title") or "", tuple(read.words("artists", "|;"))
    if not track_id and not (title and artists):
        raise read.bad("track_id", "neither an id nor title and artist")
    if len(track_id) > _MAX_NAME:
        raise read.bad("track_id", f"over {_MAX_NAME} characters")
    kind = _kind(read, default)
    event = Event(
        track_id="", kind=kind, at=next((at for name in _TIMES[kind] if (at := _time(read, name)) is not None), None),
        count=_count(read) if kind == "play" else 1, request=(read.text("request") or "")[:_MAX_REQUEST],
        session=(read.text("session") or "")[:_MAX_NAME],
    )  # fmt: skip
    return LooseEvent(row, event, track_id, title, artists)


def _kind(read: FieldReader, default: EventKind | None) -> EventKind:
    word = read.text("kind")
    if word:
        kind = KIND_OF.get(column_form(word))
        if kind is None:
            raise read.bad("kind", f"none of {', '.join(EVENT_KINDS)}")
        return kind
    flag = read.flag("liked")
    if flag is not None:
        return "like" if flag else "dislike"
    return default or ("play" if {"played_at", "count"} & read.found.keys() else "like")


def _count(read: FieldReader) -> int:
    number = read.number("count")
    if number is None:
        return 1
    if not number.is_integer() or not 1 <= number <= _MAX_COUNT:
        raise read.bad("count", "not a number of plays")
    return int(number)


def _time(read: FieldReader, field: str) -> float | None:
    """Seconds since 1970: a number of seconds or milliseconds, or a date with or without a time; without a zone, UTC."""
    value = read.found.get(field)
    if value is None:
        return None
    if isinstance(value, str) and not value.strip().lstrip("-").replace(".", "", 1).isdigit():
        seconds = _parsed(value.strip())
    else:
        number = read.number(field)
        seconds = number / 1000 if number is not None and number >= _MILLISECONDS_FROM else number
    if seconds is None or not 0 <= seconds <= _LATEST:
        raise read.bad(field, "not a time")
    return float(seconds)


def _parsed(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _dialogue(values: Mapping[str, Any], row: int) -> list[LooseEvent]:
    """The likes and dislikes of one dialogue, turn by turn, each with the words of its turn."""
    name, turns = values.get("id"), values.get("turns")
    if not isinstance(name, str) or not clean(name) or not isinstance(turns, list):
        raise RowError("expected an id and turns", row=row)
    found: list[LooseEvent] = []
    for turn, said in enumerate(turns):
        request = said.get("user_query") if isinstance(said, Mapping) else None
        if not isinstance(request, str):
            raise RowError("expected turns with user_query", row=row, field="turns")
        for field, kind in _FEEDBACK.items():
            tracks = said.get(field, [])
            if not isinstance(tracks, list) or not all(isinstance(track, str) and clean(track) for track in tracks):
                raise RowError("not a list of track ids", row=row, field=field)
            event = Event("", kind, request=clean(request)[:_MAX_REQUEST], session=clean(name)[:_MAX_NAME], turn=turn)
            found.extend(LooseEvent(row, event, clean(track)[:_MAX_NAME]) for track in tracks)
    return found


_FEEDBACK: dict[str, EventKind] = {"liked_results": "like", "disliked_results": "dislike"}
