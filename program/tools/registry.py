"""All tools by name, and the cards that PLAN needs to see for an intent."""

from __future__ import annotations

from data.contracts import Intent, ToolName
from program.index.protocol import CatalogIndex
from program.settings import ExecuteSettings
from program.tools.catalog_search import CatalogSearch
from program.tools.generative_retriever import GenerativeRetriever
from program.tools.protocol import Tool
from program.tools.semantic_recall import SemanticRecall
from program.tools.similar_tracks import SimilarTracks

TOOLS: dict[ToolName, Tool] = {
    tool.name: tool for tool in (CatalogSearch(), SimilarTracks(), SemanticRecall(), GenerativeRetriever())
}
BY_MODEL: frozenset[ToolName] = frozenset({"generative_retriever"})
"""Tools that need a trained model beside the index."""


def models_ready(index: CatalogIndex, settings: ExecuteSettings) -> frozenset[ToolName]:
    """Those of `BY_MODEL` that are switched on and that the index has a model for."""
    return BY_MODEL if settings.generative and index.semantic_ids is not None else frozenset()


def eligible_tools(intent: Intent, has_words: bool = False, ready: frozenset[ToolName] = frozenset()) -> list[Tool]:
    """The tools that can serve the intent, in registry order.

    Args:
        intent: with the constraints as they stand this round, so that nothing is searched for that was given up.
        ready: as `models_ready`. has_words: words stand in for a constraint, which only recall by meaning can use.
    """
    usable = [tool for tool in TOOLS.values() if tool.name not in BY_MODEL or tool.name in ready]
    tools = [tool for tool in usable if tool.eligible(intent)]
    recall = TOOLS["semantic_recall"]
    return [*tools, recall] if has_words and recall not in tools and not intent.by_role("target") else tools
