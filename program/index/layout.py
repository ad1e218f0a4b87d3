"""The files of an index directory and the search schemas; the one place that names fields.

manifest.json      format, counts, coverage, content hash, how it was built
names/             tantivy: one document a name key, with the postings of everything that answers to it
words/             the words of all names, with tables of their spellings and sounds (words.py)
tracks/            tantivy: one document a track, facets as exact terms with their wider concepts
tracks.jsonl, artists.jsonl, albums.jsonl (+ .offsets.npy)   the records by row
popularity.npy     percentile of each track, float32
vectors.usearch, space.npz   track vectors and the projection that they live in
together/          what stands together in playlists, where the catalog was built with some (together.py)
semantic_ids/      Semantic IDs and the model that writes them, where they were trained (program/generative/stored.py)
"""

from __future__ import annotations

import tantivy

FORMAT_VERSION = 5

FACET_FIELDS: dict[str, str] = {
    "genre": "genres",
    "mood": "moods",
    "activity": "activities",
    "instrument": "instruments",
    "region": "region",
    "language": "language",
    "vocal": "vocal",
    "era": "year",
    "tempo": "bpm",
    "popularity": "popularity",
    "version": "version",
}
"""Facet → attribute of `Track` that holds it."""

TERM_FACETS = ("genre", "mood", "activity", "instrument", "region", "language", "vocal", "version")
"""Facets indexed as exact terms; era, tempo and popularity are numbers."""

_ID_FIELDS = ("track_id", "artist_id", "album_id", "title_key", "decade", "missing")


def track_schema() -> tantivy.Schema:
    """Schema of the tracks index. `missing` holds the names of the facets that the record does not fill.

    `lyrics` holds words and neighbouring words (lyrics.py); `released` is the year of the release, else of the recording.
    """
    builder = tantivy.SchemaBuilder()
    for name in TERM_FACETS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in _ID_FIELDS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("lyrics", tokenizer_name="whitespace", index_option="basic")
    builder.add_unsigned_field("row", fast=True)
    builder.add_unsigned_field("released", fast=True, indexed=True)
    builder.add_unsigned_field("year", fast=True, indexed=True)
    builder.add_float_field("bpm", fast=True, indexed=True)
    builder.add_float_field("popularity", fast=True, indexed=True)
    builder.add_boolean_field("playable", indexed=True)
    return builder.build()


def name_schema() -> tantivy.Schema:
    """Schema of the names index: the key, and its postings as JSON bytes."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field("postings", stored=True, indexed=False)
    return builder.build()
