"""Guard: one name stands for one thing; things that share it are not mixed in one plan."""

from __future__ import annotations

from data.contracts import GuardHit
from program.grounding.guards.base import GuardInput, guard_hit
from program.grounding.guards.scene import Named, Scene
from program.grounding.guards.works import artists_of


def homonym_pair(given: GuardInput) -> list[GuardHit]:
    """A title and an artist of one name, or two artists of one name: the plan searches for the one that is meant."""
    scene = given.scene
    if scene is None:
        return []
    hits = []
    for group in _groups(scene):
        kept = _meant(scene, group)
        for named in group:
            if named.entity_id != kept.entity_id:
                words = scene.text(named.first, named.last)
                message = f"{words} is one name: {_label(kept)}, not {_label(named)} as well"
                hits.append(guard_hit("homonym_pair", "drop", message, words=words, target=named.entity_id))
    return hits


def _groups(scene: Scene) -> list[list[Named]]:
    """What is searched for under the same words, and a title together with its own artist of the same name."""
    groups: list[list[Named]] = []
    for named in scene.named:
        group = next((group for group in groups if _share_a_name(scene, group[0], named)), None)
        if group is None:
            groups.append([named])
        else:
            group.append(named)
    several = [group for group in groups if len({named.entity_id for named in group}) > 1]
    return [group for group in several if not _is_one_work(scene, group)]


def _is_one_work(scene: Scene, group: list[Named]) -> bool:
    """Whether code itself takes all of them as the parts of one work (the movements of a symphony)."""
    own = {entity.entity_id for entity in scene.known.best.intent.by_role("target", "seed")}
    return all(named.entity.entity_type == "track" and named.entity_id in own for named in group)


def _share_a_name(scene: Scene, one: Named, other: Named) -> bool:
    if (one.first, one.last) == (other.first, other.last):
        return True
    if one.found.surface.casefold() != other.found.surface.casefold() or one.is_title == other.is_title:
        return False
    return not artists_of(scene, one).isdisjoint(artists_of(scene, other))  # "Metallica by Metallica"


def _meant(scene: Scene, group: list[Named]) -> Named:
    """The one that a type word names, the title of a title and its artist, what code itself would take, or the best known.

    Something hardly known is not meant where something better known is among them.
    """
    said = {entity_type for named in group for entity_type in scene.type_words(named.first, named.last)}
    typed = [named for named in group if named.entity.entity_type in said]
    if typed:
        return typed[0]
    if len({(named.first, named.last) for named in group}) > 1:
        return next(named for named in group if named.is_title)
    own = {entity.entity_id for entity in scene.known.best.intent.by_role("target", "seed")}
    known = [named for named in group if named.found.popularity >= scene.settings.p_lo] or group
    return next((named for named in known if named.entity_id in own), max(known, key=lambda named: named.found.popularity))


def _label(named: Named) -> str:
    by = f" by {', '.join(named.found.artists)}" if named.found.artists else ""
    return f"the {named.entity.entity_type}{by}"
