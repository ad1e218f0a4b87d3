"""Tool: tracks by verified ids, facet constraints, the source's own tags and the work they are from, most popular first."""

from __future__ import annotations

from dataclasses import replace

from data.contracts import Intent, ToolArgs, ToolName
from data.names import name_form, name_key
from program.index.documents import text_words
from program.index.protocol import Filter, TrackEntry
from program.tools.joint_credits import joint_credits
from program.tools.protocol import MOST_MATCHES, ToolContext, filter_of

SOUNDTRACKS = frozenset({"soundtrack", "film-score", "video-game-music"})
"""Genres that are music of another work."""
_SOUNDTRACK_WORDS = frozenset("soundtrack ost score film movie picture series game musical".split())


class CatalogSearch:
    """Exact search over the catalog's facets, tags and verified names."""

    name: ToolName = "catalog_search"
    card = (
        "exact search: verified tracks, artists, albums, and tracks whose genre, region, era, mood and so on match, "
        "or that are from the soundtrack of a film, series or game"
    )

    def eligible(self, intent: Intent) -> bool:
        """Needs a name or a condition to search for; a request to exclude something is a condition too."""
        return bool(intent.by_role("target", "exclude") or intent.constraints)

    def run(self, args: ToolArgs, context: ToolContext) -> list[str]:
        """Track ids, most popular first; where a named artist's own are too few, those credited jointly follow.

        A work that the catalog does not know narrows conditions down to nothing, so they stand alone then.
        """
        if args.tags or args.soundtrack_of.strip():
            entries = _holding(" ".join([*args.tags, args.soundtrack_of]), filter_of(args), context)
            kept = [entry for entry in entries if _has_tags(entry, args.tags) and _is_from(entry, args.soundtrack_of)]
            if kept or args.tags or not args.constraints:
                return context.keep([entry.row for entry in kept[: args.limit]])
        found = context.keep(list(context.matching(args).rows[: args.limit]))
        if args.artist_ids and len(found) < args.limit:
            found += joint_credits(found, args, context)
        return found


def _holding(words: str, where: Filter, context: ToolContext) -> list[TrackEntry]:
    """The tracks that hold every word in title, artist, album or tags, most popular first."""
    hits = context.index.search(replace(where, text=text_words(words)), MOST_MATCHES)
    return sorted(map(context.index.track, hits.rows), key=lambda entry: (-entry.popularity, entry.row))


def _has_tags(entry: TrackEntry, tags: tuple[str, ...]) -> bool:
    return {name_key(tag) for tag in tags} <= {name_key(tag) for tag in entry.track.tags}


def _is_from(entry: TrackEntry, work: str) -> bool:
    """Whether the record says that a track is from a work: its album or a tag names it, as a soundtrack."""
    if not work.strip():
        return True
    track, wanted = entry.track, name_key(work)
    for said in (track.album or "", *track.tags):
        if wanted in name_key(said):
            marked = not _SOUNDTRACK_WORDS.isdisjoint(name_form(said).split()) or not SOUNDTRACKS.isdisjoint(track.genres)
            if marked:
                return True
    return False
