"""The guard before the graph: size, encoding, emptiness; markers that a prompt would obey are made harmless."""

from __future__ import annotations

import unicodedata

from data.contracts import Fallback
from data.errors import RequestError
from program.grounding.other_tasks import other_task
from program.lm.untrusted import neutralise
from program.settings import RequestLimits, SafetySettings
from program.state import Session
from program.trust.markers import markers


def decode_request(raw: bytes) -> str:
    """A request from bytes.

    Raises:
        RequestError: not UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(f"the request is not UTF-8 text (byte {error.start})") from error


def clean_request(text: str, limits: RequestLimits) -> str:
    """The request as the graph may see it: NFC, control characters and markers defused, outer blanks gone.

    Raises:
        RequestError: empty, too long, or without a single letter, digit or sign that could be a name.
    """
    if len(text) > limits.max_chars:
        raise RequestError(f"the request has {len(text)} characters; at most {limits.max_chars} are read")
    cleaned = " ".join(neutralise(unicodedata.normalize("NFC", text)).split())
    if not cleaned:
        raise RequestError("the request is empty")
    if not any(unicodedata.category(char)[0] in "LNSP" for char in cleaned):
        raise RequestError("the request holds no readable character")
    return cleaned


def inspect(request: str, session: Session, safety: SafetySettings) -> None:
    """Note what in a request speaks to a machine, and what it may want instead of music; then no model reads it.

    Args:
        request: as it came, before the markers were defused.
    """
    session.task = other_task(session.text) if safety.scope else None
    session.suspect = markers(request) if safety.before else ()
    if session.suspect:
        message = f"the request is read without a model: it holds {', '.join(session.suspect)}"
        session.note(Fallback(node="guard", kind="policy", code="markers_in_request", message=message))
