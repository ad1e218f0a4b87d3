"""All tools by name, and the cards that PLAN needs to see for an intent."""

from __future__ import annotations

from data.contracts import Intent, ToolName
from program.index.protocol import IndexInfo
from program.tools.catalog_search import CatalogSearch
from program.tools.fresh import Fresh
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


def eligible_tools(intent: Intent, has_words: bool = False, info: IndexInfo | None = None) -> list[Tool]:
    """The tools that can serve the intent, in registry order.

    Args:
        intent: with the constraints as they stand this round, so that nothing is searched for that was given up.
        has_words: words stand in for a constraint, which only recall by meaning can use.
        info: of the catalog; what needs data that it does not hold is left out. None: nothing is known of it.
    """
    tools = [tool for tool in TOOLS.values() if tool.eligible(intent) and (info is None or _serves(tool.name, info))]
    if intent.personal != "none":
        return [tool for tool in tools if tool.name in PROTECTED]
    recall = TOOLS["semantic_recall"]
    return [*tools, recall] if has_words and recall not in tools and not intent.by_role("target") else tools


def _serves(name: ToolName, info: IndexInfo) -> bool:
    """Whether the catalog holds what the tool searches in."""
    return name != "lyric_search" or info.lyrics > 0
