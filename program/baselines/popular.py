"""Baseline: the most popular tracks, whatever is asked. What a score means without reading the request at all."""

from __future__ import annotations

from data.contracts import Playlist, PlaylistTrack
from program.baselines.base import Baseline
from program.index.protocol import Filter
from program.state import Session
from program.trust.artifacts import Recorder


class PopularList(Baseline):
    """The same list for everybody."""

    def answer(self, session: Session, recorder: Recorder) -> Playlist:
        """The first tracks by popularity."""
        size = session.n or self._resources.settings.retry.list_size
        index = self._resources.index
        entries = [index.track(row) for row in index.search(Filter(), size).rows]
        tracks = tuple(
            PlaylistTrack(
                track_id=entry.track.track_id, title=entry.track.title,
                artists=tuple(credit.name for credit in entry.track.artists), album=entry.track.album, year=entry.track.year,
            )
            for entry in entries
        )  # fmt: skip
        return Playlist(status="ok" if tracks else "not_found", tracks=tracks, title="Popular")
