"""Tool: tracks whose words and facets mean what the request's words mean, or whose words are the request's words."""

from __future__ import annotations

from itertools import islice

from data.contracts import Intent, ToolArgs, ToolName
from program.index.documents import text_words
from program.tools.merge import in_turn
from program.tools.nearest import OVERFETCH, nearest_allowed
from program.tools.protocol import ToolContext, allowed


class SemanticRecall:
    """Vector recall from free words beside the words themselves; tolerant, for the long tail."""

    name: ToolName = "semantic_recall"
    card = "search by meaning: for atmosphere, scenes and words that no facet holds; tolerant recall for rare requests"

    def eligible(self, intent: Intent) -> bool:
        """Needs words that describe music; tracks of a named artist or album are looked up instead."""
        return not intent.by_role("target") and bool(
            intent.free_text or any(constraint.op != "not" for constraint in intent.constraints)
        )

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, in turn the next nearest in meaning and, without constraints, the next that shares most words.

        Raises:
            ValueError: no query.
        """
        if not args.query.strip():
            raise ValueError("semantic_recall needs a query")
        vector = context.index.embed(args.query)
        floor = -1.0 if args.constraints else context.settings.semantic_floor
        near = nearest_allowed(vector, args, context, floor=floor)
        if args.constraints or not context.settings.recall_words:  # what facets say is not looked for in titles too
            return near
        sharing = sharing_words(args, context)
        # The vector of foreign words is a guess at their mood; a title that has the words themselves is none.
        return in_turn([sharing, near] if args.words else [near, sharing])[: args.limit]


def sharing_words(args: ToolArgs, context: ToolContext) -> list[str]:
    """Track ids that share words of title, artist, album or tags with the query, the rarest words first."""
    rows = context.index.sharing_words(text_words(args.words or args.query), args.limit * OVERFETCH)
    kept = (row for row in rows if allowed(context.index.track(row), args))
    return context.keep(list(islice(kept, args.limit)))
