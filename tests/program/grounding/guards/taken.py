"""What a request was taken for, in short words, as the input of a guard: the plan is code's own for that intent."""

from __future__ import annotations

from functools import cache
from typing import Any

from data.contracts import Constraint, EntityRef, Intent
from program.grounding.guards import GUARDS, GuardInput, Sketch
from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.nodes.compile import compile_plan, default_sketch
from program.settings import Settings
from program.tools.registry import eligible_tools
from tests.sessions import session

Case = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A request, what it was taken for, and the hits as `remedy target`."""


def taken(
    index: EmbeddedIndex, request: str, *parts: str, settings: Settings | None = None, sketch: Sketch | None = None
) -> GuardInput:
    """The guard's input when `request` is taken for the parts.

    Args:
        parts: `ROLE TYPE ID` for a name, `FACET=VALUE:WORDS` or `FACET!=VALUE:WORDS` for a facet that the words name,
            `words:WORDS` for what is left over.
        sketch: the tools, where they are not code's own choice.
    """
    chosen = settings or Settings()
    known = understand_by_code(request, index, chosen)
    intent = _intent(index, request, parts)
    made = session(request, intent)
    plan = compile_plan(intent, made, sketch or default_sketch(intent, eligible_tools(intent), 0), chosen)
    return GuardInput(intent, plan, request, known, index, chosen.grounding)


def hits(given: GuardInput, guard: str) -> tuple[str, ...]:
    """What one guard says, as `remedy target`; each hit must name words of the request."""
    found = GUARDS[guard](given)
    assert all(hit.guard == guard and hit.words and hit.words in given.request and hit.message for hit in found)
    return tuple(f"{hit.remedy} {hit.target}" for hit in found)


def _intent(index: EmbeddedIndex, request: str, parts: tuple[str, ...]) -> Intent:
    named = [part.split(" ") for part in parts if len(part.split(" ")) == 3 and ":" not in part]
    entities = [_entity(index, number, *words) for number, words in enumerate(named)]
    constraints = [_constraint(request, number, part) for number, part in enumerate(parts) if "=" in part]
    words = next((part.removeprefix("words:") for part in parts if part.startswith("words:")), "")
    assert len(entities) + len(constraints) + bool(words) == len(parts), parts
    seeds = any(entity.role == "seed" for entity in entities)
    targets = any(entity.role == "target" for entity in entities)
    kind: Any = "similar" if seeds else "play" if targets else "discover"
    return Intent(kind=kind, entities=tuple(entities), constraints=tuple(constraints), free_text=words)


def _entity(index: EmbeddedIndex, number: int, role: str, entity_type: str, identity: str) -> EntityRef:
    name = _names(index)[entity_type, identity]
    fields = {"evidence_id": f"p{number}", "entity_id": identity, "entity_type": entity_type, "name": name, "role": role}
    return EntityRef.model_validate(fields)


@cache
def _names(index: EmbeddedIndex) -> dict[tuple[str, str], str]:
    """The name of everything in a small catalog."""
    artists = [index.artist(row).artist for row in range(index.info.artists)]
    albums = [index.album(row) for row in range(index.info.albums)]
    tracks = [index.track(row).track for row in range(index.info.tracks)]
    return {
        **{("artist", artist.artist_id): artist.name for artist in artists},
        **{("album", album.album_id): album.name for album in albums},
        **{("track", track.track_id): track.title for track in tracks},
    }


def _constraint(request: str, number: int, part: str) -> Constraint:
    condition, surface = part.split(":")
    facet, value = condition.replace("!", "").split("=")
    start = request.index(surface)
    fields = {
        "constraint_id": f"c{number}", "facet": facet, "op": "not" if "!" in condition else "is", "values": (value,),
        "strength": "core", "span": (start, start + len(surface)), "surface": surface,
    }  # fmt: skip
    return Constraint.model_validate(fields)
