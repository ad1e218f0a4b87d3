"""Loose rows to checked records: the one place where a source's cells become `Artist` and `Track`.

The schema stays the judge: every record passes pydantic, and what it refuses becomes a `RowError` about that field.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from pydantic import ValidationError

from data.catalog.importers.canonical import CanonicalTracks
from data.catalog.importers.columns import ARTISTS, TRACKS
from data.catalog.importers.facets import WORD_FIELDS, FacetWords, Sorted
from data.catalog.importers.values import FieldReader
from data.catalog.importers.versions import version_of
from data.catalog.schema import Artist, Track
from data.errors import RowError
from data.names import name_key
from data.vocab.loader import Vocabulary

_MAX_DERIVED = 160
_TEXT_LISTS = ("aliases", "former_names", "transliterations")
_ID_KEYS = ("artist_id", "id", "uri")
_NO_ORIGINAL_YEAR = frozenset({"remaster", "live", "remix", "karaoke", "cover", "acoustic", "re-recording"})


def derived_id(*names: str) -> str:
    """A stable id from names: their keys joined by "--", shortened with a digest when long; the same on every run."""
    joined = "--".join(name_key(name) or blake2b(name.encode(), digest_size=8).hexdigest() for name in names)
    if len(joined) <= _MAX_DERIVED:
        return joined
    digest = blake2b("\n".join(names).encode(), digest_size=8).hexdigest()
    return f"{joined[:_MAX_DERIVED]}-{digest}"


class ArtistIds:
    """Which artist a name or an id means: the artists read so far, then an id made from the name's key."""

    def __init__(self) -> None:
        self.name_of: dict[str, str] = {}
        self._by_key: dict[str, str] = {}
        self._by_alias: dict[str, str] = {}
        self._by_text: dict[str, str] = {}

    def add(self, artist: Artist) -> None:
        """Remember an artist; of two with one name, the first answers to it."""
        self.name_of[artist.artist_id] = artist.name
        self._by_key.setdefault(name_key(artist.name), artist.artist_id)
        for word in (*artist.aliases, *artist.former_names, *artist.transliterations):
            self._by_alias.setdefault(name_key(word), artist.artist_id)

    def id_of(self, name: str) -> str:
        """The id of the artist called `name`; an artist no row describes gets `name:` and its name's key."""
        found = self._by_text.get(name)
        if found is None:
            key = name_key(name)
            found = self._by_key.get(key) or self._by_alias.get(key) or f"name:{derived_id(name)}"
            self._by_text[name] = found
        return found


