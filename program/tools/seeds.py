"""Shared by the tools that start from given things: the seeds' rows, and arguments that leave the seeds out."""

from __future__ import annotations

from data.contracts import ToolArgs, ToolName
from program.index.protocol import Filter
from program.tools.protocol import ToolContext

SEED_TRACKS = 20
"""Tracks of an artist or album that stand for it, the most popular ones."""
MOST_SEEDS = 3


def seed_groups(name: ToolName, args: ToolArgs, context: ToolContext) -> list[list[int]]:
    """For each seed the row of the track, or of the most popular tracks of the artist or album; at most `MOST_SEEDS` groups.

    Seeds beyond that share the last group.

    Raises:
        ValueError: no seed that the catalog holds.
    """
    filters = [
        *(Filter(track_ids=(track_id,)) for track_id in args.track_ids),
        *(Filter(artist_ids=(artist_id,)) for artist_id in args.artist_ids),
        *(Filter(album_ids=(album_id,)) for album_id in args.album_ids),
    ]
    groups = [list(rows) for where in filters if (rows := context.index.search(where, SEED_TRACKS).rows)]
    if not groups:
        raise ValueError(f"{name} needs a seed track, artist or album of the catalog")
    if len(groups) > MOST_SEEDS:
        rest = [row for group in groups[MOST_SEEDS - 1 :] for row in group]
        groups = [*groups[: MOST_SEEDS - 1], rest]
    return groups


def seed_rows(name: ToolName, args: ToolArgs, context: ToolContext) -> list[int]:
    """The rows of all seeds together.

    Raises:
        ValueError: no seed that the catalog holds.
    """
    return list(dict.fromkeys(row for group in seed_groups(name, args, context) for row in group))


def without_seeds(args: ToolArgs) -> ToolArgs:
    """The same limits without the names to start from; the seed tracks themselves are excluded."""
    exclude = (*args.exclude_track_ids, *args.track_ids)
    return args.model_copy(update={"track_ids": (), "artist_ids": (), "album_ids": (), "exclude_track_ids": exclude})
