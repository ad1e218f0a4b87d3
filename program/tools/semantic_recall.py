"""Tool: tracks whose words and facets mean what the request's words mean."""

from __future__ import annotations

from data.contracts import Intent, ToolArgs, ToolName
from program.tools.nearest import nearest_allowed
from program.tools.protocol import ToolContext


class SemanticRecall:
    """Vector recall from free words; tolerant, for the long tail."""

    name: ToolName = "semantic_recall"
    card = "search by meaning: for atmosphere, scenes and words that no facet holds; tolerant recall for rare requests"

    def eligible(self, intent: Intent) -> bool:
        """Needs words that describe music; tracks of a named artist or album are looked up instead."""
        return not intent.by_role("target") and bool(
            intent.free_text or any(constraint.op != "not" for constraint in intent.constraints)
        )

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, nearest in meaning first.

        Raises:
            ValueError: no query.
        """
        if not args.query.strip():
            raise ValueError("semantic_recall needs a query")
        vector = context.index.embed(args.query)
        floor = -1.0 if args.constraints else context.settings.semantic_floor
        return nearest_allowed(vector, args, context, floor=floor)
