"""Tool: the listener's liked songs, the last liked first. Protected: nothing outside the set ever comes back."""

from __future__ import annotations

from data.contracts import Intent, ToolArgs, ToolName
from program.tools.own_set import listener_for, own_tracks
from program.tools.protocol import ToolContext


class LikedSongs:
    """The listener's own likes, narrowed by names, facets and the time of the like."""

    name: ToolName = "liked_songs"
    card = "the listener's own liked songs, narrowed by names, facets and when they were liked; never anything else"

    def eligible(self, intent: Intent) -> bool:
        """Needs a request for the liked songs."""
        return intent.personal == "liked"

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, last liked first.

        Raises:
            ValueError: the request has no listener, or names no time that is known.
        """
        return own_tracks(listener_for(self.name, context).liked(args), args, context)
