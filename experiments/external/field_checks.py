"""Whether an answer is what a field row wants: every check gives the difference in words, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from data.catalog.schema import Track
from data.contracts import Intent, Playlist
from data.names import base_title, name_key
from experiments.external.field_catalog import Shelf
from experiments.external.field_rows import Named, TrackSet, Want

_WITH_TRACKS = frozenset({"ok", "partial"})


def answer_faults(want: Want, shelf: Shelf, playlist: Playlist, intent: Intent | None) -> tuple[str, ...]:
    """Every way in which an answer is not what is wanted; empty when it is right.

    Args:
        intent: how the request was read; None where the program did not get that far.
    """
    faults = []
    if playlist.status not in want.status:
        faults.append(f"status {playlist.status}, not {' or '.join(want.status)}")
    if playlist.status not in _WITH_TRACKS and playlist.tracks:
        faults.append(f"{len(playlist.tracks)} tracks are played all the same")
    if playlist.status == "clarify":
        faults.extend(_question(want, shelf, playlist))
    elif intent is not None:
        faults.extend(_reading(want, shelf, intent))
    if playlist.status in _WITH_TRACKS:
        faults.extend(_answer(want, shelf, playlist))
    faults.extend(_told(want, playlist))
    return tuple(faults)


def _question(want: Want, shelf: Shelf, playlist: Playlist) -> Iterator[str]:
    offered = {o.entity_id for o in playlist.clarification.options} if playlist.clarification else set()
    for named in want.options:
        if shelf.entity_ids(named).isdisjoint(offered):
            yield f"the question does not offer {_words(named)}"


def _reading(want: Want, shelf: Shelf, intent: Intent) -> Iterator[str]:
    for named in want.entities:
        used = {entity.entity_id for entity in intent.entities if (entity.entity_type, entity.role) == (named.type, named.role)}
        if shelf.entity_ids(named).isdisjoint(used):
            yield f"read without {_words(named)}"
    for name in want.absent:
        if not any(name_key(name) in name_key(absent) for absent in intent.absent):
            yield f"“{name}” is not named as absent"
    for condition in want.constraints:
        alike = [c for c in intent.constraints if (c.facet, c.op) == (condition.facet, condition.op)]
        if not any(_covers(condition.values, constraint.values, condition.op) for constraint in alike):
            yield f"read without {condition.facet} {condition.op} {', '.join(condition.values)}"
    for field in ("kind", "personal", "size"):
        wanted, got = getattr(want, field), getattr(intent, field)
        if wanted not in (None, got):
            yield f"{field} {got}, not {wanted}"


def _covers(wanted: tuple[str, ...], got: tuple[str, ...], op: str) -> bool:
    return wanted == got if op == "range" else set(wanted) <= set(got)


def _answer(want: Want, shelf: Shelf, playlist: Playlist) -> Iterator[str]:
    by_id = {track.track_id: track for track in shelf.tracks}
    tracks = [by_id[track.track_id] for track in playlist.tracks]
    if want.first and not _in_any(tracks[0], want.first):
        yield f"first is {_title(tracks[0])}"
    strays = [track for track in tracks if want.every and not _in_any(track, want.every)]
    if strays:
        yield f"{len(strays)} of {len(tracks)} are something else, such as {_title(strays[0])}"
    for banned in (track for track in tracks if _in_any(track, want.never)):
        yield f"{_title(banned)} is played"
    for missing in (wanted for wanted in want.some if not any(wanted.holds(track) for track in tracks)):
        yield f"nothing with {missing.words()}"
    if want.least and len(tracks) < want.least:
        yield f"{len(tracks)} tracks, not at least {want.least}"
    if want.most and len(tracks) > want.most:
        yield f"{len(tracks)} tracks, not at most {want.most}"
    works = Counter((track.artists[0].name, name_key(base_title(track.title))) for track in tracks)
    for (artist, title), times in works.most_common(1):
        if want.once and times > 1:
            yield f"{title} by {artist} comes {times} times"


def _told(want: Want, playlist: Playlist) -> Iterator[str]:
    said = " ".join((playlist.message, playlist.title, playlist.description, *(track.reason for track in playlist.tracks)))
    for words in want.told:
        if words.casefold() not in said.casefold():
            yield f"“{words}” is not said"


def _in_any(track: Track, sets: Sequence[TrackSet]) -> bool:
    return any(wanted.holds(track) for wanted in sets)


def _title(track: Track) -> str:
    return f"{track.title} – {', '.join(credit.name for credit in track.artists)}"


def _words(named: Named) -> str:
    return f"{named.role} {named.type} {named.name}{f' by {named.artist}' if named.artist else ''}"
