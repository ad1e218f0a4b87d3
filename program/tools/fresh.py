"""Tool: the newest tracks first, by the year of their release."""

from __future__ import annotations

from data.contracts import Intent, ToolArgs, ToolName
from program.tools.protocol import ToolContext, filter_of

NEW = "new"
"""The era concept that asks for recent music."""


class Fresh:
    """What came out last, within names and conditions."""

    name: ToolName = "fresh"
    card = "the newest releases first, within the named artists and all conditions; tracks without a date are left out"

    def eligible(self, intent: Intent) -> bool:
        """Needs a request for what is new."""
        return intent.order == "newest" or any(c.facet == "era" and c.op == "is" and NEW in c.values for c in intent.constraints)

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, latest year first, the best known first within a year."""
        return context.keep(list(context.index.newest(filter_of(args), args.limit).rows))
