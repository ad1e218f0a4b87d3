"""What a constraint means, written down a second time in plain Python, to recount the index by."""

from __future__ import annotations

from collections.abc import Iterable

from data.contracts import Constraint
from data.vocab.loader import load_vocabularies
from program.index.engine import EmbeddedIndex
from program.index.protocol import TrackEntry

_LISTS = {"genre": "genres", "mood": "moods", "activity": "activities", "instrument": "instruments"}
_NUMBERS = {"era": "year", "tempo": "bpm"}


def _held(entry: TrackEntry, facet: str) -> set[str]:
    raw = getattr(entry.track, _LISTS.get(facet, facet))
    values = set(raw) if isinstance(raw, tuple) else {raw} - {None}
    vocabulary = load_vocabularies().get(facet)
    wider = {parent for value in values for parent in (vocabulary.ancestors(value) if vocabulary else ())}
    return values | wider


def _inside(number: float, constraint: Constraint) -> bool:
    """Whether one of the intervals holds the number; where one tempo ends, the next begins."""
    if constraint.facet == "tempo" and constraint.op != "range":
        return any(low <= number < high for low, high in _bounds(constraint))
    return any(low <= number <= high for low, high in _bounds(constraint))


def _bounds(constraint: Constraint) -> list[tuple[float, float]]:
    if constraint.op == "range":
        low, high = constraint.values
        return [(float(low or "-inf"), float(high or "inf"))]
    names = {"era": ("year_from", "year_to"), "tempo": ("bpm_min", "bpm_max")}
    low_name, high_name = names.get(constraint.facet, ("percentile_min", "percentile_max"))
    numbers = [load_vocabularies()[constraint.facet].concepts[value].numbers for value in constraint.values]
    return [(held.get(low_name, float("-inf")), held.get(high_name, float("inf"))) for held in numbers]


def holds(entry: TrackEntry, constraint: Constraint) -> bool:
    """Whether a search under `constraint` may return the track."""
    if constraint.facet in ("era", "tempo", "popularity"):
        known = getattr(entry.track, _NUMBERS.get(constraint.facet, "popularity")) is not None
        number = entry.popularity if constraint.facet == "popularity" else getattr(entry.track, _NUMBERS[constraint.facet])
        inside = known and _inside(number, constraint)
    else:
        held = _held(entry, constraint.facet)
        known, inside = bool(held), bool(held & set(constraint.values))
    if constraint.op == "not":
        return not inside
    return inside or (constraint.unknown_ok and not known)


def recount(index: EmbeddedIndex, constraints: Iterable[Constraint], *, without_artists: Iterable[str] = ()) -> int:
    """Playable tracks that hold every constraint, one by one."""
    entries = [index.track(row) for row in range(index.info.tracks)]
    banned = set(without_artists)
    return sum(
        entry.track.playable
        and banned.isdisjoint(credit.artist_id for credit in entry.track.artists)
        and all(holds(entry, constraint) for constraint in constraints)
        for entry in entries
    )
