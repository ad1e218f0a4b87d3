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

_MANY = {"genre": "genres", "mood": "moods", "activity": "activities", "instrument": "instruments"}
_ONE = ("region", "language", "vocal", "version")
_REMEMBERED = 1 << 15


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


def _inside(track: Track, condition: Condition) -> bool | None:
    """The test itself, without polarity; None when the record does not say."""
    field = condition.field
    if field in ("year", "bpm", "popularity"):
        return _between(getattr(track, field), condition)
    if field in _MANY or field in _ONE:
        return _held(track, condition)
    if field == "title_word":
        return any(_has_word(title, word) for title in _titles(track) for word in condition.values)
    return not _names(track, condition.field).isdisjoint(_keys(condition))


def _between(value: float | None, condition: Condition) -> bool | None:
    if value is None:
        return None
    return (condition.low is None or value >= condition.low) and (condition.high is None or value <= condition.high)


def _held(track: Track, condition: Condition) -> bool | None:
    found = getattr(track, _MANY.get(condition.field, condition.field))
    values = (found,) if isinstance(found, str) else found
    if not values:
        return None
    return any(not _wider(condition.field, value).isdisjoint(condition.values) for value in values)


@cache
def _wider(facet: str, value: str) -> frozenset[str]:
    """A vocabulary id with everything wider than it."""
    return frozenset((value, *load_vocabularies()[facet].ancestors(value)))


def _titles(track: Track) -> tuple[str, ...]:
    return (track.title, *track.aliases)


def _names(track: Track, field: str) -> set[str]:
    """What a track is called under `field`: its ids, or the keys of its title."""
    if field == "track":
        return {track.track_id}
    if field == "artist":
        return {credit.artist_id for credit in track.artists}
    if field == "album":
        return {album_id(track.artists[0].artist_id, track.album)} if track.album else set()
    return {key for title in _titles(track) for key in _title_keys(title)}


def _keys(condition: Condition) -> set[str]:
    return {name_key(value) for value in condition.values} if condition.field == "title" else set(condition.values)


@lru_cache(maxsize=_REMEMBERED)
def _title_keys(title: str) -> frozenset[str]:
    return frozenset(key_variants(title))


def _has_word(title: str, word: str) -> bool:
    """Whether `word` (or phrase) stands in `title`: whole words, or any part of it where words are not spaced."""
    form, wanted = name_form(title), name_form(word)
    return wanted in form if has_cjk(wanted) else f" {wanted} " in f" {form} "
