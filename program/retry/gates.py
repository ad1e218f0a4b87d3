"""REFLECT's gates: is the merged set large enough, and does it serve what the request is about? Pure functions.

Source: Melo section 2.3 and its appendix (tau_size 1.5, a list is 20).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from data.contracts import Candidate, Constraint, GateReport, Intent
from program.index.filters import accepts
from program.index.protocol import TrackEntry
from program.settings import RetrySettings


def needed(intent: Intent, settings: RetrySettings) -> int:
    """Candidates that a request needs: a named track itself, else tau_size times the asked size."""
    targets = intent.by_role("target")
    if intent.kind == "play" and targets and all(entity.entity_type == "track" for entity in targets):
        return len(targets)
    if intent.kind == "lyric":
        return 1  # one song has the words, or a few
    if intent.kind == "play" and targets:
        return 1  # an artist's tracks, or an album's, all or those described: what the catalog holds is the answer
    return math.ceil(settings.tau_size * intent.size)


def gate(
    intent: Intent,
    candidates: tuple[Candidate, ...],
    active: tuple[Constraint, ...],
    entries: Mapping[str, TrackEntry],
    settings: RetrySettings,
) -> GateReport:
    """Both gates on the merged set.

    Args:
        active: the constraints as they stand this round; coverage is taken over the core ones.
        entries: the catalog records of the candidates.
    """
    need = needed(intent, settings)
    records = [entries[candidate.track_id] for candidate in candidates]
    coverage = {c.constraint_id: _share(records, c) for c in active if c.strength == "core"}
    size_ok = len(candidates) >= need
    coverage_ok = bool(candidates) and all(share >= settings.coverage_floor for share in coverage.values())
    return GateReport(total=len(candidates), needed=need, size_ok=size_ok, coverage=coverage, coverage_ok=coverage_ok)


def _share(records: Sequence[TrackEntry], constraint: Constraint) -> float:
    """Share of records that hold the constraint; an unknown counts where it is accepted."""
    served = sum(accepts(entry.track, entry.popularity, constraint) for entry in records)
    return round(served / len(records), 4) if records else 0.0


def match_score(candidates: tuple[Candidate, ...], constraints: tuple[Constraint, ...]) -> float:
    """Mean share of `constraints` that a candidate satisfies, 0..1; 1 without constraints, 0 without candidates."""
    if not candidates:
        return 0.0
    if not constraints:
        return 1.0
    held = sum(
        candidate.satisfies.get(constraint.constraint_id) == "yes" for candidate in candidates for constraint in constraints
    )
    return round(held / (len(candidates) * len(constraints)), 4)
