"""Tool: tracks whose lyrics hold remembered words, wrong ones tolerated; the line that matches comes with each track."""

from __future__ import annotations

from data.contracts import Intent, ToolArgs, ToolName
from program.index.lyrics import remembered_in
from program.tools.protocol import ToolContext, filter_of


class LyricSearch:
    """Search in the lyrics that the catalog holds."""

    name: ToolName = "lyric_search"
    card = "tracks whose lyrics hold words that the listener remembers, even misheard or misspelt; gives the matching line"

    def eligible(self, intent: Intent) -> bool:
        """Needs remembered words; the registry asks besides for a catalog with lyrics."""
        return intent.kind == "lyric" and bool(intent.free_text.strip())

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, the nearest lyrics first, none below the floor.

        Raises:
            ValueError: no remembered words, or a catalog without lyrics.
        """
        if not args.query.strip():
            raise ValueError("lyric_search needs remembered words")
        if not context.index.info.lyrics:
            raise ValueError("lyric_search needs a catalog with lyrics")
        found = remembered_in(context.index, args.query, filter_of(args), context.settings.lyric_floor)[: args.limit]
        track_ids = context.keep([row for row, _, _ in found])
        context.sources.update(((self.name, track_id), line) for track_id, (_, _, line) in zip(track_ids, found, strict=True))
        return track_ids
