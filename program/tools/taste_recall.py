"""Tool: tracks near what the listener likes, within the request's conditions. Code adds it where there is a listener."""

from __future__ import annotations

import numpy as np

from data.contracts import Intent, ToolArgs, ToolName
from program.index.protocol import Vector
from program.tools.own_set import listener_for
from program.tools.protocol import ToolContext, allowed

_STARTS, _OVERFETCH = 10, 2


class TasteRecall:
    """Recall by the vectors of the tracks that count most in the listener's taste."""

    name: ToolName = "taste_recall"
    card = "tracks near what the listener likes, within the conditions; for requests that leave the choice open"

    def eligible(self, intent: Intent) -> bool:
        """Never by the intent alone: it needs a listener, which an intent does not say."""
        return False

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids: the nearest of each start in turn, each once; what the listener liked or disliked is left out.

        Raises:
            ValueError: the request has no listener, or one without any taste.
        """
        listener = listener_for(self.name, context)
        if listener.taste is None or not len(listener.taste.vectors):
            raise ValueError(f"{self.name} needs something that the listener liked or played")
        starts = listener.taste.vectors[:_STARTS]
        places = _within(starts, args, context) if args.constraints else _anywhere(starts, args, context)
        wanted: list[int] = []
        for row in sorted(places, key=lambda row: (places[row], row)):
            entry = context.index.track(row)
            if entry.track.track_id not in listener.known and allowed(entry, args):
                wanted.append(row)
            if len(wanted) == args.limit:
                break
        return context.keep(wanted)


def _within(starts: Vector, args: ToolArgs, context: ToolContext) -> dict[int, int]:
    """Row → its best place in the order of any start, over the best-known tracks that hold the conditions."""
    rows = list(context.matching(args).rows)
    if not rows:
        return {}
    order = np.argsort(-(context.index.track_vectors(rows) @ starts.T), axis=0, kind="stable")
    best = np.argsort(order, axis=0, kind="stable").min(axis=1)
    return {row: int(place) for row, place in zip(rows, best, strict=True)}


def _anywhere(starts: Vector, args: ToolArgs, context: ToolContext) -> dict[int, int]:
    """Row → its best place among the nearest tracks of any start."""
    places: dict[int, int] = {}
    for start in starts:
        for place, (row, _) in enumerate(context.index.nearest(start, args.limit * _OVERFETCH)):
            places[row] = min(place, places.get(row, place))
    return places
