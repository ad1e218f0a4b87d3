"""Guard: the words that open a request are no name."""

from __future__ import annotations

from data.contracts import EntityRef, GuardHit
from data.names import name_key
from data.vocab.request_words import RequestRole, request_words
from program.grounding.guards.base import GuardInput, guard_hit
from program.grounding.tokens import tokenize

_OPENING: frozenset[RequestRole] = frozenset({"command", "ask", "greeting", "filler"})


def verb_prefix(given: GuardInput) -> list[GuardHit]:
    """The command word that opens a request is no name: "play X" does not ask for something called Play."""
    tokens = tokenize(given.request)
    words = request_words()
    for position, token in enumerate(tokens[:-1]):
        roles = words.get(token.key, ())
        if "command" in roles:
            again = {later.key for number, later in enumerate(tokens) if number != position}
            return [] if token.key in again else _named_like(given, token.key, token.text)
        if _OPENING.isdisjoint(roles):
            break
    return []


def _named_like(given: GuardInput, verb: str, written: str) -> list[GuardHit]:
    """A hit for each thing that is searched for and has the command's name."""
    message = f"{written} is the command here, not a name"
    return [
        guard_hit("verb_prefix", "drop", message, words=written, target=entity.entity_id)
        for entity in given.intent.by_role("target", "seed")
        if entity.entity_id in given.searched and (name_key(entity.name) == verb or _is_named_by(given, entity, verb))
    ]


def _is_named_by(given: GuardInput, entity: EntityRef, verb: str) -> bool:
    """Whether the command's word is what names the entity, whatever the catalog calls it ("PLAY我呸")."""
    named = given.scene.named if given.scene else ()
    return any(item.entity_id == entity.entity_id and name_key(item.found.surface) == verb for item in named)
