"""What the answer keeps of the core when it had to be loosened: a shorter list that is about what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from data.contracts import Candidate, Constraint
from program.index.filters import satisfies
from program.index.protocol import TrackEntry


def core_first(
    ranked: Sequence[Candidate],
    entries: Mapping[str, TrackEntry],
    core: Sequence[Constraint],
    size: int,
    share: float,
) -> list[Candidate]:
    """`ranked` with so few near misses that at least `share` of the list holds every core condition as it was asked.

    Nothing changes when no candidate, or when enough candidates hold the core.

    Args:
        ranked: best first. core: as `Ledger.core` gives it. size: tracks of the answer.
        share: 0..1.
    """
    holding = {candidate.track_id for candidate in ranked if holds(entries[candidate.track_id], core)}
    if not core or not holding:
        return list(ranked)
    near = int(min(len(holding), size) * (1 - share) / share + 1e-9) if share else len(ranked)
    kept: list[Candidate] = []
    for candidate in ranked:
        if candidate.track_id in holding:
            kept.append(candidate)
        elif near > 0:
            kept.append(candidate)
            near -= 1
    return kept


def holds(entry: TrackEntry, core: Sequence[Constraint]) -> bool:
    """Whether a track holds every one of the conditions, by its catalog record."""
    return all(satisfies(entry.track, entry.popularity, constraint) == "yes" for constraint in core)
