"""Shared by the vector tools: the tracks nearest to a vector within the constraints."""

from __future__ import annotations

from data.contracts import ToolArgs
from program.index.protocol import Vector
from program.tools.protocol import MOST_MATCHES, ToolContext, allowed

OVERFETCH = 4


def nearest_allowed(vector: Vector, args: ToolArgs, context: ToolContext, *, floor: float = -1.0) -> list[str]:
    """Track ids nearest to `vector` (unit length) with cosine >= floor, best first, at most `args.limit`.

    Up to `MOST_MATCHES` matching tracks are scored one by one, so that a thin corner loses nothing to the approximate search.
    """
    index = context.index
    if args.constraints:
        hits = context.matching(args)
        if hits.total <= MOST_MATCHES:
            return _exact(vector, list(hits.rows), args.limit, context, floor)
    near = index.nearest(vector, args.limit * OVERFETCH)
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
