"""A catalog's records: what an importer yields and an index is built from.

Only a track's title and one artist are required; every other facet may be empty, and how full each one is gets counted
when an index is built.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Vocal = Literal["female", "male", "mixed", "instrumental"]
VersionKind = Literal[
    "original", "cover", "live", "remix", "karaoke", "acoustic", "re-recording", "remaster", "demo", "instrumental"
]

USUAL_SECONDS = 210.0
"""How long a track is taken to play when the catalog does not say."""

INHERITED = ("region", "language", "genres", "vocal")
"""The facets that a track takes from its first artist when it does not say otherwise."""


class Record(BaseModel):
    """Base of the records: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Artist(Record):
    """An artist.

    Attributes:
        artist_id: unique in the catalog. name: as credited.
        region: ISO 3166-1 alpha-2. language: ISO 639-1, or 639-3 where there is none.
        genres: vocabulary ids, most typical first.
        popularity: any non-negative number on the catalog's own scale; None when unknown.
    """

    artist_id: str = Field(min_length=1, max_length=200)
    name: str = Field(min_length=1, max_length=500)
    aliases: tuple[str, ...] = ()
    former_names: tuple[str, ...] = ()
    transliterations: tuple[str, ...] = ()
    region: str | None = None
    language: str | None = None
    genres: tuple[str, ...] = ()
    vocal: Vocal | None = None
    popularity: float | None = Field(default=None, ge=0)


class Credit(Record):
    """One artist credited on a track."""

    artist_id: str = Field(min_length=1, max_length=200)
    name: str = Field(min_length=1, max_length=500)


class Track(Record):
    """A track.

    Attributes:
        year: of the original recording. release_year: of this release.
        genres, moods, activities, instruments: vocabulary ids.
        tags: facet words of the source that no vocabulary holds, as written.
        bpm: beats a minute, 20..400. duration_s: seconds.
        popularity: any non-negative number on the catalog's own scale; None when unknown.
        playable: False keeps it out of answers.
    """

    track_id: str = Field(min_length=1, max_length=200)
    title: str = Field(min_length=1, max_length=1000)
    artists: tuple[Credit, ...] = Field(min_length=1)
    album: str | None = Field(default=None, max_length=1000)
    year: int | None = Field(default=None, ge=1000, le=2100)
    release_year: int | None = Field(default=None, ge=1000, le=2100)
    genres: tuple[str, ...] = ()
    moods: tuple[str, ...] = ()
    activities: tuple[str, ...] = ()
    instruments: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    region: str | None = None
    language: str | None = None
    vocal: Vocal | None = None
    bpm: float | None = Field(default=None, ge=20, le=400)
    duration_s: float | None = Field(default=None, gt=0)
    popularity: float | None = Field(default=None, ge=0)
    version: VersionKind = "original"
    aliases: tuple[str, ...] = ()
    lyrics: str | None = None
    playable: bool = True


def inherit(track: Track, artist: Artist | None) -> Track:
    """`track` with its empty inheritable facets filled from its first artist; the same object when nothing changes.

    An instrumental track has no language to inherit.
    """
    if artist is None:
        return track
    filled = {name: value for name in INHERITED if not getattr(track, name) and (value := getattr(artist, name))}
    if (track.vocal or filled.get("vocal")) == "instrumental":
        filled.pop("language", None)
    return track.model_copy(update=filled) if filled else track
