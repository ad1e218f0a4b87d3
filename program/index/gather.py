"""First pass of a build: read the items once, write the track records, remember what the second pass needs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from data.catalog.schema import Artist, Track, inherit
from data.errors import CatalogError
from data.names import name_key
from program.index.layout import FACET_FIELDS
from program.index.ranks import Numbers, percentiles
from program.index.records import RecordWriter
from program.index.space import PartCensus

TOP_WORKS = 5
_FACETS = tuple(FACET_FIELDS.items())
CENSUS_TRACKS, CENSUS_EVERY = 100_000, 10
"""Every track up to here, then one in ten, decides which words are worth an embedding."""


@dataclass
class Group:
    """The tracks of one artist or album."""

    entity_id: str
    name: str
    rows: list[int] = field(default_factory=list)


@dataclass
class Gathered:
    """What one pass over the catalog knows.

    Attributes:
        popularity: raw, NaN = unknown, one a track row. filled: facet → tracks that say something. lyrics: tracks that have some.
    """

    artists: dict[str, Artist] = field(default_factory=dict)
    by_artist: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    albums: dict[str, Group] = field(default_factory=dict)
    popularity: list[float] = field(default_factory=list)
    playable: list[bool] = field(default_factory=list)
    first_artist: list[str] = field(default_factory=list)
    lyrics: int = 0
    filled: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    census: PartCensus = field(default_factory=PartCensus)
    content_hash: str = ""

    @property
    def tracks(self) -> int:
        """Number of tracks."""
        return len(self.popularity)

    def track_percentiles(self) -> Numbers:
        """Per row; without any popularity in the catalog, how many tracks the artist has stands in."""
        counts = np.array([len(self.by_artist[artist]) for artist in self.first_artist], dtype=np.float64)
        return percentiles(np.array(self.popularity, dtype=np.float64), counts)

    def artist_percentiles(self) -> Numbers:
        """In the order of `artists`; unknown popularity falls back to the number of tracks."""
        raw = [math.nan if a.popularity is None else a.popularity for a in self.artists.values()]
        counts = [len(self.by_artist.get(artist_id, ())) for artist_id in self.artists]
        return percentiles(np.array(raw, dtype=np.float64), np.array(counts, dtype=np.float64))


def album_id(artist_id: str, album: str) -> str:
    """The id of an album: its first artist and its name key."""
    return f"{artist_id}/{name_key(album)}"


def gather(
    items: Iterable[Artist | Track],
    records: Path,
    on_progress: Callable[[int], None] | None = None,
    on_census: Callable[[PartCensus], None] | None = None,
) -> Gathered:
    """Read every item, write the tracks to `records` in order, and return what was learnt.

    Args:
        on_census: is given the census as far as it is at `CENSUS_TRACKS` tracks, and again at each doubling.

    Raises:
        CatalogError: no item is a track.
    """
    known, due = Gathered(), CENSUS_TRACKS
    with RecordWriter(records) as writer:
        for item in items:
            if isinstance(item, Artist):
                known.artists[item.artist_id] = item
                continue
            _add(known, writer, inherit(item, known.artists.get(item.artists[0].artist_id)))
            if on_census and known.tracks == due:
                due *= 2
                on_census(known.census)
            if on_progress and known.tracks % 10_000 == 0:
                on_progress(known.tracks)
        known.content_hash = writer.digest()
    if not known.tracks:
        raise CatalogError("the catalog holds no usable track")
    return known


def _add(known: Gathered, writer: RecordWriter, track: Track) -> None:
    row = writer.append(track.model_dump_json(exclude_defaults=True).encode())
    known.popularity.append(math.nan if track.popularity is None else track.popularity)
    known.playable.append(track.playable)
    first = track.artists[0].artist_id
    known.first_artist.append(first)
    for credit in track.artists:
        if credit.artist_id not in known.artists:
            known.artists[credit.artist_id] = Artist(artist_id=credit.artist_id, name=credit.name)
        rows = known.by_artist[credit.artist_id]
        if not rows or rows[-1] != row:
            rows.append(row)
    if track.album:
        key = album_id(first, track.album)
        known.albums.setdefault(key, Group(key, track.album)).rows.append(row)
    known.lyrics += bool(track.lyrics)
    said = track.__dict__  # a million rows: twice as fast as asking for each attribute
    for facet, attribute in _FACETS:
        value = said[attribute]
        if value is not None and value != ():
            known.filled[facet] += 1
    if row < CENSUS_TRACKS or not row % CENSUS_EVERY:
        known.census.add(track)
