"""The guards behind the graph: a finished answer is closed over its contract and made fit to be shown."""

from __future__ import annotations

from data.contracts import AssertionOutcome, Fallback, Playlist, PlaylistTrack, ReplyContract
from program.settings import SafetySettings
from program.state import Session
from program.trust.closing import closed
from program.trust.wording_guard import form_faults, shown

_MOST_TOLD = 3
ANSWER = "playlist"
"""The artifact whose assertions these checks are."""
ANSWER_CLOSES, ANSWER_FORMED = "answer_closes", "answer_formed"


def guarded(playlist: Playlist, session: Session, safety: SafetySettings) -> Playlist:
    """The answer after closure and form, as far as they are switched on; what was cut is noted on the session."""
    contract = session.contract
    if safety.after:
        playlist = _formed(playlist, session)
    if safety.closure and contract is not None and playlist.tracks:
        playlist = _closed(playlist, contract, session)
    return visible(playlist) if safety.after else playlist


def _closed(playlist: Playlist, contract: ReplyContract, session: Session) -> Playlist:
    """The answer closed over the contract, of which only the tracks count that EXECUTE found."""
    candidates = {candidate.track_id for candidate in session.need_found().candidates}
    held = tuple(track for track in contract.tracks if track.track_id in candidates)
    found = closed(playlist, contract.model_copy(update={"tracks": held}) if len(held) < len(contract.tracks) else contract)
    _outcome(session, ANSWER_CLOSES, found.cuts)
    if not found.cuts:
        return playlist
    _note(session, "answer_cut", found.cuts)
    return found.playlist if found.playlist.title else found.playlist.model_copy(update={"title": _plain_title(session)})


def _formed(playlist: Playlist, session: Session) -> Playlist:
    """A title that quotes the request must not carry its markup, addresses or commands."""
    contract = session.contract
    if contract is None or not playlist.title:
        return playlist
    echo = session.suspect and playlist.title.casefold() == session.text.casefold()
    faults = form_faults(playlist.title, contract) or (["a request that speaks to a machine"] if echo else [])
    _outcome(session, ANSWER_FORMED, faults)
    if not faults:
        return playlist
    _note(session, "answer_unformed", faults)
    return playlist.model_copy(update={"title": _plain_title(session)})


def visible(playlist: Playlist) -> Playlist:
    """The answer with no control, escape, reordering or invisible character in any text of it; the same object without one."""
    texts: dict[str, object] = {name: getattr(playlist, name) for name in ("title", "description", "message")}
    clean: dict[str, object] = {name: shown(str(text)) for name, text in texts.items()}
    tracks = tuple(map(_visible_track, playlist.tracks))
    if question := playlist.clarification:
        options = tuple(option.model_copy(update={"label": shown(option.label)}) for option in question.options)
        clean["clarification"] = question.model_copy(update={"question": shown(question.question), "options": options})
        texts["clarification"] = question
    clean["tracks"], texts["tracks"] = tracks, playlist.tracks
    return playlist.model_copy(update=clean) if clean != texts else playlist


def _visible_track(track: PlaylistTrack) -> PlaylistTrack:
    names = (track.title, track.reason, track.album or "", *track.artists)
    if all(shown(name) == name for name in names):
        return track
    title, reason, album, *artists = map(shown, names)
    return track.model_copy(update={"title": title, "reason": reason, "album": album or None, "artists": tuple(artists)})


def _plain_title(session: Session) -> str:
    return "为你推荐" if session.need_intent().locale == "zh" else "For you"


def _note(session: Session, code: str, faults: tuple[str, ...] | list[str]) -> None:
    told = "; ".join(faults[:_MOST_TOLD])
    session.note(Fallback(node="guard", kind="policy", code=code, message=f"taken out of the answer: {told}"))


def _outcome(session: Session, name: str, faults: tuple[str, ...] | list[str]) -> None:
    """A cut answer counts as repaired: what is left holds."""
    outcome = AssertionOutcome(name=name, outcome="repaired" if faults else "passed", message="; ".join(faults[:_MOST_TOLD]))
    session.assertions[ANSWER] = (*session.assertions.get(ANSWER, ()), outcome)