class RowMapper:
    """Turns rows into records; artists must come before the tracks that name them. Holds every id read so far.

    Args:
        vocabularies: by facet name.
    """

    def __init__(self, vocabularies: Mapping[str, Vocabulary]) -> None:
        self._facets = FacetWords(vocabularies)
        self._canonical = CanonicalTracks(vocabularies)
        self._artists = ArtistIds()
        self._track_ids: set[str] = set()

    def artist(self, values: Mapping[str, Any], row: int) -> Artist:
        """The artist that a row describes.

        Raises:
            RowError: a field is missing, of the wrong type, too long or out of range, or the id is taken.
        """
        read = FieldReader(ARTISTS.pick(values), row)
        name = read.text("name")
        if not name:
            raise read.bad("name", "missing")
        found: Sorted = {}
        fields: dict[str, Any] = {"name": name, "artist_id": read.text("artist_id") or f"name:{derived_id(name)}"}
        fields.update({field: tuple(read.words(field)) for field in _TEXT_LISTS if field in read.found})
        self._shared(read, fields, found)
        try:
            artist = Artist(**fields, genres=tuple(found.get("genres", ())))
        except ValidationError as error:
            raise _row_error(error, read) from None
        if artist.artist_id in self._artists.name_of:
            raise read.bad("artist_id", "already used by an earlier row")
        self._artists.add(artist)
        return artist

    def track(self, values: Mapping[str, Any], row: int) -> Track:
        """The track that a row describes.

        Raises:
            RowError: a field is missing, of the wrong type, too long or out of range, or the id is taken.
        """
        ready = self._canonical.fields(values)
        if ready is not None and ready["track_id"] not in self._track_ids:
            with suppress(ValidationError):
                track = Track(**ready)
                self._track_ids.add(track.track_id)
                return track
        read = FieldReader(TRACKS.pick(values), row)
        title = read.text("title")
        if not title:
            raise read.bad("title", "missing")
        found: Sorted = {}
        fields: dict[str, Any] = {"title": title, "artists": self._credits(read)}
        self._shared(read, fields, found)
        self._recording(read, fields, found)
        fields["track_id"] = read.text("track_id") or _track_id(fields)
        fields.update({field: tuple(words) for field, words in found.items()})
        try:
            track = Track(**fields)
        except ValidationError as error:
            raise _row_error(error, read) from None
        if track.track_id in self._track_ids:
            raise read.bad("track_id", "already used by an earlier row")
        self._track_ids.add(track.track_id)
        return track

    def _credits(self, read: FieldReader) -> tuple[dict[str, str], ...]:
        """The row's artists as id and name; an id alone is named by its artist row, a name alone gets its id."""
        items = read.items("artists", "|;")
        names = [name for item in items if (name := read.named(item, "artists"))]
        ids = read.words("artist_ids") or _ids_within(items)
        if not names:
            if not ids:
                raise read.bad("artists", "missing")
            if not all(artist_id in self._artists.name_of for artist_id in ids):
                raise read.bad("artist_ids", "no artist has this id")
            names = [self._artists.name_of[artist_id] for artist_id in ids]
        if len(ids) > len(names):
            raise read.bad("artist_ids", "more ids than artist names")
        ids += [self._artists.id_of(name) for name in names[len(ids) :]]
        credits: dict[str, str] = {}
        for artist_id, name in zip(ids, names, strict=True):
            credits.setdefault(artist_id, name)
        return tuple({"artist_id": artist_id, "name": name} for artist_id, name in credits.items())

    def _shared(self, read: FieldReader, fields: dict[str, Any], found: Sorted) -> None:
        """The fields that artists and tracks have in common."""
        present = read.found
        for field in WORD_FIELDS:
            if field in present:
                self._facets.sort(field, read.words(field), found)
        if "region" in present and (word := read.text("region")):
            fields["region"] = self._facets.region(word, found)
        if "language" in present and (words := read.words("language")):
            fields["language"] = self._facets.language(words[0], found)
        if "vocal" in present and (word := read.text("vocal")):
            fields["vocal"] = self._facets.vocal(word, found)
        if "popularity" in present:
            fields["popularity"] = read.number("popularity")

    def _recording(self, read: FieldReader, fields: dict[str, Any], found: Sorted) -> None:
        """The fields that only tracks have."""
        present = read.found
        if "tags" in present:
            self._facets.sort("tags", read.words("tags"), found)
        if "album" in present:
            fields["album"] = read.text("album")
        word = read.text("version")
        version = (self._facets.version(word, found) if word else None) or version_of(fields["title"])
        fields["version"] = version
        if "bpm" in present:
            fields["bpm"] = read.positive("bpm")
        if "aliases" in present:
            fields["aliases"] = tuple(read.words("aliases"))
        if "lyrics" in present:
            fields["lyrics"] = read.lines("lyrics")
        if "playable" in present and (flag := read.flag("playable")) is not None:
            fields["playable"] = flag
        self._times(read, fields)

    @staticmethod
    def _times(read: FieldReader, fields: dict[str, Any]) -> None:
        """Years and length. A release's year stands for the original's unless the recording is a later version."""
        present = read.found
        if "release_year" in present:
            fields["release_year"] = read.year("release_year")
        if "year" in present:
            fields["year"] = read.year("year")
        if fields.get("year") is None and fields["version"] not in _NO_ORIGINAL_YEAR:
            fields["year"] = fields.get("release_year")
        if "duration_s" in present:
            fields["duration_s"] = read.positive("duration_s")
        elif "duration_ms" in present:
            milliseconds = read.positive("duration_ms")
            fields["duration_s"] = milliseconds / 1000 if milliseconds is not None else None
        elif "duration" in present:
            fields["duration_s"] = read.seconds("duration")


def _track_id(fields: Mapping[str, Any]) -> str:
    version = fields["version"]
    return derived_id(fields["artists"][0]["name"], fields["title"], *([version] if version != "original" else ()))


def _ids_within(items: list[Any]) -> list[str]:
    """The ids of artists written as objects; empty unless every one of them has one."""
    objects = [item for item in items if isinstance(item, Mapping)]
    ids = [next((str(item[key]) for key in _ID_KEYS if item.get(key)), "") for item in objects]
    return ids if len(ids) == len(items) and all(ids) else []


def _row_error(error: ValidationError, read: FieldReader) -> RowError:
    """The first thing that the schema refuses, about the record's field."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return read.bad(str(first["loc"][0]), first["msg"])
