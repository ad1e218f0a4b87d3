"""Tool: tracks near what the listener likes, within the request's conditions. Code adds it where there is a listener."""

from __future__ import annotations

from data.contracts import Intent, ToolArgs, ToolName
from program.tools.nearest import nearest_allowed
from program.tools.own_set import listener_for
from program.tools.protocol import ToolContext

_STARTS = 10


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
        known = (*args.exclude_track_ids, *sorted(listener.known))
        wanted = args.model_copy(update={"exclude_track_ids": known})
        lists = [nearest_allowed(vector, wanted, context) for vector in listener.taste.vectors[:_STARTS]]
        places: dict[str, int] = {}
        for found in lists:
            for place, track_id in enumerate(found):
                places[track_id] = min(place, places.get(track_id, place))
        return sorted(places, key=lambda track_id: (places[track_id], track_id))[: args.limit]
