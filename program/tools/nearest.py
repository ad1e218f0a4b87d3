"""Shared by the vector tools: the tracks nearest to a vector within the constraints."""

from __future__ import annotations

from data.contracts import ToolArgs
from program.index.protocol import Vector
from program.tools.protocol import ToolContext, allowed, filter_of

EXACT_BELOW = 1_000
"""Up to this many matching tracks are scored one by one, so that a thin corner loses nothing to the approximate search."""
_OVERFETCH = 4


def nearest_allowed(vector: Vector, args: ToolArgs, context: ToolContext, *, floor: float = -1.0) -> list[str]:
    """Track ids nearest to `vector` (unit length) with cosine >= floor, best first, at most `args.limit`."""
    index = context.index
    if args.constraints:
        hits = index.search(filter_of(args), EXACT_BELOW)
        if hits.total <= EXACT_BELOW:
            return _exact(vector, list(hits.rows), args.limit, context, floor)
    near = index.nearest(vector, args.limit * _OVERFETCH)
    kept: list[str] = []
    for row, score in near:
        if score < floor or len(kept) == args.limit:
            break
        entry = index.track(row)
        if allowed(entry, args):
            context.seen[entry.track.track_id] = entry
            kept.append(entry.track.track_id)
    return kept


def _exact(vector: Vector, rows: list[int], limit: int, context: ToolContext, floor: float) -> list[str]:
    if not rows:
        return []
    scores = context.index.track_vectors(rows) @ vector
    ranked = sorted(zip(scores.tolist(), rows, strict=True), key=lambda pair: -pair[0])
    return context.keep([row for score, row in ranked[:limit] if score >= floor])
