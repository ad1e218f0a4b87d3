"""Which track of a catalog a row of a listener's file means: by its id, else by title and artist in normal form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from data.names import base_title, key_variants, name_key
from data.users.schema import LooseEvent
from program.index.protocol import CatalogIndex, Posting


def matched(events: Sequence[LooseEvent], index: CatalogIndex) -> Iterator[tuple[LooseEvent, str | None]]:
    """Each event with the id of its track, or with None where the catalog does not hold it.

    An id that the catalog does not know is no end where the row also says title and artist.
    """
    known = index.by_ids({event.track_id for event in events if event.track_id})
    for event in events:
        by_name = None if event.track_id in known else track_named(event.title, event.artists, index)
        yield event, event.track_id if event.track_id in known else by_name


def track_named(title: str, artists: Sequence[str], index: CatalogIndex) -> str | None:
    """The id of the most popular track of this title by one of these artists; a remark in the title may be left out."""
    wanted = {key for name in artists for key in key_variants(name)}
    if not title or not wanted:
        return None
    for name in dict.fromkeys((title, base_title(title))):
        for posting in _tracks(name, index):
            entry = index.track(posting.row)
            if any(not wanted.isdisjoint(key_variants(credit.name)) or name_key(credit.name) in wanted
                   for credit in entry.track.artists):  # fmt: skip
                return entry.track.track_id
    return None


def _tracks(title: str, index: CatalogIndex) -> list[Posting]:
    keys = list(key_variants(title))
    hits = index.lookup(keys)
    return [posting for key in keys if key in hits for posting in hits[key].of("track")]
