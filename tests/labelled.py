"""Labelled rows and answers for tests, over the tiny catalog."""

from __future__ import annotations

from functools import cache
from typing import Any

from data.catalog.schema import Track, inherit
from data.contracts import EntityRef, EntityType, Intent, Plan, Role, ToolArgs, ToolCall
from data.labelled import LabelledRow
from optimizers.records import AnsweredTrack, AnswerRecord, Round
from tests.tiny import artists, tracks

ADELE, LIONEL = "adele--hello", "lionel-richie--hello"


def row(request: str, **fields: Any) -> LabelledRow:
    """A row of the entity set; by default nothing is labelled and no track is right."""
    given: dict[str, Any] = {
        "qid": "entity-001", "set": "entity", "kind": "homonym", "request": request, "locale": "en",
        "design_intent": "A row for a test.", "retry": ["none"], "failure_mode": "none",
        "quality": {"least": 0, "size": 20},
    }  # fmt: skip
    return LabelledRow.model_validate(given | fields)


def named(surface: str, entity_type: EntityType, *ids: str, role: Role = "target", optional: bool = False) -> dict[str, Any]:
    """A labelled entity."""
    return {"entity_type": entity_type, "ids": ids, "role": role, "surface": surface, "optional": optional}


def used(entity_id: str, entity_type: EntityType = "track", role: Role = "target") -> EntityRef:
    """An entity of an intent."""
    return EntityRef(evidence_id="e0", entity_id=entity_id, entity_type=entity_type, name=entity_id, role=role)


@cache
def _records() -> dict[str, Track]:
    by_id = {artist.artist_id: artist for artist in artists()}
    return {track.track_id: inherit(track, by_id[track.artists[0].artist_id]) for track in tracks()}


def answered(*track_ids: str, popularity: float = 0.5) -> tuple[AnsweredTrack, ...]:
    """Tracks of the tiny catalog as an answer returns them."""
    return tuple(AnsweredTrack(track=_records()[track_id], popularity=popularity) for track_id in track_ids)


def record(*track_ids: str, **fields: Any) -> AnswerRecord:
    """An answer `ok` with these tracks, read as an empty intent unless said."""
    given: dict[str, Any] = {"status": "ok", "tracks": answered(*track_ids), "reading": Intent(kind="discover")}
    return AnswerRecord(**(given | fields))


def turn(action: str = "proceed", *, sufficient: bool = True, args: ToolArgs | None = None, **fields: Any) -> Round:
    """One round with a single search."""
    routes = (ToolCall(tool="catalog_search", args=args or ToolArgs()),)
    return Round.model_validate({"plan": Plan(routes=routes), "action": action, "sufficient": sufficient, **fields})
