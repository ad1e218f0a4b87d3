"""Shared by the tools over a listener's own sets: what of it the arguments allow, in the order of the set."""

from __future__ import annotations

from collections.abc import Sequence

from data.contracts import ToolArgs
from program.index.gather import album_id
from program.index.protocol import TrackEntry
from program.tools.protocol import ToolContext, allowed
from program.users.listener import Listener, Own


def listener_for(tool: str, context: ToolContext) -> Listener:
    """The request's listener.

    Raises:
        ValueError: there is none.
    """
    if context.listener is None:
        raise ValueError(f"{tool} needs a listener with likes or plays")
    return context.listener


def own_tracks(own: Sequence[Own], args: ToolArgs, context: ToolContext) -> list[str]:
    """Track ids of the set that are playable, named (where names were given), not excluded and within the constraints."""
    entries = context.index.by_ids([one.track_id for one in own])
    listed = [entries[one.track_id] for one in own if one.track_id in entries]
    kept = [entry for entry in listed if _named(entry, args) and allowed(entry, args)][: args.limit]
    context.seen.update((entry.track.track_id, entry) for entry in kept)
    return [entry.track.track_id for entry in kept]


def _named(entry: TrackEntry, args: ToolArgs) -> bool:
    """Whether it is one of the named tracks, or by or on a named one; anything is where nothing was named."""
    if not (args.track_ids or args.artist_ids or args.album_ids):
        return True
    track = entry.track
    on = album_id(track.artists[0].artist_id, track.album) if track.album else None
    by = any(credit.artist_id in args.artist_ids for credit in track.artists)
    return track.track_id in args.track_ids or by or (on is not None and on in args.album_ids)
