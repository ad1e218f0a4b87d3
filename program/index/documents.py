"""One track as a document of the tracks index."""

from __future__ import annotations

from typing import Any

import tantivy

from data.catalog.schema import Track
from data.names import base_title, has_cjk, name_form, name_key
from program.index.filters import expanded
from program.index.gather import album_id
from program.index.layout import FACET_FIELDS, TERM_FACETS, track_schema
from program.index.lyrics import lyric_terms
from program.index.stored import StoredTrack

_COLUMNS = tuple((facet, FACET_FIELDS[facet]) for facet in TERM_FACETS)
_SCHEMA = track_schema()


def text_words(text: str) -> str:
    """Normal form for full text: words split by spaces, Chinese, Japanese and Korean by character."""
    form = name_form(text)
    if not has_cjk(form):
        return form
    return " ".join("".join(f" {char} " if has_cjk(char) else char for char in form).split())


def track_fields(track: Track | StoredTrack, row: int, popularity: float) -> dict[str, Any]:
    """The document's fields: facets with their wider concepts, ids, title keys, words, numbers.

    Args:
        popularity: percentile, 0..1.
    """
    fields: dict[str, Any] = {
        "row": row,
        "track_id": track.track_id,
        "playable": track.playable,
        "popularity": popularity,
        "artist_id": [credit.artist_id for credit in track.artists],
        "title_key": list(dict.fromkeys(map(name_key, (track.title, base_title(track.title), *track.aliases)))),
    }
    missing = []
    for facet, attribute in _COLUMNS:
        value = getattr(track, attribute)
        if value:
            fields[facet] = list(expanded(facet, value if isinstance(value, tuple) else (value,)))
        else:
            missing.append(facet)
    if track.album:
        fields["album_id"] = album_id(track.artists[0].artist_id, track.album)
    missing += _numbers(fields, track)
    fields["missing"] = missing
    if track.release_year or track.year:
        fields["released"] = track.release_year or track.year
    if track.lyrics:
        fields["lyrics"] = " ".join(lyric_terms(track.lyrics))
    words = (track.title, *(credit.name for credit in track.artists), track.album or "", *track.tags)
    fields["text"] = " ".join(map(text_words, words))
    return fields


def _numbers(fields: dict[str, Any], track: Track | StoredTrack) -> list[str]:
    """Adds the numeric fields; returns the facets that the record does not fill."""
    missing = [] if track.popularity is not None else ["popularity"]
    if track.year is not None:
        fields["year"], fields["decade"] = track.year, f"{track.year // 10 * 10}s"
    else:
        missing.append("era")
    if track.bpm is not None:
        fields["bpm"] = track.bpm
    else:
        missing.append("tempo")
    return missing


def track_document(track: Track | StoredTrack, row: int, popularity: float) -> tantivy.Document:
    """The document of `track_fields`."""
    return tantivy.Document.from_dict(track_fields(track, row, popularity), _SCHEMA)
