"""The small catalogs of `tests/field`: records in short form, filled up to those of `data/catalog/schema.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self, TypeVar

from pydantic import ValidationError

from data.catalog.schema import Artist, Credit, Record, Track, inherit
from data.contracts import EntityType
from data.names import name_key
from program.index.gather import album_id

_R = TypeVar("_R", bound=Record)


class Name(Protocol):
    """What `Shelf.entity_ids` looks for. artist: an artist's id; None = anyone's."""

    @property
    def type(self) -> EntityType:
        """Type of the entity."""

    @property
    def name(self) -> str:
        """Its name as the catalog writes it; for an artist its id will do."""

    @property
    def artist(self) -> str | None:
        """Whose it is."""


class FieldCatalog(Record):
    """A catalog in short.

    Attributes:
        artists: `name` and any field of `Artist`; an `id` only where two artists share a name.
        tracks: `title`, `by` (an artist's id, or a list of them) and any field of `Track`; an artist without a record of its
            own has its name for an id.
    """

    artists: tuple[dict[str, Any], ...] = ()
    tracks: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Shelf:
    """The records of one row's catalog; tracks hold what they inherit from their artist."""

    artists: tuple[Artist, ...]
    tracks: tuple[Track, ...]

    @classmethod
    def of(cls, own: FieldCatalog, common: FieldCatalog | None) -> Self:
        """The row's own records and the common ones; of an artist in both, the row's record counts.

        Raises:
            ValueError: a record is not valid, or a track comes twice; says which.
        """
        both = (own, common) if common else (own,)
        artists: dict[str, Artist] = {}
        for row in (row for catalog in both for row in catalog.artists):
            artist = _artist(row)
            artists.setdefault(artist.artist_id, artist)
        rows = [row for catalog in both for row in catalog.tracks]
        for name in (name for row in rows for name in _credited(row)):
            artists.setdefault(name, Artist(artist_id=name, name=name))
        return cls(tuple(artists.values()), tuple(_tracks(rows, artists)))

    @cached_property
    def names(self) -> frozenset[str]:
        """Name keys of everything that the catalog holds, other names included."""
        titles = (text for track in self.tracks for text in (track.title, track.album or track.title, *track.aliases))
        acts = (text for artist in self.artists for text in (artist.name, *artist.aliases, *artist.former_names))
        return frozenset(map(name_key, (*titles, *acts)))

    def entity_ids(self, wanted: Name) -> frozenset[str]:
        """Ids of everything that answers to `wanted`, as an index gives them."""
        if wanted.type == "artist":
            return frozenset(a.artist_id for a in self.artists if wanted.name in (a.artist_id, a.name))
        theirs = [t for t in self.tracks if wanted.artist in (None, *(credit.artist_id for credit in t.artists))]
        if wanted.type == "track":
            return frozenset(track.track_id for track in theirs if track.title == wanted.name)
        return frozenset(album_id(t.artists[0].artist_id, t.album) for t in theirs if t.album and t.album == wanted.name)


def _artist(row: dict[str, Any]) -> Artist:
    fields = dict(row)
    fields["artist_id"] = fields.pop("id", fields.get("name"))
    return _valid(Artist, fields, f"artist {row.get('name')}")


def _credited(row: dict[str, Any]) -> list[str]:
    by = row.get("by", [])
    return [by] if isinstance(by, str) else list(by)


def _tracks(rows: Iterable[dict[str, Any]], artists: dict[str, Artist]) -> Iterable[Track]:
    times: Counter[str] = Counter()
    for row in rows:
        fields = {name: value for name, value in row.items() if name != "by"}
        credits = [Credit(artist_id=name, name=artists[name].name) for name in _credited(row)]
        title = f"{credits[0].artist_id if credits else ''}--{name_key(str(row.get('title', '')))}"
        times[title] += 1
        identity = title if times[title] == 1 else f"{title}--{times[title]}"
        track = _valid(Track, {**fields, "track_id": identity, "artists": credits}, f"track {row.get('title')}")
        yield inherit(track, artists[credits[0].artist_id])


def _valid(model: type[_R], fields: dict[str, Any], what: str) -> _R:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{what}: {'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from error
