"""What a retrieval tool is: a card for PLAN, an eligibility test, and one function from typed arguments to track ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from data.contracts import Intent, ToolArgs, ToolName
from program.index.filters import accepts
from program.index.gather import album_id
from program.index.protocol import CatalogIndex, Filter, Hits, TrackEntry
from program.settings import ExecuteSettings
from program.users.listener import Listener

MOST_MATCHES = 1_000


@dataclass(frozen=True)
class ToolContext:
    """What a tool may use in one request.

    Attributes:
        listener: whose request it is; None where it is nobody's.
        seen: records that any tool has read in this request, by track id; tools add to it.
        sources: (tool, track id) → what the tool took the track by, for the tools that say so.
    """

    index: CatalogIndex
    settings: ExecuteSettings
    listener: Listener | None = None
    seen: dict[str, TrackEntry] = field(default_factory=dict)
    sources: dict[tuple[ToolName, str], str] = field(default_factory=dict)
    _searched: dict[Filter, Hits] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def matching(self, args: ToolArgs) -> Hits:
        """The tracks that the arguments describe, most popular first, at most `MOST_MATCHES`; searched once a request."""
        where = filter_of(args)
        with self._lock:  # tools run side by side and mostly ask for the same
            if where not in self._searched:
                self._searched[where] = self.index.search(where, MOST_MATCHES)
            return self._searched[where]

    def keep(self, rows: list[int]) -> list[str]:
        """The track ids of `rows`, in order; their records are remembered."""
        entries = [self.index.track(row) for row in rows]
        self.seen.update((entry.track.track_id, entry) for entry in entries)
        return [entry.track.track_id for entry in entries]


class Tool(Protocol):
    """One retrieval tool."""

    name: ToolName
    card: str

    def eligible(self, intent: Intent) -> bool:
        """Whether the intent gives the tool what it needs."""

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, best first, at most `args.limit`; only playable tracks of the catalog.

        Raises:
            ToolFailedError: for a reason outside the request's meaning.
            ValueError: the arguments do not suit the tool.
        """


def filter_of(args: ToolArgs) -> Filter:
    """The arguments as an index filter."""
    return Filter(
        track_ids=args.track_ids, artist_ids=args.artist_ids, album_ids=args.album_ids, constraints=args.constraints,
        not_track_ids=args.exclude_track_ids, not_artist_ids=args.exclude_artist_ids, not_album_ids=args.exclude_album_ids,
    )  # fmt: skip


def allowed(entry: TrackEntry, args: ToolArgs) -> bool:
    """Playable, not excluded, and within the constraints."""
    artist_ids = {credit.artist_id for credit in entry.track.artists}
    track = entry.track
    excluded = track.track_id in args.exclude_track_ids or not artist_ids.isdisjoint(args.exclude_artist_ids)
    if args.exclude_album_ids and track.album:
        excluded = excluded or album_id(track.artists[0].artist_id, track.album) in args.exclude_album_ids
    within = all(accepts(entry.track, entry.popularity, constraint) for constraint in args.constraints)
    return entry.track.playable and not excluded and within
