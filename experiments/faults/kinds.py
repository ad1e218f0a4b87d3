"""The faults: each spoils one node's output as a bad model or a rogue tool would, and leaves the session consistent with it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from data.contracts import Candidate, CandidateSet, EntityRef, Intent, NodeName, Plan, Reply, Verdict
from program.grounding.lookup import entity_id
from program.index.protocol import CatalogIndex
from program.retry.ledger import Ledger
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot

WRONG_ENTITY, DROPPED, INVENTED, CONTRADICTORY, OFF_TOPIC = (
    "wrong_entity", "dropped_constraint", "invented_id", "contradictory_verdict", "off_topic_text",
)  # fmt: skip
_INVENTED_SHARE = 0.2
_IN_PLAN = 0.4
_RIVAL = 0.5


@dataclass(frozen=True)
class Material:
    """What faults are made of. replies: of other requests, to be off topic with."""

    rng: random.Random
    replies: Sequence[Reply] = field(default_factory=tuple)


Spoil = Callable[[Any, Session, Resources, Snapshot, Material], Any]
"""(output, session, resources, the session before the node ran, material) → a spoilt output, set on the session too."""


def wrong_entity(intent: Intent, session: Session, resources: Resources, _: Snapshot, material: Material) -> Intent:
    """A name means another entity: half the time one that answers to the same words, else any of its type."""
    at = material.rng.randrange(len(intent.entities))
    entity = intent.entities[at]
    other = _rival(entity, session, resources.index, material) or _any_other(entity, resources.index, material.rng)
    entities = (*intent.entities[:at], other, *intent.entities[at + 1 :])
    return _set_intent(intent.model_copy(update={"entities": entities}), session)


def dropped_from_intent(intent: Intent, session: Session, _: Resources, __: Snapshot, material: Material) -> Intent:
    """A condition is forgotten while the request is read."""
    at = material.rng.randrange(len(intent.constraints))
    constraints = (*intent.constraints[:at], *intent.constraints[at + 1 :])
    return _set_intent(intent.model_copy(update={"constraints": constraints}), session)


def dropped_from_plan(plan: Plan, session: Session, _: Resources, __: Snapshot, material: Material) -> Plan:
    """A condition is forgotten in every route."""
    gone = material.rng.choice(session.active)
    routes = tuple(
        call.model_copy(update={"args": call.args.model_copy(
            update={"constraints": tuple(one for one in call.args.constraints if one != gone)})})
        for call in plan.routes
    )  # fmt: skip
    session.plan = plan.model_copy(update={"routes": routes})
    return session.plan


def invented_id(found: CandidateSet, session: Session, _: Resources, __: Snapshot, material: Material) -> CandidateSet:
    """The best candidates become tracks that the catalog does not hold, complete with titles."""
    many = max(1, round(len(found.candidates) * _INVENTED_SHARE))
    spoilt = [_invented(candidate, session, material.rng) for candidate in found.candidates[:many]]
    session.found = found.model_copy(update={"candidates": (*spoilt, *found.candidates[many:])})
    return session.found


def contradictory(verdict: Verdict, session: Session, _: Resources, before: Snapshot, __: Material) -> Verdict:
    """The verdict says the opposite: enough becomes too little and is given up on, a repair is called needless."""
    if verdict.is_sufficient:
        update: dict[str, object] = {"action": "fallback", "is_sufficient": False, "reason": "too few tracks match"}
    else:
        before.restore(session)
        update = {"action": "proceed", "is_sufficient": True, "relaxation_ids": (), "reason": "both gates passed"}
    session.verdict = verdict.model_copy(update=update)
    return session.verdict


def off_topic(output: tuple[list[Candidate], Reply], session: Session, _: Resources, __: Snapshot, material: Material) -> Any:
    """Title and description of another answer."""
    chosen, reply = output
    other = material.rng.choice([one for one in material.replies if one.description != reply.description])
    session.reply = reply.model_copy(update={"title": other.title, "description": other.description})
    return chosen, session.reply


SPOILS: dict[tuple[str, NodeName], Spoil] = {
    (WRONG_ENTITY, "understand"): wrong_entity,
    (DROPPED, "understand"): dropped_from_intent,
    (DROPPED, "plan"): dropped_from_plan,
    (INVENTED, "execute"): invented_id,
    (CONTRADICTORY, "reflect"): contradictory,
    (OFF_TOPIC, "synthesize"): off_topic,
}


def node_of(kind: str, rng: random.Random) -> NodeName:
    """The node that a fault strikes."""
    if kind == DROPPED:
        return "plan" if rng.random() < _IN_PLAN else "understand"
    return next(node for fault, node in SPOILS if fault == kind)


def possible(kind: str, output: Any, session: Session) -> bool:
    """Whether a node's output has what the fault spoils."""
    if isinstance(output, Intent):
        return bool(output.entities if kind == WRONG_ENTITY else output.constraints)
    if isinstance(output, Plan):
        return bool(session.active) and bool(output.routes)
    if isinstance(output, CandidateSet):
        return bool(output.candidates)
    return isinstance(output, Verdict) or bool(output[0])


def _set_intent(intent: Intent, session: Session) -> Intent:
    session.intent, session.active, session.ledger = intent, intent.constraints, Ledger(intent.constraints)
    return intent


def _rival(entity: EntityRef, session: Session, index: CatalogIndex, material: Material) -> EntityRef | None:
    """Another entity of the same type that answers to the same words."""
    known = session.understanding
    if known is None or material.rng.random() >= _RIVAL:
        return None
    mentions = [one for one in known.lookup.mentions if one.entity_type == entity.entity_type]
    own = [one for one in mentions if entity_id(one, index) == entity.entity_id]
    spans = {(one.span.first, one.span.last) for one in own}
    rivals = [one for one in mentions if (one.span.first, one.span.last) in spans and one not in own]
    if not rivals:
        return None
    chosen = material.rng.choice(rivals)
    return entity.model_copy(
        update={"entity_id": entity_id(chosen, index), "name": _name(chosen.entity_type, chosen.posting.row, index)}
    )


def _any_other(entity: EntityRef, index: CatalogIndex, rng: random.Random) -> EntityRef:
    counts = {"track": index.info.tracks, "artist": index.info.artists, "album": index.info.albums}
    while True:
        row = rng.randrange(counts[entity.entity_type])
        name, other = _name(entity.entity_type, row, index), _id(entity.entity_type, row, index)
        if other != entity.entity_id:
            return entity.model_copy(update={"entity_id": other, "name": name})


def _name(kind: str, row: int, index: CatalogIndex) -> str:
    if kind == "track":
        return index.track(row).track.title
    return index.artist(row).artist.name if kind == "artist" else index.album(row).name


def _id(kind: str, row: int, index: CatalogIndex) -> str:
    if kind == "track":
        return index.track(row).track.track_id
    return index.artist(row).artist.artist_id if kind == "artist" else index.album(row).album_id


def _invented(candidate: Candidate, session: Session, rng: random.Random) -> Candidate:
    entry = session.entries[candidate.track_id]
    made_up = f"{candidate.track_id}-{rng.randrange(10_000):04d}"
    track = entry.track.model_copy(update={"track_id": made_up, "title": f"{entry.track.title} ({rng.randrange(10, 99)})"})
    session.entries[made_up] = replace(entry, track=track)
    return candidate.model_copy(update={"track_id": made_up})
