"""The rows of `tests/field`: a request, a small catalog with traps in it, and what the answer must be.

A row is one JSON object a line; the fields below are the format. What a row wants is checked against its catalog when it is
read, so that a slip of the pen is an error and never an expectation that cannot fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError

from data.catalog.schema import Record, Track, VersionKind
from data.contracts import EntityType, Facet, IntentKind, Op, Role, Status
from data.errors import LabelError
from data.names import name_key
from experiments.external.field_catalog import FieldCatalog, Shelf
from program.index.filters import expanded

COMMON = "common.json"
"""The file of the tracks that every row's catalog is merged with, unless the row says otherwise."""


class TrackSet(Record):
    """The tracks that share everything given here.

    Attributes:
        artist: one of those credited; its id where the row gives one, else its name.
        genre: or a narrower one. year_from, year_to: inclusive, of the original recording.
    """

    title: str | None = None
    artist: str | None = None
    album: str | None = None
    version: VersionKind | None = None
    genre: str | None = None
    language: str | None = None
    year_from: int | None = None
    year_to: int | None = None

    def holds(self, track: Track) -> bool:
        """Whether the track is one of the set."""
        return (
            self.title in (None, track.title)
            and (self.artist is None or self.artist in [credit.artist_id for credit in track.artists])
            and self.album in (None, track.album)
            and self.version in (None, track.version)
            and (self.genre is None or self.genre in expanded("genre", track.genres))
            and self.language in (None, track.language)
            and (self.year_from or 0) <= (track.year or 0) <= (self.year_to or 9999)
        )

    def words(self) -> str:
        """Such as "title Africa, artist Toto"."""
        return ", ".join(f"{name} {value}" for name, value in self.model_dump(exclude_none=True).items())


class Named(Record):
    """An entity. artist: whose track or album it is, as in `TrackSet`; of several that answer to this any is right."""

    type: EntityType
    name: str
    artist: str | None = None
    role: Role = "target"


class Condition(Record):
    """A constraint that the reading must have: this facet and operation, and at least these values."""

    facet: Facet
    op: Op = "is"
    values: tuple[str, ...] = Field(min_length=1)


class Want(Record):
    """What is right. All that is given must hold; what is said of tracks binds only an answer that has some.

    Attributes:
        status: any of these; one may stand without brackets.
        entities: what the reading uses, in these roles. absent: what it names as not held, at least these words.
        first: the first track is in one of these sets. every: each track is. never: none is.
        some: each of these sets has at least one track of the answer.
        least, most: tracks in the answer. size: tracks asked for, as read from the request.
        once: no title comes twice from one artist (remarks in brackets left out).
        options: what a question must offer, when a question is an answer.
        told: words of the answer's message, description or reasons, in any case.
    """

    status: Annotated[tuple[Status, ...], BeforeValidator(lambda v: [v] if isinstance(v, str) else v), Field(min_length=1)]
    kind: IntentKind | None = None
    personal: Literal["none", "liked", "history"] | None = None
    entities: tuple[Named, ...] = ()
    absent: tuple[str, ...] = ()
    constraints: tuple[Condition, ...] = ()
    first: tuple[TrackSet, ...] = ()
    every: tuple[TrackSet, ...] = ()
    some: tuple[TrackSet, ...] = ()
    never: tuple[TrackSet, ...] = ()
    least: int | None = Field(default=None, ge=1)
    most: int | None = Field(default=None, ge=1)
    size: int | None = Field(default=None, ge=1)
    once: bool = False
    options: tuple[Named, ...] = ()
    told: tuple[str, ...] = ()


class FieldRow(Record):
    """One case.

    Attributes:
        case: the reported failure that it stands for; None for one of our own.
        locale: language of the request. bare: the catalog stands alone, without the common tracks.
        known_fault: why it fails today; empty when it must pass.
    """

    id: str = Field(min_length=1)
    case: str | None
    kind: str = Field(min_length=1)
    locale: str = "en"
    request: str = Field(min_length=1)
    catalog: FieldCatalog
    want: Want
    bare: bool = False
    known_fault: str = ""


def load_common(folder: Path) -> FieldCatalog:
    """The tracks that all rows share.

    Raises:
        LabelError: the file cannot be read or breaks the format.
    """
    try:
        return FieldCatalog.model_validate_json((folder / COMMON).read_bytes())
    except (OSError, ValidationError) as error:
        raise LabelError(f"{folder / COMMON}: {_first(error)}") from error


def load_rows(folder: Path) -> tuple[FieldRow, ...]:
    """Every row of the folder's `<kind>.jsonl` files, files by name, lines in order.

    Raises:
        LabelError: a file cannot be read, or a row breaks the format, has a used id, stands in the wrong file, or wants
            what its catalog does not hold or what cannot fail; names the file and the line.
    """
    common = load_common(folder)
    rows: list[FieldRow] = []
    for path in sorted(folder.glob("*.jsonl")):
        for place, line in _lines(path):
            try:
                row = FieldRow.model_validate_json(line)
                faults = [*row_faults(row, Shelf.of(row.catalog, None if row.bare else common))]
            except (ValidationError, ValueError) as error:
                raise LabelError(f"{place}: {_first(error)}") from error
            if row.kind != path.stem:
                faults.append(f"a row of kind {row.kind} stands in {path.name}")
            if faults:
                raise LabelError(f"{place}: {row.id}: {faults[0]}")
            rows.append(row)
    twice = [name for name, times in Counter(row.id for row in rows).items() if times > 1]
    if twice:
        raise LabelError(f"{folder}: two rows have the id {twice[0]}")
    return tuple(rows)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LabelError(f"cannot read {path}: {error}") from error
    return ((f"{path}:{number}", line) for number, line in enumerate(text.splitlines(), 1) if line.strip())


def _first(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


def row_faults(row: FieldRow, shelf: Shelf) -> Iterator[str]:
    """What the row wants that its catalog does not hold, or that every answer would give."""
    yield from _missing(row.want, shelf)
    yield from _toothless(row.want, shelf)


def _missing(want: Want, shelf: Shelf) -> Iterator[str]:
    for field in ("first", "every", "some", "never"):
        for wanted in getattr(want, field):
            if not any(wanted.holds(track) for track in shelf.tracks):
                yield f"want.{field}: the catalog has no track with {wanted.words() or 'nothing'}"
    for field in ("entities", "options"):
        for named in getattr(want, field):
            if not shelf.entity_ids(named):
                yield f"want.{field}: the catalog has no {named.type} {named.name}"
    for name in want.absent:
        if name_key(name) in shelf.names:
            yield f"want.absent: the catalog holds {name}"


def _toothless(want: Want, shelf: Shelf) -> Iterator[str]:
    plays = bool(set(want.status) & {"ok", "partial"})
    if want.every and all(any(wanted.holds(track) for wanted in want.every) for track in shelf.tracks):
        yield "want.every: every track of the catalog will do"
    if plays and not (want.first or want.every or want.some):
        yield "want: any tracks will do"
    if plays and "clarify" in want.status and not want.options:
        yield "want.options: a question is an answer only if it offers something"
