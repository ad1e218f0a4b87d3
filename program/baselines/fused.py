"""Baseline: one fused LM call over retrieved tracks picks them, decides whether to answer, and words the playlist.

What a retrieval-augmented monolith does: the tracks in its prompt are found by code, everything after that is the model's. Ids
are free strings, and nobody checks them.
"""

from __future__ import annotations

from typing import Annotated, Any

import dspy
from pydantic import Field

from data.contracts import Clarification, Confidence, Playlist, PlaylistTrack
from program.baselines.base import Baseline, no_lm
from program.baselines.stated import Stated
from program.index.protocol import TrackEntry
from program.nodes.asking import ask_node
from program.state import Session
from program.trust.artifacts import Recorder
from signatures.baselines import AnswerFused

_MOST_OFFERED = 20
_MOST_PICKED = 20
_GENRES = 2
_SURE = 10
_MAX_TOKENS = 500
_TYPES: dict[str, Any] = {
    "track_ids": Annotated[
        list[Annotated[str, Field(min_length=1, max_length=100)]], Field(min_length=1, max_length=_MOST_PICKED)
    ],
    "title": Annotated[str, Field(max_length=80)],
    "description": Annotated[str, Field(max_length=240)],
}
"""Limits of length alone: a model that repeats itself comes to an end, and a small one does not take the shortest list."""

_EXAMPLE = {
    "request": "two old waltzes for a slow evening",
    "tracks": (
        "lena-marsh--winter-waltz | Winter Waltz - Lena Marsh, 1938, waltz\n"
        "the-corner-band--up-and-down | Up and Down - The Corner Band, 2004, rock\n"
        "otto-hale--the-last-boat | The Last Boat - Otto Hale, 1941, waltz, folk"
    ),
    "decision": "play",
    "track_ids": ["lena-marsh--winter-waltz", "otto-hale--the-last-boat"],
    "title": "Slow waltzes",
    "description": "Two old waltzes by Lena Marsh and Otto Hale.",
    "confidence": 8,
}
"""What a reply looks like; without it a small model fills the list with commas. Nothing of it is in any catalog."""


class Fused(Baseline):
    """Its answer is what the model said; without a reply there is none."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.answer_fused = dspy.Predict(AnswerFused)
        self.answer_fused.demos = [_EXAMPLE]

    def answer(self, session: Session, recorder: Recorder) -> Playlist:
        """Search once, ask once, and give what was said."""
        found = self.search(session, recorder, self.named_by_code(session), ("catalog_search", "semantic_recall"))
        offered = [session.entries[candidate.track_id] for candidate in found.candidates[:_MOST_OFFERED]]
        prediction = self._timed("plan", session, lambda: self._asked(session, offered))
        if prediction is None:
            no_lm(session)
            return Playlist(status="failed", message="The model gave no answer.")
        stated = _stated(prediction, offered)
        sure = Confidence(own=stated.confidence, final=stated.confidence)
        recorder.record("synthesize", stated, summary=f"{stated.decision}: {len(stated.track_ids)} ids", confidence=sure)
        return self._given(stated)

    def _asked(self, session: Session, offered: list[TrackEntry]) -> dspy.Prediction | None:
        inputs: dict[str, object] = {"request": session.text, "tracks": "\n".join(map(_line, offered)) or "none"}
        return ask_node(self.answer_fused, inputs, session, self._resources, node="plan", types=_TYPES, max_tokens=_MAX_TOKENS)

    def _given(self, stated: Stated) -> Playlist:
        """The reply as an answer; an id that the catalog does not hold stands in it by its own name."""
        if stated.decision == "clarify":
            return Playlist(status="clarify", clarification=Clarification(question=stated.title, options=()))
        if stated.decision == "not_found":
            return Playlist(status="not_found")
        picked = tuple(dict.fromkeys(stated.track_ids))
        held = self._resources.index.by_ids(picked)
        tracks = tuple(_track(track_id, held.get(track_id)) for track_id in picked)
        return Playlist(status="ok", tracks=tracks, title=stated.title, description=stated.description)


def _stated(prediction: dspy.Prediction, offered: list[TrackEntry]) -> Stated:
    return Stated(
        decision=prediction.decision, track_ids=tuple(prediction.track_ids), title=prediction.title,
        offered=tuple(entry.track.track_id for entry in offered), description=prediction.description,
        confidence=prediction.confidence / _SURE,
    )  # fmt: skip


def _line(entry: TrackEntry) -> str:
    """Such as "toto--africa | Africa - Toto, 1982, rock"."""
    track = entry.track
    said = [", ".join(credit.name for credit in track.artists), str(track.year or ""), *track.genres[:_GENRES]]
    return f"{track.track_id} | {track.title} - {', '.join(filter(None, said))}"


def _track(track_id: str, entry: TrackEntry | None) -> PlaylistTrack:
    if entry is None:
        return PlaylistTrack(track_id=track_id, title=track_id, artists=())
    track = entry.track
    artists = tuple(credit.name for credit in track.artists)
    return PlaylistTrack(track_id=track_id, title=track.title, artists=artists, album=track.album, year=track.year)
