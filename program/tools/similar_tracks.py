"""Tool: tracks like given tracks, artists or albums, by the vectors of their content."""

from __future__ import annotations

import numpy as np

from data.contracts import Intent, ToolArgs, ToolName
from program.index.embedder import unit
from program.index.protocol import Filter
from program.tools.nearest import nearest_allowed
from program.tools.protocol import ToolContext

_SEED_TRACKS = 20


class SimilarTracks:
    """Content similarity to verified seeds."""

    name: ToolName = "similar_tracks"
    card = "tracks that resemble the named tracks, artists or albums"

    def eligible(self, intent: Intent) -> bool:
        """Needs a seed."""
        return bool(intent.by_role("seed"))

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, most similar first; the seed tracks themselves are left out.

        Raises:
            ValueError: no seed that the catalog holds.
        """
        rows: list[int] = []
        for seeds in (
            Filter(track_ids=args.track_ids),
            Filter(artist_ids=args.artist_ids),
            Filter(album_ids=args.album_ids),
        ):
            if seeds != Filter():
                rows.extend(context.index.search(seeds, _SEED_TRACKS).rows)
        if not rows:
            raise ValueError("similar_tracks needs a seed track, artist or album of the catalog")
        vector = unit(np.mean(context.index.track_vectors(rows), axis=0))
        wanted = args.model_copy(
            update={
                "track_ids": (), "artist_ids": (), "album_ids": (),
                "exclude_track_ids": (*args.exclude_track_ids, *args.track_ids),
            }
        )  # fmt: skip
        return nearest_allowed(vector, wanted, context)
