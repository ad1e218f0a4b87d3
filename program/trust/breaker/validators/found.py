"""Are the candidates what was asked for? For EXECUTE's merge."""

from __future__ import annotations

from data.contracts import CandidateSet
from data.trust import Signal
from program.index.filters import accepts
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot

_MOST_LOOKED_AT = 100
_SHOWN = 3


def signals(found: CandidateSet, session: Session, _: Resources, __: Snapshot) -> tuple[Signal, ...]:
    """The share of candidates that hold the conditions as they stand; what is ruled out is not among them."""
    entries = [session.entries[one.track_id] for one in found.candidates[:_MOST_LOOKED_AT] if one.track_id in session.entries]
    if not entries:
        return ()
    held = sum(all(accepts(entry.track, entry.popularity, one) for one in session.active) for entry in entries)
    excluded = {entity.entity_id for entity in session.need_intent().by_role("exclude")}
    back = [
        entry.track.title for entry in entries if excluded & {entry.track.track_id, *(c.artist_id for c in entry.track.artists)}
    ]
    return (
        Signal(
            name="conditions", score=round(held / len(entries), 4), part=f"{len(entries) - held} of {len(entries)} candidates"
        ),
        Signal(name="excluded", score=0.0 if back else 1.0, part=", ".join(back[:_SHOWN])),
    )


def received(found: CandidateSet, _: Session, resources: Resources, __: Snapshot) -> tuple[Signal, ...]:
    """REFLECT and SYNTHESIZE can use only tracks that the catalog holds, under the name that it holds them by."""
    names = [candidate.track_id for candidate in found.candidates]
    held = resources.index.by_ids(names)
    strange = [name for name in names if name not in held]
    return (Signal(name="ids", score=0.0 if strange else 1.0, part=", ".join(strange[:_SHOWN])),) if names else ()
