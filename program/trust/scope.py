"""What becomes of a request that wants something else than music, unless the catalog knows its words as a name."""

from __future__ import annotations

from data.contracts import Fallback, Playlist
from data.vocab.other_tasks import out_of_scope_message, plain
from program.grounding.locale import request_locale
from program.state import Session

_WHOLE = 0.8
"""Share of the words of a task that a name of the catalog must cover to be meant instead (own choice)."""


def is_out_of_scope(session: Session) -> bool:
    """Whether the session's task is meant: no name that the catalog holds covers its words ("What's the Weather")."""
    task = session.task
    if task is None or session.understanding is None:
        return False
    words = task.words
    named = [plain(item.surface) for reading in session.understanding.readings for item in reading.evidence]
    return not any(words in name or (name in words and len(name) >= _WHOLE * len(words)) for name in named)


def out_of_scope(session: Session) -> Playlist:
    """The honest answer: nothing is played, and what is possible is said."""
    assert session.task is not None
    message = f"the request is for {session.task.topic}, not for music"
    session.note(Fallback(node="understand", kind="policy", code="out_of_scope", message=message))
    return Playlist(status="refused", message=out_of_scope_message(request_locale(session.text)))
