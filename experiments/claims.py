"""What the words of an answer say that nobody gave: one yardstick for every system, whoever checked its words before."""

from __future__ import annotations

from data.contracts import ContractTrack, Intent, ReplyContract
from optimizers.records import AnswerRecord
from program.grounding.names_in_text import artist_names, track_ids
from program.index.layout import FACET_FIELDS
from program.index.protocol import CatalogIndex, TrackEntry
from program.settings import GroundingSettings
from program.trust.contract import task_state, track_facts, violations


def unsupported(request: str, record: AnswerRecord, index: CatalogIndex) -> tuple[str, ...]:
    """Numbers, quotes, artists' names, ids and addresses in title and description that nobody gave, each in words.

    Given are the request, the catalog's whole records of the returned tracks, the ledger, and of Melo its own reading.
    """
    text = ". ".join(filter(None, (record.title, record.description)))
    if not text:
        return ()
    contract = _contract(request, record, index)
    found = violations(text, contract, artist_names(text, index, GroundingSettings()))
    returned = {one.track.track_id for one in record.tracks}
    return (*found, *(f"the id {name}" for name in track_ids(text, index) if name not in returned))


def _contract(request: str, record: AnswerRecord, index: CatalogIndex) -> ReplyContract:
    held = index.by_ids(one.track.track_id for one in record.tracks)
    tracks = tuple(_track(number, entry) for number, entry in enumerate(held.values(), 1))
    # The reading of a compared system is no product of its own, so its words rest on the request alone.
    reading = record.reading if record.stated is None and record.reading else Intent(kind="discover")
    task = task_state(reading, max(0, len(record.rounds) - 1))
    return ReplyContract(request=request, tracks=tracks, task=task, ledger=record.ledger)


def _track(number: int, entry: TrackEntry) -> ContractTrack:
    track = entry.track
    return ContractTrack(
        ref=f"t{number}", track_id=track.track_id, title=track.title, artists=tuple(credit.name for credit in track.artists),
        year=track.year, facts=(*track_facts(entry, FACET_FIELDS), track.album or ""), state={}, heard=(), cites=(),
    )  # fmt: skip
