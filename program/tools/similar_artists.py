"""Tool: tracks by artists like the given ones: who stands in playlists with them, and whose tracks sound like theirs."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from data.contracts import Intent, ToolArgs, ToolName
from program.index.embedder import unit
from program.index.protocol import Filter, TrackEntry
from program.tools.nearest import nearest_allowed
from program.tools.protocol import MOST_MATCHES, ToolContext, filter_of
from program.tools.seeds import seed_rows, without_seeds

_ARTISTS, _TRACKS_EACH, _POOL = 40, 5, 200
"""Artists that are looked at, tracks of each, and nearest tracks by which they are found; fixed, whatever the limit is."""


class SimilarArtists:
    """Other artists' best-known tracks, the nearest artists first; each says what its artist was found by."""

    name: ToolName = "similar_artists"
    card = "well-known tracks by other artists who resemble the named ones; none by the named artists themselves"

    def eligible(self, intent: Intent) -> bool:
        """Needs a seed."""
        return bool(intent.by_role("seed"))

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids: the best-known track of each artist in order of likeness, then each one's second, and so on.

        Raises:
            ValueError: no seed that the catalog holds.
        """
        rows = seed_rows(self.name, args, context)
        own = {context.index.track(row).track.artists[0].artist_id for row in rows} | set(args.artist_ids)
        wanted = without_seeds(args)
        wanted = wanted.model_copy(update={"exclude_artist_ids": tuple(dict.fromkeys((*args.exclude_artist_ids, *sorted(own))))})
        artists = _artists(rows, sorted(own), wanted, context)
        tracks = _tracks_of(list(artists), wanted, context)
        places = [(place, artist) for place in range(_TRACKS_EACH) for artist in artists if place < len(tracks[artist])]
        found: dict[str, str] = {}
        for place, artist in places:
            entry = tracks[artist][place]
            context.seen[entry.track.track_id] = entry
            found.setdefault(entry.track.track_id, artists[artist])
        kept = list(found)[: args.limit]
        context.sources.update(((self.name, track_id), found[track_id]) for track_id in kept)
        return kept


def _artists(rows: list[int], own: list[str], args: ToolArgs, context: ToolContext) -> dict[str, str]:
    """Artist id → what it was found by, nearest first."""
    together = {artist: score for artist, score in context.index.related_artists(own) if artist not in args.exclude_artist_ids}
    vector = unit(np.mean(context.index.track_vectors(rows), axis=0))
    near = nearest_allowed(vector, args.model_copy(update={"limit": _POOL}), context)
    scores = np.maximum(context.index.track_vectors([context.seen[track_id].row for track_id in near]) @ vector, 0.0)
    content: dict[str, float] = defaultdict(float)
    for track_id, score in zip(near, scores.tolist(), strict=True):
        artist = context.seen[track_id].track.artists[0].artist_id
        content[artist] = max(content[artist], score)
    weight, top = context.settings.together_weight if together else 0.0, max(together.values(), default=1.0)
    blended = {
        artist: weight * together.get(artist, 0.0) / top + (1 - weight) * content.get(artist, 0.0)
        for artist in {**together, **content}
    }
    ranked = sorted(blended, key=lambda artist: (-blended[artist], artist))[:_ARTISTS]
    return {artist: _source(artist in together, artist in content) for artist in ranked}


def _source(by_playlists: bool, by_content: bool) -> str:
    return "both" if by_playlists and by_content else "playlists" if by_playlists else "content"


def _tracks_of(artists: list[str], args: ToolArgs, context: ToolContext) -> dict[str, list[TrackEntry]]:
    """Artist id → the most popular allowed tracks of which it is the first artist, at most `_TRACKS_EACH`."""
    found: dict[str, list[TrackEntry]] = {artist: [] for artist in artists}
    if not artists:
        return found
    where: Filter = filter_of(args.model_copy(update={"artist_ids": tuple(artists)}))
    for row in context.index.search(where, MOST_MATCHES).rows:
        entry = context.index.track(row)
        held = found.get(entry.track.artists[0].artist_id)
        if held is not None and len(held) < _TRACKS_EACH:
            held.append(entry)
    return found
