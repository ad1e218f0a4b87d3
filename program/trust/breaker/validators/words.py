"""Are the words about the tracks that are there, and on the subject that was asked? For SYNTHESIZE."""

from __future__ import annotations

import numpy as np

from data.contracts import Candidate, Reply
from data.trust import Signal
from program.nodes.describe import constraint_words
from program.state import Resources, Session
from program.trust.breaker.snapshot import Snapshot, asked_since
from program.trust.contract import known_share, violations

_BEYOND, _ELSEWHERE = 0.2, 0.2
_SHOWN = 3
Chosen = tuple[list[Candidate], Reply]


def signals(output: Chosen, session: Session, resources: Resources, before: Snapshot) -> tuple[Signal, ...]:
    """Nothing goes beyond the contract, the words are mostly given ones, and near in meaning to what was asked."""
    chosen, reply = output
    contract = session.contract
    if contract is None or not chosen:
        return ()
    beyond = violations(f"{reply.title}. {reply.description}", contract, ())
    given = known_share(reply.description, contract)
    found = [
        Signal(name="closure", score=_BEYOND if beyond else 1.0, part=", ".join(beyond[:_SHOWN])),
        Signal(name="subject", score=round(min(1.0, given / resources.settings.wording.known_words), 4), part="description"),
    ]
    if _compares(session, resources, before):
        found.append(drift(reply, session, resources))
    return tuple(found)


def received(output: Chosen, session: Session, resources: Resources, _: Snapshot) -> tuple[Signal, ...]:
    """The answer may list only candidates that the catalog holds."""
    chosen, reply = output
    names = [candidate.track_id for candidate in chosen]
    candidates = {candidate.track_id for candidate in session.need_found().candidates}
    held = resources.index.by_ids(names)
    strange = [name for name in names if name not in held or name not in candidates]
    strange += [reason.track_id for reason in reply.reasons if reason.track_id not in candidates]
    return (Signal(name="ids", score=0.0 if strange else 1.0, part=", ".join(strange[:_SHOWN])),) if names else ()


def drift(reply: Reply, session: Session, resources: Resources) -> Signal:
    """Whether the answer's words are near enough to what was asked to be on the same subject. Source: A-18."""
    intent = session.need_intent()
    asked = ". ".join([session.text, *map(constraint_words, intent.constraints), *(entity.name for entity in intent.entities)])
    cosine = float(np.dot(resources.index.embed(asked), resources.index.embed(f"{reply.title}. {reply.description}")))
    score = 1.0 if cosine >= resources.settings.breaker.drift_floor else _ELSEWHERE
    return Signal(name="drift", score=score, part=f"cosine {cosine:.2f}")


def _compares(session: Session, resources: Resources, before: Snapshot) -> bool:
    """Template words are made of the contract, so by default only a model's are embedded (two texts, some milliseconds)."""
    wanted = resources.settings.breaker.drift
    return wanted == "always" or (wanted == "model" and asked_since("synthesize", session, before))
