"""One ranked set out of several tools' lists: reciprocal ranks with route weights, versions of one recording collapsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from data.contracts import Candidate, Constraint, ToolResult
from data.names import base_title, name_key
from program.index.filters import satisfies
from program.index.protocol import TrackEntry

_NOT_ORIGINAL = {
    "original": 0,
    "remaster": 1,
    "re-recording": 2,
    "acoustic": 3,
    "live": 4,
    "demo": 5,
    "remix": 6,
    "instrumental": 7,
}


def fuse(lists: Sequence[tuple[str, float, Sequence[str]]], rank_constant: int) -> dict[str, tuple[float, dict[str, int]]]:
    """Track id → (score, rank per tool). Reciprocal rank fusion (Cormack et al. 2009) with a weight a list.

    Args:
        lists: (tool, weight, track ids best first).
    """
    fused: dict[str, tuple[float, dict[str, int]]] = {}
    for tool, weight, track_ids in lists:
        for rank, track_id in enumerate(track_ids):
            score, ranks = fused.get(track_id, (0.0, {}))
            if tool not in ranks:
                fused[track_id] = (score + weight / (rank_constant + rank + 1), ranks | {tool: rank})
    return fused


def in_turn(lists: Sequence[Sequence[str]]) -> list[str]:
    """The first of every list, then the second of every list, and so on; each id once. A longer list changes no beginning."""
    return list(dict.fromkeys(track_id for row in zip_longest(*lists) for track_id in row if track_id is not None))


def candidates(
    fused: Mapping[str, tuple[float, dict[str, int]]],
    entries: Mapping[str, TrackEntry],
    constraints: Sequence[Constraint],
    sources: Mapping[str, dict[str, str]] | None = None,
) -> list[Candidate]:
    """Candidates best first, each checked against the constraints; ids without a record are left out."""
    found = [
        Candidate(
            track_id=track_id,
            score=round(score, 6),
            route_ranks=ranks,
            sources=(sources or {}).get(track_id, {}),
            satisfies={c.constraint_id: satisfies(entries[track_id].track, entries[track_id].popularity, c) for c in constraints},
        )
        for track_id, (score, ranks) in fused.items()
        if track_id in entries
    ]
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.track_id))


def sources_of(results: Sequence[ToolResult]) -> dict[str, dict[str, str]]:
    """Track id → tool → what the tool took it by, for the tools that say so."""
    found: dict[str, dict[str, str]] = {}
    for result in results:
        for track_id, source in result.sources.items():
            found.setdefault(track_id, {})[result.tool] = source
    return found


def recording(entry: TrackEntry) -> tuple[str, str]:
    """What all versions of one recording share: the key of the title without its remarks, and the first artist."""
    return name_key(base_title(entry.track.title)), entry.track.artists[0].artist_id


def collapse_versions(ranked: Sequence[Candidate], entries: Mapping[str, TrackEntry], *, keep_all: bool) -> list[Candidate]:
    """One candidate a recording: the most original version takes the best place of its group.

    Args:
        keep_all: the request asked for a kind of version, so nothing is collapsed.
    """
    if keep_all:
        return list(ranked)
    best: dict[tuple[str, str], Candidate] = {}
    for candidate in ranked:
        key = recording(entries[candidate.track_id])
        held = best.get(key)
        if held is None:
            best[key] = candidate
        elif _originality(entries[candidate.track_id]) < _originality(entries[held.track_id]):
            best[key] = candidate.model_copy(update={"score": held.score})
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.track_id))


def _originality(entry: TrackEntry) -> tuple[int, int]:
    track = entry.track
    return _NOT_ORIGINAL.get(track.version, 9), track.year or 9999
