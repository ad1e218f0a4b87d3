"""What a hit makes of the intent, for PLAN to compile anew: names out, broader queries and better names in."""

from __future__ import annotations

from collections.abc import Iterable

from data.contracts import Constraint, EntityRef, GuardHit, Intent
from program.grounding.guards.base import GuardInput
from program.grounding.guards.scene import Named, Scene
from program.grounding.guards.works import album_rows, artists_of


def without(intent: Intent, identities: Iterable[str]) -> Intent:
    """The intent without these targets and seeds; the same object where it has none of them."""
    gone = set(identities)
    kept = tuple(e for e in intent.entities if e.entity_id not in gone or e.role not in ("target", "seed"))
    return intent if kept == intent.entities else _settled(intent.model_copy(update={"entities": kept}))


def mended(given: GuardInput, hits: Iterable[GuardHit]) -> Intent:
    """The intent with the remedy of each hit worked in."""
    intent, scene = given.intent, given.scene
    for hit in hits:
        if hit.remedy == "safer_retriever" and scene:
            intent = _replaced(intent, scene, hit)
        elif hit.remedy == "broaden" and scene:
            intent = _broadened(intent, scene, hit)
        elif hit.remedy == "drop" and hit.guard == "works_exclusion":
            absent = tuple(dict.fromkeys((*intent.absent, hit.words)))
            intent = without(intent, [hit.target]).model_copy(update={"absent": absent, "kind": "play"})
        elif hit.remedy == "drop":
            intent = without(intent, [hit.target])
    return intent


def _settled(intent: Intent) -> Intent:
    """Kind by what is left: a name to play, a seed to start from, or a description."""
    if intent.kind in ("play", "similar"):
        seeds, targets = intent.by_role("seed"), intent.by_role("target")
        kind = "similar" if seeds else "play" if targets or intent.absent else "discover"
        return intent.model_copy(update={"kind": kind})
    return intent


def _broadened(intent: Intent, scene: Scene, hit: GuardHit) -> Intent:
    """Instead of the name the facet that its words name, else its artist, where that is named too, else the words."""
    named = next((named for named in scene.named if named.entity_id == hit.target), None)
    rest = without(intent, [hit.target])
    if named is None or rest is intent:
        return rest
    facets = _constraints(rest, scene, named)
    if facets:
        return rest.model_copy(update={"constraints": (*rest.constraints, *facets)})
    artist = _named_artist(scene, named)
    if artist:
        return _settled(rest.model_copy(update={"entities": (*rest.entities, artist), "kind": "play"}))
    words = scene.text(named.first, named.last)
    if scene.is_everyday(named.first, named.last):
        return rest  # the words only ask
    return rest.model_copy(update={"free_text": f"{rest.free_text} {words}".strip()})


def _named_artist(scene: Scene, named: Named) -> EntityRef | None:
    """The artist of a title, where other words of the request name it and the intent does not use it yet."""
    if not named.is_title:
        return None
    artists = artists_of(scene, named)
    for mention in scene.lookup.mentions:
        apart = not named.overlaps(mention.span.first, mention.span.last)
        if mention.entity_type == "artist" and apart and mention.match != "fuzzy" and scene.id_of(mention) in artists:
            name = scene.index.artist(mention.posting.row).artist.name
            return _ref(scene.intent, scene.id_of(mention), "artist", name, "target")
    return None


def _constraints(intent: Intent, scene: Scene, named: Named) -> list[Constraint]:
    """What the words of a name mean as a facet; the first one where they mean several."""
    if scene.constraints_on(named.first, named.last):
        return []
    span = (scene.tokens[named.first].start, scene.tokens[named.last - 1].end)
    number = len(intent.constraints)
    concepts = scene.lattice.facets.get((named.first, named.last), ())
    strength = "soft" if intent.constraints else "core"
    return [
        Constraint.model_validate(
            {
                "constraint_id": f"c{number}", "facet": facet, "op": "is", "values": (concept,), "strength": strength,
                "span": span, "surface": scene.lookup.request[slice(*span)],
            }
        )
        for facet, concept in concepts[:1]
    ]  # fmt: skip


def _replaced(intent: Intent, scene: Scene, hit: GuardHit) -> Intent:
    """Instead of everything that the hit's words were taken for, the verified thing that they name."""
    start = scene.lookup.request.find(hit.words)
    words = scene.token_range((start, start + len(hit.words)))
    wrong = [named for named in scene.named if words and named.overlaps(*words)]
    role = "seed" if any(named.entity.role == "seed" for named in wrong) else "target"
    right = _resolved(intent, scene, hit.target, role)
    if right is None:
        return without(intent, (named.entity_id for named in wrong))
    used = scene.constraints_on(*words) if words else []
    rest = without(intent, (named.entity_id for named in wrong))
    constraints = tuple(c for c in rest.constraints if c not in used or c.facet == "version")
    entities = (*rest.entities, right)
    targets = [entity for entity in entities if entity.role == "target"]
    lone = role == "target" and not constraints and all(entity.entity_type == "track" for entity in targets)
    update = {
        "entities": entities, "constraints": constraints, "free_text": rest.free_text.replace(hit.words, "").strip(),
        "kind": "similar" if role == "seed" else "play", "size": len(targets) if lone else intent.size,
    }  # fmt: skip
    return rest.model_copy(update=update)


def _resolved(intent: Intent, scene: Scene, identity: str, role: str) -> EntityRef | None:
    """A verified thing by its id: a track of the catalog, or an artist or album that the request's words name."""
    entry = scene.index.by_ids([identity]).get(identity)
    if entry:
        return _ref(intent, identity, "track", entry.track.title, role)
    for first, last in dict.fromkeys((mention.span.first, mention.span.last) for mention in scene.lookup.mentions):
        for mention in scene.mentions(first, last, "artist"):
            if scene.id_of(mention) == identity:
                return _ref(intent, identity, "artist", scene.index.artist(mention.posting.row).artist.name, role)
        for row, album in album_rows(scene, first, last):
            if album == identity:
                return _ref(intent, identity, "album", scene.index.album(row).name, role)
    return None


def _ref(intent: Intent, identity: str, entity_type: str, name: str, role: str) -> EntityRef:
    number = sum(entity.evidence_id.startswith("g") for entity in intent.entities)
    return EntityRef.model_validate(
        {"evidence_id": f"g{number}", "entity_id": identity, "entity_type": entity_type, "name": name, "role": role}
    )
