"""The names that sources give to a record's fields, best one first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

TRACK_COLUMNS = {
    "track_id": "track_id id song_id trackid track_uri uri spotify_id youtube_id isrc",
    "title": "title track_name track_title song_title song_name song name track",
    "artists": "artists artist artist_names artist_name artists_names performers performer singers singer creator",
    "artist_ids": "artist_ids artist_id artists_ids artists_id artist_uri",
    "album": "album album_name album_title release_name release",
    "year": "year original_year recording_year first_release_year",
    "release_year": "release_year released release_date date album_release_date album_date published",
    "genres": "genres genre track_genre styles style subgenre",
    "moods": "moods mood themes",
    "activities": "activities activity contexts occasions",
    "instruments": "instruments instrument instrumentation",
    "tags": "tags tag keywords top_tags",
    "region": "region country country_code origin artist_country",
    "language": "language languages lang language_code",
    "vocal": "vocal vocals voice",
    "bpm": "bpm tempo",
    "duration_s": "duration_s duration_sec duration_secs duration_seconds length_s seconds",
    "duration_ms": "duration_ms length_ms track_duration_ms milliseconds",
    "duration": "duration length track_duration",
    "popularity": "popularity track_popularity play_count playcount plays streams listeners listen_count views",
    "version": "version version_kind recording_kind",
    "aliases": "aliases alias alternative_titles other_titles",
    "lyrics": "lyrics lyric",
    "playable": "playable is_playable available streamable",
}
ARTIST_COLUMNS = {
    "artist_id": "artist_id id artistid artist_uri uri mbid",
    "name": "name artist_name artist",
    "aliases": "aliases alias also_known_as nicknames",
    "former_names": "former_names former_name",
    "transliterations": "transliterations transliteration romanisations romanizations romanised romanized",
    "region": "region country country_code origin",
    "language": "language languages lang language_code",
    "genres": "genres genre styles style tags",
    "vocal": "vocal vocals voice gender",
    "popularity": "popularity artist_popularity listeners followers play_count playcount plays",
}
_GAPS = re.compile(r"[\s\-.]+")
_CACHED_NAMES = 10_000


def column_form(name: str) -> str:
    """A column's name in lower case with underscores: "Track Name" → "track_name"."""
    return _GAPS.sub("_", name.strip().casefold())


class Columns:
    """Picks a record's fields out of a loose row.

    Args:
        table: for each field its column names, separated by spaces, best one first.
    """

    def __init__(self, table: Mapping[str, str]) -> None:
        self._ranked = {name: (rank, field) for field, line in table.items() for rank, name in enumerate(line.split())}
        self._target_of: dict[str, tuple[int, str] | None] = {}

    def knows(self, name: str) -> bool:
        """Whether a column of this name is read."""
        return column_form(name) in self._ranked

    def field_of(self, name: str) -> str | None:
        """The field that a column of this name fills, or None."""
        target = self._ranked.get(column_form(name))
        return target[1] if target else None

    def pick(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The row's cells by field name, without empty ones; of two columns for one field the better name wins."""
        found: dict[str, Any] = {}
        rank_of: dict[str, int] = {}
        for name, value in values.items():
            if value is None or value == "":
                continue
            if name in self._target_of:
                target = self._target_of[name]
            else:
                if len(self._target_of) > _CACHED_NAMES:
                    self._target_of.clear()
                target = self._target_of[name] = self._ranked.get(column_form(name))
            if target is None:
                continue
            rank, field = target
            if rank <= rank_of.get(field, rank):
                rank_of[field] = rank
                found[field] = value
        return found


TRACKS, ARTISTS = Columns(TRACK_COLUMNS), Columns(ARTIST_COLUMNS)
