"""The closure of a finished answer over its contract: what goes beyond it is cut and told, whoever wrote it. Pure functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from data.contracts import ContractTrack, Playlist, PlaylistTrack, Reply, ReplyContract
from program.trust.contract import beyond, common_text, track_text, violations

_CHECKED = re.compile(r"\d|[\"“«「『《]|://|www\.", re.IGNORECASE)
"""Without one of these a text holds nothing that could go beyond a contract."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")


@dataclass(frozen=True)
class Closed:
    """An answer that closes. cuts: what was taken out of it, in words; empty when nothing was."""

    playlist: Playlist
    cuts: tuple[str, ...]


def closed(playlist: Playlist, contract: ReplyContract) -> Closed:
    """The answer with nothing in it that the contract does not hold: tracks, citations, words, ledger."""
    cuts: list[str] = []
    held, common = {track.track_id: track for track in contract.tracks}, common_text(contract)
    tracks = tuple(_closed_track(track, held[track.track_id], common, cuts) for track in _chosen(playlist, held, cuts))
    title = _closed_title(playlist.title, contract, cuts)
    description = _closed_words(playlist.description, contract, cuts)
    if playlist.ledger != contract.ledger:
        cuts.append("a changed ledger")
    if not cuts:
        return Closed(playlist, ())
    status = playlist.status if tracks or playlist.status not in ("ok", "partial") else "failed"
    update = {"tracks": tracks, "title": title, "description": description, "ledger": contract.ledger, "status": status}
    return Closed(playlist.model_copy(update=update), tuple(dict.fromkeys(cuts)))


def closed_reply(reply: Reply, contract: ReplyContract) -> Reply:
    """The writer's reply without reasons for tracks that were not chosen and fields that it may not set."""
    held = {track.track_id for track in contract.tracks}
    reasons = tuple(reason for reason in reply.reasons if reason.track_id in held)
    render = {name: value for name, value in reply.render.items() if name in contract.render}
    if len(reasons) == len(reply.reasons) and len(render) == len(reply.render):
        return reply
    return reply.model_copy(update={"reasons": reasons, "render": render})


def _chosen(playlist: Playlist, held: dict[str, ContractTrack], cuts: list[str]) -> list[PlaylistTrack]:
    """The tracks that were chosen, each once, as code ordered them."""
    given = {track.track_id: track for track in playlist.tracks}
    cuts.extend(f"the track {name}" for name in given if name not in held)
    kept = [given[name] for name in held if name in given]
    if [track.track_id for track in playlist.tracks if track.track_id in held] != [track.track_id for track in kept]:
        cuts.append("another order of the tracks")
    return kept


def _closed_track(track: PlaylistTrack, held: ContractTrack, common: str, cuts: list[str]) -> PlaylistTrack:
    """The track as the contract names it; another track's year is no fact of this one."""
    update: dict[str, object] = {}
    if foreign := [cite for cite in track.citations if cite not in held.cites]:
        cuts.extend(f"the citation {cite}" for cite in foreign)
        update["citations"] = tuple(cite for cite in track.citations if cite in held.cites)
    if (track.title, track.artists, track.year) != (held.title, held.artists, held.year):
        cuts.append(f"another name for {held.ref}")
        update |= {"title": held.title, "artists": held.artists, "year": held.year}
    if _CHECKED.search(track.reason) and (found := beyond(track.reason, common + track_text(held))):
        cuts.extend(found)
        update["reason"] = ""
    return track.model_copy(update=update) if update else track


def _closed_title(title: str, contract: ReplyContract, cuts: list[str]) -> str:
    found = _beyond(title, contract)
    cuts.extend(found)
    return "" if found else title


def _closed_words(text: str, contract: ReplyContract, cuts: list[str]) -> str:
    """`text` without the sentences that say more."""
    if not (found := _beyond(text, contract)):
        return text
    cuts.extend(found)
    return " ".join(sentence for sentence in _SENTENCE.split(text) if sentence and not _beyond(sentence, contract))


def _beyond(text: str, contract: ReplyContract) -> list[str]:
    """What can be told without the catalog: numbers, quotes, internal numbers, addresses."""
    return violations(text, contract, ()) if _CHECKED.search(text) else []
