"""Tool: the best-known tracks that hold every condition; popularity orders, it never lets a condition go."""

from __future__ import annotations

from itertools import islice

from data.contracts import Intent, ToolArgs, ToolName
from program.tools.protocol import ToolContext

POPULAR = "popular"


class PopularWithin:
    """Popularity inside the constraints."""

    name: ToolName = "popular_within"
    card = "the best-known tracks that hold all conditions or are by the named artists; only tracks of known popularity"

    def eligible(self, intent: Intent) -> bool:
        """Needs a request for what is popular, and a name or another condition to stay within."""
        asked = any(c.facet == "popularity" and c.op == "is" and POPULAR in c.values for c in intent.constraints)
        within = intent.by_role("target") or any(c.facet != "popularity" for c in intent.constraints)
        return asked and bool(within)

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, most popular first.

        Raises:
            ValueError: nothing to stay within.
        """
        if not (args.constraints or args.track_ids or args.artist_ids or args.album_ids):
            raise ValueError("popular_within needs a name or a condition")
        rows = context.matching(args).rows
        known = (row for row in rows if context.index.track(row).track.popularity is not None)
        return context.keep(list(islice(known, args.limit)))  # no more records are read than it takes to find them
