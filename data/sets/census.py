"""A catalog as the checker needs it: which names exist, and how many tracks each grade of a row has.

Counting goes over postings instead of records, with the same values as `data.grading`; a test holds the two together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path

from data.catalog.importers import Rejects, read_catalog
from data.catalog.schema import Artist, Track, inherit
from data.grading import NUMERIC, album_id, has_word, titles_of, values_of, wanted_values, within
from data.labelled import Condition, ConditionField, LabelledRow
from data.names import key_variants

Bits = int
"""A set of tracks: bit n is the nth track."""

_VALUE_FIELDS: tuple[ConditionField, ...] = (
    "track", "artist", "album", "title", "genre", "mood", "activity", "instrument", "region", "language", "vocal", "version",
)  # fmt: skip


class Census:
    """The records of one catalog; inheritable facets are filled in."""

    def __init__(self, artists: Iterable[Artist], tracks: Iterable[Track]) -> None:
        self.artists = {artist.artist_id: artist for artist in artists}
        self.tracks = {track.track_id: inherit(track, self.artists.get(track.artists[0].artist_id)) for track in tracks}
        self.matching = lru_cache(maxsize=None)(self._matching)

    @classmethod
    def read(cls, source: Path) -> Census:
        """Read a catalog source.

        Raises:
            CatalogError: it cannot be read.
        """
        records = list(read_catalog(source, rejects=Rejects()))
        artists = (record for record in records if isinstance(record, Artist))
        return cls(artists, (record for record in records if isinstance(record, Track)))

    @cached_property
    def albums(self) -> frozenset[str]:
        """Every album id."""
        return frozenset(album_id(track.artists[0].artist_id, track.album) for track in self.tracks.values() if track.album)

    @cached_property
    def name_keys(self) -> frozenset[str]:
        """The keys of every name of an artist, track or album."""
        names: set[str] = set()
        for artist in self.artists.values():
            names.update((artist.name, *artist.aliases, *artist.former_names, *artist.transliterations))
        for track in self.tracks.values():
            names.update(titles_of(track))
            names.update((track.album,) if track.album else ())
        return frozenset(key for name in names for key in key_variants(name))

    def has_entity(self, entity_type: str, entity_id: str) -> bool:
        """Whether the catalog holds the entity."""
        if entity_type == "album":
            return entity_id in self.albums
        return entity_id in (self.tracks if entity_type == "track" else self.artists)

    def grade_counts(self, row: LabelledRow) -> dict[int, int]:
        """Grade → how many tracks are worth exactly that, for grades 1 to 3."""
        excluded = 0
        for condition in row.quality.excluded:
            excluded |= self.matching(condition)
        counted, counts = excluded, {}
        for grade in (3, 2, 1):
            found = 0
            for rule in row.quality.rules:
                if rule.grade == grade:
                    found |= self._all_of(rule.where)
            counts[grade] = (found & ~counted).bit_count()
            counted |= found
        return counts

    def _all_of(self, conditions: Iterable[Condition]) -> Bits:
        found = self._everything
        for condition in conditions:
            found &= self.matching(condition)
        return found

    def _matching(self, condition: Condition) -> Bits:
        inside, known = self._inside(condition)
        found = known & ~inside if condition.negated else inside
        return found | (self._everything & ~known) if condition.negated or condition.unknown_ok else found

    def _inside(self, condition: Condition) -> tuple[Bits, Bits]:
        """The tracks that are inside, and those whose record says anything."""
        if condition.field in NUMERIC:
            states = [within(getattr(track, condition.field), condition) for track in self.tracks.values()]
            return _bits(state is True for state in states), _bits(state is not None for state in states)
        if condition.field == "title_word":
            return self._with_word(condition.values), self._everything
        postings, known = self._postings[condition.field]
        inside = 0
        for value in wanted_values(condition):
            inside |= postings.get(value, 0)
        return inside, known

    def _with_word(self, words: tuple[str, ...]) -> Bits:
        return _bits(any(has_word(title, word) for title in titles_of(track) for word in words) for track in self.tracks.values())

    @cached_property
    def _everything(self) -> Bits:
        return (1 << len(self.tracks)) - 1

    @cached_property
    def _postings(self) -> dict[str, tuple[dict[str, Bits], Bits]]:
        """Field → (value → its tracks, the tracks that say anything)."""
        return {field: self._postings_of(field) for field in _VALUE_FIELDS}

    def _postings_of(self, field: str) -> tuple[dict[str, Bits], Bits]:
        rows: dict[str, bytearray] = defaultdict(lambda: bytearray(len(self.tracks) // 8 + 1))
        known = bytearray(len(self.tracks) // 8 + 1)
        for number, track in enumerate(self.tracks.values()):
            for value in values_of(track, field):
                rows[value][number // 8] |= 1 << number % 8
                known[number // 8] |= 1 << number % 8
        return {value: int.from_bytes(row, "little") for value, row in rows.items()}, int.from_bytes(known, "little")


def _bits(states: Iterable[bool]) -> Bits:
    """The set of the numbers whose state is true."""
    return int("".join("1" if state else "0" for state in states)[::-1] or "0", 2)
