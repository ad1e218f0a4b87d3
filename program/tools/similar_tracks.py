"""Tool: tracks like given tracks, artists or albums, by the vectors of their content."""

from __future__ import annotations

import numpy as np

from data.contracts import Intent, ToolArgs, ToolName
from program.index.embedder import unit
from program.index.protocol import Filter, Vector
from program.tools.merge import in_turn
from program.tools.nearest import nearest_allowed
from program.tools.protocol import ToolContext

_SEED_TRACKS = 20
_MOST_SEEDS = 3


class SimilarTracks:
    """Content similarity to verified seeds."""

    name: ToolName = "similar_tracks"
    card = "tracks that resemble the named tracks, artists or albums"

    def eligible(self, intent: Intent) -> bool:
        """Needs a seed."""
        return bool(intent.by_role("seed"))

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, most similar first; the seed tracks themselves are left out.

        Each seed is searched by itself: what lies between two unlike artists is like neither.

        Raises:
            ValueError: no seed that the catalog holds.
        """
        vectors = _seed_vectors(args, context)
        if not vectors:
            raise ValueError("similar_tracks needs a seed track, artist or album of the catalog")
        wanted = args.model_copy(
            update={
                "track_ids": (), "artist_ids": (), "album_ids": (),
                "exclude_track_ids": (*args.exclude_track_ids, *args.track_ids),
            }
        )  # fmt: skip
        return in_turn([nearest_allowed(vector, wanted, context) for vector in vectors])[: args.limit]


def _seed_vectors(args: ToolArgs, context: ToolContext) -> list[Vector]:
    """One vector a seed; seeds beyond `_MOST_SEEDS` share the last."""
    filters = [
        *(Filter(track_ids=(track_id,)) for track_id in args.track_ids),
        *(Filter(artist_ids=(artist_id,)) for artist_id in args.artist_ids),
        *(Filter(album_ids=(album_id,)) for album_id in args.album_ids),
    ]
    groups = [list(rows) for where in filters if (rows := context.index.search(where, _SEED_TRACKS).rows)]
    if len(groups) > _MOST_SEEDS:
        rest = [row for group in groups[_MOST_SEEDS - 1 :] for row in group]
        groups = [*groups[: _MOST_SEEDS - 1], rest]
    return [unit(np.mean(context.index.track_vectors(rows), axis=0)) for rows in groups]
