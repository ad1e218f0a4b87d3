"""Tool: tracks that a small model writes as Semantic IDs from the request's words; only playable tracks can come out."""

from __future__ import annotations

from itertools import islice

from data.contracts import Intent, ToolArgs, ToolName
from data.errors import ToolFailedError
from program.tools.merge import in_turn
from program.tools.protocol import MOST_MATCHES, ToolContext, allowed
from program.tools.semantic_recall import sharing_words


class GenerativeRetriever:
    """Recall by codes beside the words themselves; tolerant, for the long tail. Needs an index with Semantic IDs."""

    name: ToolName = "generative_retriever"
    card = "recall by a model of this catalog: for several wishes at once, unusual wordings and rare requests"

    def eligible(self, intent: Intent) -> bool:
        """Needs words that describe music, as recall by meaning does."""
        return not intent.by_role("target") and bool(
            intent.free_text or any(constraint.op != "not" for constraint in intent.constraints)
        )

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, best first; without constraints in turn with those that share most words, as `semantic_recall` does.

        Where few tracks hold the conditions the codes are written among these only; else the beam runs free and what it
        finds is checked, and matching tracks it did not come to follow.

        Raises:
            ToolFailedError: the index has no Semantic IDs.
            ValueError: no query.
        """
        if not args.query.strip():
            raise ValueError("generative_retriever needs a query")
        ids = context.index.semantic_ids
        if ids is None:
            raise ToolFailedError("this index has no Semantic IDs", hint="build it with --generative")
        request = context.index.embed(args.query)
        hits = context.matching(args) if args.constraints else None
        rows: list[int] = []
        if hits is None or hits.total > MOST_MATCHES:
            found = (row for row, _ in ids.generate(request) if allowed(context.index.track(row), args))
            rows = list(islice(found, args.limit))
        if hits is not None and len(rows) < args.limit:
            rows += [row for row, _ in ids.generate(request, among=sorted(set(hits.rows) - set(rows)))]
        written = context.keep(rows[: args.limit])
        if args.constraints or not context.settings.recall_words:
            return written
        return in_turn([written, sharing_words(args, context)])[: args.limit]
