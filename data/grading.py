"""How right a track is for a labelled request: the row's predicate, evaluated on the catalog's record.

Pure functions over records; they know the vocabularies' hierarchies and no index. A record's inheritable facets must be
filled from its artist first (`data.catalog.schema.inherit`), as an index does.
"""

from __future__ import annotations

from functools import cache, lru_cache

from data.catalog.schema import Track
from data.labelled import Condition, LabelledRow
from data.names import has_cjk, key_variants, name_form, name_key
from data.vocab.loader import load_vocabularies

NUMERIC = ("year", "bpm", "popularity")
_RECORD_FIELD = {"genre": "genres", "mood": "moods", "activity": "activities", "instrument": "instruments"}
_REMEMBERED = 1 << 15
_NOTHING: frozenset[str] = frozenset()


def grade(track: Track, row: LabelledRow) -> int:
    """0 (wrong) to 3 (everything that was asked), by the best rule that the track meets.

    Membership of a personal set is not looked at.
    """
    quality = row.quality
    if any(holds(track, condition) for condition in quality.excluded):
        return 0
    met = (rule.grade for rule in quality.rules if all(holds(track, condition) for condition in rule.where))
    return max(met, default=0)


def holds(track: Track, condition: Condition) -> bool:
    """Whether the record passes the test; one that does not say passes only where the condition lets it."""
    inside = _inside(track, condition)
    if inside is None:
        return condition.unknown_ok or condition.negated
    return inside != condition.negated


def album_id(artist_id: str, album: str) -> str:
    """The id that an index gives an album: its first artist and its name key."""
    return f"{artist_id}/{name_key(album)}"


def values_of(track: Track, field: str) -> frozenset[str]:
    """Everything that a record answers to under a field of values, empty when it does not say.

    Vocabulary ids come with everything wider than them, titles as name keys.
    """
    if field == "track":
        return frozenset((track.track_id,))
    if field == "artist":
        return frozenset(credit.artist_id for credit in track.artists)
    if field == "album":
        return frozenset((album_id(track.artists[0].artist_id, track.album),)) if track.album else _NOTHING
    if field == "title":
        return _NOTHING.union(*map(_title_keys, titles_of(track)))
    found = getattr(track, _RECORD_FIELD.get(field, field)) or ()
    return _NOTHING.union(*(_wider(field, value) for value in ((found,) if isinstance(found, str) else found)))


def wanted_values(condition: Condition) -> frozenset[str]:
    """The condition's values as `values_of` gives them."""
    return frozenset(map(name_key, condition.values)) if condition.field == "title" else frozenset(condition.values)


def titles_of(track: Track) -> tuple[str, ...]:
    """Every title of a track."""
    return (track.title, *track.aliases)


def has_word(title: str, word: str) -> bool:
    """Whether a word or phrase stands in a title: whole words, or any part of it where words are not spaced."""
    form, wanted = name_form(title), name_form(word)
    return wanted in form if has_cjk(wanted) else f" {wanted} " in f" {form} "


def _inside(track: Track, condition: Condition) -> bool | None:
    """The test itself, without polarity; None when the record does not say."""
    if condition.field in NUMERIC:
        return within(getattr(track, condition.field), condition)
    if condition.field == "title_word":
        return any(has_word(title, word) for title in titles_of(track) for word in condition.values)
    values = values_of(track, condition.field)
    return not values.isdisjoint(wanted_values(condition)) if values else None


def within(value: float | None, condition: Condition) -> bool | None:
    """Whether a number lies within the condition's bounds; None when it is not known."""
    if value is None:
        return None
    return (condition.low is None or value >= condition.low) and (condition.high is None or value <= condition.high)


@cache
def _wider(facet: str, value: str) -> frozenset[str]:
    """A vocabulary id with everything wider than it."""
    return frozenset((value, *load_vocabularies()[facet].ancestors(value)))


@lru_cache(maxsize=_REMEMBERED)
def _title_keys(title: str) -> frozenset[str]:
    return frozenset(key_variants(title))
