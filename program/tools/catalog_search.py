"""Tool: tracks by verified ids and facet constraints, most popular first."""

from __future__ import annotations

from data.contracts import Intent, ToolArgs, ToolName
from program.tools.joint_credits import joint_credits
from program.tools.protocol import ToolContext


class CatalogSearch:
    """Exact search over the catalog's facets and verified names."""

    name: ToolName = "catalog_search"
    card = "exact search: verified tracks, artists, albums, and tracks whose genre, region, era, mood and so on match"

    def eligible(self, intent: Intent) -> bool:
        """Needs a name or a condition to search for; a request to exclude something is a condition too."""
        return bool(intent.by_role("target", "exclude") or intent.constraints)

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, most popular first; where a named artist's own are too few, those credited jointly follow."""
        found = context.keep(list(context.matching(args).rows[: args.limit]))
        if args.artist_ids and len(found) < args.limit:
            found += joint_credits(found, args, context)
        return found
