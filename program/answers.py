"""The answer that ends a session, by status: ok, partial, clarify, not_found, refused, failed."""

from __future__ import annotations

from data.contracts import (
    Candidate,
    Clarification,
    Evidence,
    Fallback,
    Intent,
    Option,
    Playlist,
    PlaylistTrack,
    Status,
)
from data.errors import RequestError
from program.nodes import wording
from program.nodes.compile import wants_taste
from program.nodes.describe import is_empty
from program.nodes.personal import nothing_known, nothing_own
from program.settings import Settings
from program.state import Resources, Session

_NEAR = 3
_UNSUNG = ("no_lyrics", "no_lyric_match")


def needs_question(intent: Intent) -> bool:
    """Whether guessing is unsafe: equally likely names cannot be told apart, or nothing at all is asked for."""
    return len(intent.ambiguity) > 1 or intent.kind == "other" or is_empty(intent)


def is_unsung(session: Session) -> bool:
    """Whether all that is asked for is the song with a line that no lyrics hold: what is near in meaning is not that song."""
    known = session.understanding
    only_line = known is not None and known.line and not session.need_intent().entities
    return only_line and any(fault.code in _UNSUNG for fault in session.fallbacks)


def open_to_taste(session: Session, settings: Settings) -> bool:
    """Whether a request that names nothing is answered from the listener's taste instead of with a question."""
    intent = session.need_intent()
    is_open = is_empty(intent) and intent.kind == "discover" and not intent.ambiguity
    return settings.personal.open_requests and is_open and wants_taste(intent, session, settings)


def has_own_set(session: Session) -> bool:
    """Whether the listener has any of what the request asks for."""
    listener = session.listener
    return listener is not None and bool(listener.likes if session.need_intent().personal == "liked" else listener.plays)


def answer(session: Session, chosen: list[Candidate]) -> Playlist:
    """The playlist of the chosen tracks, with its ledger."""
    intent, reply, found = session.need_intent(), session.reply, session.need_found()
    assert reply is not None
    returned = [session.entries[candidate.track_id] for candidate in chosen]
    ledger = session.ledger.entries(returned)
    reasons = {reason.track_id: reason for reason in reply.reasons}
    tracks = tuple(
        PlaylistTrack(
            track_id=entry.track.track_id, title=entry.track.title, artists=tuple(credit.name for credit in entry.track.artists),
            album=entry.track.album, year=entry.track.year, reason=reasons[entry.track.track_id].text,
            citations=reasons[entry.track.track_id].citations,
        )
        for entry in returned
    )  # fmt: skip
    tools_failed = any(result.error is not None and result.error.kind != "bad_args" for result in found.results)
    status, message = _status(intent, tracks, session, tools_failed)
    return Playlist(
        status=status, tracks=tracks, title=reply.title if tracks else "", description=reply.description if tracks else "",
        ledger=ledger, message=message,
    )  # fmt: skip


def _status(intent: Intent, tracks: tuple[PlaylistTrack, ...], session: Session, tools_failed: bool) -> tuple[Status, str]:
    zh = intent.locale == "zh"
    if not tracks:
        if tools_failed:
            return (
                "failed",
                "检索工具没有回应。" if zh else "A retrieval tool did not answer and nothing was found; our fault, not yours.",
            )
        if intent.personal != "none":
            return "not_found", nothing_own(intent)
        return "not_found", "曲库里没有符合的歌曲。" if zh else "The catalog holds nothing that matches this."
    whole = _is_whole_set(intent, session) or (intent.kind == "lyric" and session.n is None)
    if session.ledger.relaxed:
        return "partial", ""
    if len(tracks) < intent.size and intent.minutes is None and not whole:
        if tools_failed:
            return (
                "partial",
                "有检索工具没有回应，结果可能不全。" if zh else "A retrieval tool did not answer; there may be more.",
            )
        short = f"The catalog holds {len(tracks)} that match; {intent.size} were asked for."
        return "partial", f"曲库里只有 {len(tracks)} 首符合。" if zh else short
    return "ok", ""


def _is_whole_set(intent: Intent, session: Session) -> bool:
    """All of an own set, a named artist or album, or what is described of it, is whole where no number was asked for."""
    named = intent.kind == "play" and bool(intent.by_role("target"))
    return (named or intent.personal != "none") and session.n is None


def clarify(session: Session, resources: Resources) -> Playlist:
    """A question with at most four options that shows what tells them apart."""
    intent, understanding = session.need_intent(), session.understanding
    assert understanding is not None
    if intent.kind == "other" or is_empty(intent):
        question = wording.open_question(intent.locale)
        return Playlist(status="clarify", clarification=Clarification(question=question, options=()), message=question)
    by_id = {item.evidence_id: item for item in understanding.best.evidence}
    items = [by_id[name] for name in intent.ambiguity if name in by_id][:4]
    options = tuple(
        Option(
            option_id=f"o{number}",
            label=_label(item, resources),
            entity_type=item.entity_type,
            entity_id=item.entity_id,
        )
        for number, item in enumerate(items, 1)
    )
    question = wording.question(intent.locale, items[0].surface)
    return Playlist(status="clarify", clarification=Clarification(question=question, options=options), message=question)


def _label(item: Evidence, resources: Resources) -> str:
    entry = resources.index.by_ids([item.entity_id]).get(item.entity_id) if item.entity_type == "track" else None
    year = f", {entry.track.year}" if entry and entry.track.year else ""
    return f"{item.name} – {', '.join(item.artists)}{year}" if item.artists else f"{item.name} ({item.entity_type})"


def not_found(session: Session, resources: Resources) -> Playlist:
    """The named thing is not in the catalog: said so, with what comes near by name, and nothing played instead."""
    intent = session.need_intent()
    near: list[str] = []
    understanding = session.understanding
    for item in understanding.best.evidence if understanding else ():
        if item.entity_type in ("track", "album"):
            near.append(f"{item.name} – {', '.join(item.artists)}")
        else:
            near.append(f"{item.name} ({item.available_tracks} tracks)" if intent.locale != "zh" else item.name)
    if session.suspect:  # words that speak to a machine are not repeated
        intent = intent.model_copy(update={"absent": ("…",)})
    return Playlist(status="not_found", message=wording.not_found(intent, tuple(dict.fromkeys(near))[:_NEAR]))


def unsupported(session: Session) -> Playlist:
    """A personal set was asked for and nothing of it is known."""
    intent, listener = session.need_intent(), session.listener
    fault = Fallback(
        node="plan", kind="policy", code="no_user_data", message="no liked songs or history are known for this listener"
    )
    session.note(fault)
    return Playlist(status="not_found", message=nothing_known(intent, of_anyone=listener is None))


def refused(session: Session, error: RequestError) -> Playlist:
    """The pre-guard turned the request away."""
    session.note(Fallback(node="guard", kind="policy", code=error.code, message=error.message))
    return Playlist(status="refused", message=error.one_line())


def finish(playlist: Playlist, session: Session, total_ms: float) -> Playlist:
    """Trace id, timings, usage, path and fallbacks on the answer."""
    usage = session.meter.usage()
    unsung = [fault.message for fault in session.fallbacks if fault.code in _UNSUNG]
    message = " ".join([playlist.message, *unsung]).strip()
    timings = {name: round(value, 2) for name, value in session.timings_ms.items()} | {"total": round(total_ms, 2)}
    return playlist.model_copy(
        update={
            "trace_id": session.trace_id, "path": "lm" if usage else "shortcut", "timings_ms": timings, "usage": usage,
            "fallback": tuple(session.fallbacks), "message": message,
        }
    )  # fmt: skip
