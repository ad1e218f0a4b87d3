"""Tool: tracks like given tracks, artists or albums: by what stands with them in playlists, and by their content."""

from __future__ import annotations

from typing import Literal

import numpy as np

from data.contracts import Intent, ToolArgs, ToolName
from program.index.embedder import unit
from program.index.protocol import Vector
from program.tools.merge import in_turn
from program.tools.nearest import nearest_allowed
from program.tools.protocol import ToolContext, allowed
from program.tools.seeds import seed_groups, without_seeds

Source = Literal["playlists", "content", "both"]
_POOL = 200
"""Nearest tracks by content that are blended; a fixed number, so that a limit cuts the list and changes nothing in it."""


class SimilarTracks:
    """Likeness to verified seeds; each track says what it was found by."""

    name: ToolName = "similar_tracks"
    card = "tracks that resemble the named tracks, artists or albums, by shared playlists where known and by content"

    def eligible(self, intent: Intent) -> bool:
        """Needs a seed."""
        return bool(intent.by_role("seed"))

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, most similar first; the seed tracks themselves are left out.

        Each seed is searched by itself: what lies between two unlike artists is like neither.

        Raises:
            ValueError: no seed that the catalog holds.
        """
        wanted = without_seeds(args)
        lists = [_like(rows, wanted, context) for rows in seed_groups(self.name, args, context)]
        found = in_turn([list(sources) for sources in lists])[: args.limit]
        for track_id in found:
            said = {sources[track_id] for sources in lists if track_id in sources}
            context.sources[self.name, track_id] = said.pop() if len(said) == 1 else "both"
        return found


def _like(rows: list[int], args: ToolArgs, context: ToolContext) -> dict[str, Source]:
    """Track id → what it was found by, most similar to one seed's rows first, at most `args.limit`."""
    vector = unit(np.mean(context.index.track_vectors(rows), axis=0))
    together = _together(rows, args, context)
    if not together:
        return dict.fromkeys(nearest_allowed(vector, args, context), "content")
    near = nearest_allowed(vector, args.model_copy(update={"limit": _POOL}), context)
    ranked = _blended(together, near, vector, context)[: args.limit]
    by_content = frozenset(near)
    return {track_id: _source(track_id, together, by_content) for track_id, _ in ranked}


def _together(rows: list[int], args: ToolArgs, context: ToolContext) -> dict[str, float]:
    """Track id → likeness by playlists, 0..1, of what the arguments allow; read records are remembered."""
    found: dict[str, float] = {}
    for row, likeness in context.index.related_tracks(rows):
        entry = context.index.track(row)
        if allowed(entry, args):
            context.seen[entry.track.track_id] = entry
            found[entry.track.track_id] = likeness
    return found


def _blended(together: dict[str, float], near: list[str], vector: Vector, context: ToolContext) -> list[tuple[str, float]]:
    """(track id, score), best first: both likenesses brought to 0..1 and weighted."""
    ids = list(dict.fromkeys([*together, *near]))
    content = np.maximum(context.index.track_vectors([context.seen[track_id].row for track_id in ids]) @ vector, 0.0)
    weight, top = context.settings.together_weight, max(together.values())
    scores = {
        track_id: weight * together.get(track_id, 0.0) / top + (1 - weight) * float(score)
        for track_id, score in zip(ids, content, strict=True)
    }
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def _source(track_id: str, together: dict[str, float], by_content: frozenset[str]) -> Source:
    if track_id not in together:
        return "content"
    return "both" if track_id in by_content else "playlists"
