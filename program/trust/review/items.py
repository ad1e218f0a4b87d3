"""The item that a handed-over answer becomes."""

from __future__ import annotations

from data.contracts import Playlist
from data.trust import ReviewItem
from program.state import Session
from program.trust.breaker.explain import summary

_ID_CHARS = 8


def item_of(playlist: Playlist, session: Session, at: float, user_key: str) -> ReviewItem | None:
    """The item of an answer that is handed over; None for any other.

    Args:
        at: seconds since 1970.
    """
    handed = playlist.handover
    if handed is None:
        return None
    trip = next((trip for trip in reversed(session.trips) if trip.outcome == "queued"), None)
    trip = trip if handed.reason == "low_confidence" else None
    return ReviewItem(
        item_id=session.trace_id[-_ID_CHARS:], trace_id=session.trace_id, at=at, request=session.text, reason=handed.reason,
        owner=handed.owner, summary=summary(trip) if trip else handed.summary, trip=trip, user_key=user_key,
    )  # fmt: skip
