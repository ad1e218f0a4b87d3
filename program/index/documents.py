"""One track as a document of the tracks index."""

from __future__ import annotations

import tantivy

from data.catalog.schema import Track
from data.names import base_title, has_cjk, name_form, name_key
from program.index.filters import expanded
from program.index.gather import album_id
from program.index.layout import FACET_FIELDS, TERM_FACETS


def text_words(text: str) -> str:
    """Normal form for full text: words split by spaces, Chinese, Japanese and Korean by character."""
    form = name_form(text)
    if not has_cjk(form):
        return form
    return " ".join("".join(f" {char} " if has_cjk(char) else char for char in form).split())


def track_document(track: Track, row: int, popularity: float) -> tantivy.Document:
    """The document: facets with their wider concepts, ids, title keys, words, numbers."""
    document = tantivy.Document()
    document.add_unsigned("row", row)
    document.add_text("track_id", track.track_id)
    document.add_boolean("playable", track.playable)
    document.add_float("popularity", popularity)
    for facet in TERM_FACETS:
        value = getattr(track, FACET_FIELDS[facet])
        values = value if isinstance(value, tuple) else (value,) if value else ()
        for term in expanded(facet, values):
            document.add_text(facet, term)
        if not values:
            document.add_text("missing", facet)
    _numbers(document, track)
    for credit in track.artists:
        document.add_text("artist_id", credit.artist_id)
    if track.album:
        document.add_text("album_id", album_id(track.artists[0].artist_id, track.album))
    for key in {name_key(name) for name in (track.title, base_title(track.title), *track.aliases)}:
        document.add_text("title_key", key)
    words = (track.title, *(credit.name for credit in track.artists), track.album or "", *track.tags)
    document.add_text("text", " ".join(map(text_words, words)))
    return document


def _numbers(document: tantivy.Document, track: Track) -> None:
    if track.year is not None:
        document.add_unsigned("year", track.year)
        document.add_text("decade", f"{track.year // 10 * 10}s")
    else:
        document.add_text("missing", "era")
    if track.bpm is not None:
        document.add_float("bpm", track.bpm)
    else:
        document.add_text("missing", "tempo")
    if track.popularity is None:
        document.add_text("missing", "popularity")
