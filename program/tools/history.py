"""Tool: what the listener played, the last played first. Protected: nothing outside the set ever comes back."""

from __future__ import annotations

from data.contracts import Intent, ToolArgs, ToolName
from program.tools.own_set import listener_for, own_tracks
from program.tools.protocol import ToolContext


class History:
    """The listener's own plays, narrowed by names, facets and when they were played."""

    name: ToolName = "history"
    card = "what the listener played before, narrowed by names, facets and when it was played; never anything else"

    def eligible(self, intent: Intent) -> bool:
        """Needs a request for what was played."""
        return intent.personal == "history"

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, each once: last played first, or most played first where that was asked for.

        Raises:
            ValueError: the request has no listener, or names no time that is known.
        """
        return own_tracks(listener_for(self.name, context).played(args), args, context)
