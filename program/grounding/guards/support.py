"""Guard: a name with hardly any support is not acted upon while something better supported answers to the same words."""

from __future__ import annotations

from data.contracts import EntityType, GuardHit
from program.grounding.guards.base import GuardInput, argument_ids, guard_hit
from program.grounding.guards.scene import Named, Scene
from program.grounding.guards.versions import PLAIN
from program.grounding.guards.works import artists_of, credited
from program.grounding.lookup import Mention

_TELLING = frozenset({"genre", "region", "language", "era", "vocal"})
"""Facets by which a request tells which of several namesakes it means."""
_KNOWN_SHARE = 0.5
"""Share of tracks whose popularity the catalog must know for thinness to mean anything."""


def thin_support(given: GuardInput) -> list[GuardHit]:
    """Below `p_lo`, with rivals: the best known rival is meant; where all are thin, a name search must not be the only route."""
    scene = given.scene
    if scene is None or scene.index.info.coverage.get("popularity", 0.0) < _KNOWN_SHARE:
        return []
    hits = []
    for named in scene.named:
        if not _is_thin(scene, named):
            continue
        rival = _best_known(scene, named)
        words = scene.text(named.first, named.last)
        if rival:
            message = f"{named.entity.name} is hardly known; another {rival.entity_type} of that name is"
            hits.append(guard_hit("thin_support", "safer_retriever", message, words=words, target=scene.id_of(rival)))
        elif _is_only_route(given, named) and _has_more_to_search(scene):
            message = f"{named.found.rivals} others are called {words} too and none is well known: search for more than the name"
            hits.append(guard_hit("thin_support", "revise", message, words=words, target=named.entity_id))
    return hits


def _is_thin(scene: Scene, named: Named) -> bool:
    """Little known, not alone with its name, and nothing beside it that tells which one is meant."""
    if named.found.popularity >= scene.settings.p_lo or named.found.rivals < 1:
        return False
    if named.entity.entity_type == "track" and scene.asked_versions:
        return False  # a version that was asked for is less known than the song
    if any(constraint.facet in _TELLING and constraint.op != "not" for constraint in scene.intent.constraints):
        return False
    return not any(not other.overlaps(named.first, named.last) for other in scene.context)


def _best_known(scene: Scene, named: Named) -> Mention | None:
    """The rival for the same words that is clearly better known and of a type that the words beside allow."""
    types = _fitting_types(scene, named)
    named_so = [m for m in scene.mentions(named.first, named.last, *types) if m.match == named.found.match]
    rivals = [mention for mention in named_so if not _is_same_song(scene, named, mention)]
    best = max(rivals, key=lambda mention: mention.posting.popularity, default=None)
    floor = max(scene.settings.p_lo, named.found.popularity + scene.settings.ambiguity_margin)
    if best is None or best.posting.popularity < floor:
        return None
    banned = {entity.entity_id for entity in scene.intent.by_role("exclude")}
    return None if scene.id_of(best) in {named.entity_id, *banned} else best


def _is_same_song(scene: Scene, named: Named, mention: Mention) -> bool:
    """Whether the other is a version of this one, by the same artist or as a cover: then it is no rival."""
    if named.entity.entity_type != "track" or mention.entity_type != "track":
        return False
    other = scene.index.track(mention.posting.row).track
    return other.version not in PLAIN or not credited(other).isdisjoint(artists_of(scene, named))


def _fitting_types(scene: Scene, named: Named) -> tuple[EntityType, ...]:
    said = scene.type_words(named.first, named.last)
    if said:
        return tuple(sorted(said))
    if "by" in scene.roles_before(named.first) or "head" in scene.roles_after(named.last):
        return ("artist",)
    return ("track", "artist", "album")


def _is_only_route(given: GuardInput, named: Named) -> bool:
    """Whether the plan is one search by this name."""
    return len(given.plan.routes) == 1 and named.entity_id in argument_ids(given.plan.routes[0].args)


def _has_more_to_search(scene: Scene) -> bool:
    """Whether the request also holds conditions or words that another tool can search for, and starts from the name only."""
    positive = any(constraint.op != "not" for constraint in scene.intent.constraints)
    return not scene.intent.by_role("target") and (positive or bool(scene.intent.free_text))
