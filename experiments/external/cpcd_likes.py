"""CPCD with likes: every turn is asked by a listener who is known by the likes and dislikes of the earlier turns.

What a turn itself liked is never given; the request stays the turn's own words. Three systems on the same turns: Melo with the
listener, Melo without, and Melo without whose answer leaves out what was judged in earlier turns, since no track is liked
twice in a dialogue. Intervals come from resampling dialogues, differences are paired.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from data.catalog.importers.rejects import Rejects
from data.users.reader import read_events
from data.users.schema import Event, LooseEvent
from experiments.external.cpcd import Dialogue
from experiments.external.evaluation import MELO, Progress
from experiments.external.retrieval import RetrievalEvaluation
from experiments.external.rows import sibling
from program.graph import MOST_TRACKS, Melo
from program.index.protocol import CatalogIndex
from program.settings import Settings
from program.users.listener import Listener, listener_of

WITHOUT, LEFT_OUT = "without_likes", "judged_left_out"
Judged = Mapping[int, Sequence[Event]]
"""By dialogue (0-based line of the file): its likes and dislikes in the order of the turns."""


def judgements(data: Path, split: str) -> Judged:
    """Every like and dislike of a split, by dialogue.

    Raises:
        LabelError: the file is missing.
    """
    name = f"dialogs.{split}.jsonl"
    found: dict[int, list[Event]] = defaultdict(list)
    for loose in read_events(sibling(data, "cpcd", name) / name, "cpcd", Rejects()):
        found[loose.row - 1].append(_known(loose))
    return found


def _known(loose: LooseEvent) -> Event:
    event = loose.event
    return Event(loose.track_id, event.kind, event.at, event.count, event.request, event.session, event.turn)


def listener_before(turn: int, events: Sequence[Event], index: CatalogIndex) -> Listener:
    """The listener as known when a turn begins: the events of earlier turns, the last ones first."""
    before = sorted((event for event in events if event.turn < turn), key=lambda event: -event.turn)
    return listener_of("cpcd", before, index, now=0.0)


class LikesEvaluation(RetrievalEvaluation):
    """Dialogues with what each of the three found for their turns."""

    name = "cpcd with likes"

    def __init__(self, split: str, dialogues: Sequence[Dialogue], judged_before: Judged) -> None:
        super().__init__(split, dialogues)
        self.judged_before = judged_before
        self.found = {MELO: [], WITHOUT: [], LEFT_OUT: []}

    def ask(self, index: CatalogIndex, settings: Settings, progress: Progress) -> None:
        """Ask every turn with and without the listener."""
        melo = Melo(index, settings)
        for number, (place, turn) in enumerate(self.turns, 1):
            listener = listener_before(turn.index, self.judged_before[self.dialogues[place].index], index)
            plain = _ids(melo, turn.text, None)
            started = time.monotonic()
            known = _ids(melo, turn.text, listener) if listener.taste else plain
            self.seconds += time.monotonic() - started
            self.found[WITHOUT].append(plain)
            self.found[LEFT_OUT].append([name for name in plain if name not in listener.known])
            self.found[MELO].append([name for name in known if name not in listener.known])
            progress("turns", number, len(self.turns))


def _ids(melo: Melo, text: str, listener: Listener | None) -> list[str]:
    playlist = melo(request=text, n=MOST_TRACKS, listener=listener).playlist
    return [track.track_id for track in playlist.tracks]
