"""All tools by name, and the cards that PLAN needs to see for an intent."""

from __future__ import annotations

from collections.abc import Callable

from data.contracts import Intent, ToolName
from program.index.protocol import CatalogIndex
from program.settings import ExecuteSettings
from program.tools.catalog_search import CatalogSearch
from program.tools.fresh import Fresh
from program.tools.generative_retriever import GenerativeRetriever
from program.tools.history import History
from program.tools.liked_songs import LikedSongs
from program.tools.lyric_search import LyricSearch
from program.tools.popular_within import PopularWithin
from program.tools.protocol import Tool
from program.tools.semantic_recall import SemanticRecall
from program.tools.similar_artists import SimilarArtists
from program.tools.similar_tracks import SimilarTracks
from program.tools.taste_recall import TasteRecall

TOOLS: dict[ToolName, Tool] = {
    tool.name: tool
    for tool in (
        CatalogSearch(),
        SimilarTracks(),
        SemanticRecall(),
        GenerativeRetriever(),
        SimilarArtists(),
        LyricSearch(),
        Fresh(),
        PopularWithin(),
        LikedSongs(),
        History(),
        TasteRecall(),
    )
}
PROTECTED: frozenset[ToolName] = frozenset({"liked_songs", "history"})
"""Tools over a listener's own set. Where such a set is asked for, no other tool may answer."""
OF_LISTENERS: frozenset[ToolName] = PROTECTED | {"taste_recall"}
"""Tools that need a listener."""
BY_MODEL: frozenset[ToolName] = frozenset({"generative_retriever"})
"""Tools that need a trained model beside the index."""
_NEEDS: dict[ToolName, Callable[[CatalogIndex, ExecuteSettings], bool]] = {
    "lyric_search": lambda index, _: index.info.lyrics > 0,
    "generative_retriever": lambda index, settings: settings.generative and index.semantic_ids is not None,
}
"""What a tool needs of the catalog, where it needs more than tracks."""
WITHOUT_MODELS = frozenset(TOOLS) - BY_MODEL


def served(index: CatalogIndex, settings: ExecuteSettings) -> frozenset[ToolName]:
    """The tools that are switched on and that the catalog has the data and the model for."""
    return frozenset(name for name in TOOLS if name not in _NEEDS or _NEEDS[name](index, settings))


def eligible_tools(intent: Intent, has_words: bool = False, among: frozenset[ToolName] = WITHOUT_MODELS) -> list[Tool]:
    """The tools that can serve the intent, in registry order.

    Args:
        intent: with the constraints as they stand this round, so that nothing is searched for that was given up.
        has_words: words stand in for a constraint, which only recall by meaning can use.
        among: as `served`.
    """
    tools = [tool for tool in TOOLS.values() if tool.name in among and tool.eligible(intent)]
    if intent.personal != "none":
        return [tool for tool in tools if tool.name in PROTECTED]
    recall = TOOLS["semantic_recall"]
    return [*tools, recall] if has_words and recall not in tools and not intent.by_role("target") else tools
