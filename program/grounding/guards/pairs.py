"""Guards: a title and the artist that the request joins to it are one thing."""

from __future__ import annotations

from data.contracts import GuardHit
from data.names import name_key
from program.grounding.guards.base import GuardInput, guard_hit
from program.grounding.guards.scene import Named, Scene
from program.grounding.guards.works import Pair, artists_of


def possessive_split(given: GuardInput) -> list[GuardHit]:
    """A pair is one thing: in "Toto's Africa" Toto is no title, the whole is no name, and the two are not apart."""
    scene = given.scene
    if scene is None:
        return []
    found = [pair for pair in given.pairs if pair.held and _is_split(scene, pair)]
    return [
        guard_hit(
            "possessive_split", "safer_retriever", f"{scene.text(*pair.span)} is one thing of the catalog",
            words=scene.text(*pair.span), target=pair.work_ids[0],
        )
        for pair in found
    ]  # fmt: skip


def _is_split(scene: Scene, pair: Pair) -> bool:
    """Whether the plan takes the pair's words for something else than the artist's own work."""
    if any(named.overlaps(*pair.span) for named in scene.excluded):
        return False
    if pair.possessive and "head" in scene.roles_after(pair.title[1]):
        return False  # "Queen's jazz songs" are songs
    beside = [named for named in scene.named if named.overlaps(*pair.span) and not _is_the_work(scene, named, pair)]
    others = [named for named in beside if not _is_excluded_by_works(scene, named, pair)]
    if any(_is_known_whole(scene, named, pair) for named in others):
        return False
    lost = pair.possessive and not any(_is_the_work(scene, named, pair) for named in scene.named)
    return bool(others) or (lost and not beside)


def _is_the_work(scene: Scene, named: Named, pair: Pair) -> bool:
    """Whether it is the work, or a longer title of the same artist that the words hold too."""
    if named.entity_id in pair.work_ids:
        return True
    covers = named.is_title and named.first <= pair.title[0] and pair.title[1] <= named.last
    return covers and not artists_of(scene, named).isdisjoint(pair.held)


def _is_known_whole(scene: Scene, named: Named, pair: Pair) -> bool:
    """Whether a title of all these words is at least as well known as the work ("Gangsta's Paradise")."""
    first, last = pair.span
    if not (named.is_title and named.first <= first and last <= named.last and named.found.match in ("exact", "alias")):
        return False
    entries = scene.index.by_ids(pair.work_ids).values()
    return named.found.popularity >= max((entry.popularity for entry in entries), default=0.0)


def _is_excluded_by_works(scene: Scene, named: Named, pair: Pair) -> bool:
    """Whether it is a namesake of the artist without this work, or somebody else's work of this title."""
    if not named.is_title:
        return named.overlaps(*pair.owner) and named.entity_id not in pair.held
    beside = named.overlaps(*pair.title) and not named.overlaps(*pair.owner)
    artists = artists_of(scene, named)
    return beside and bool(artists) and artists.isdisjoint(pair.artist_ids)


def works_exclusion(given: GuardInput) -> list[GuardHit]:
    """An artist without the work that is named is not the one meant: a namesake who has it is, or nothing is."""
    scene = given.scene
    if scene is None:
        return []
    hits: list[GuardHit] = []
    for pair in given.pairs:
        wrong = [named for named in scene.named if _is_excluded_by_works(scene, named, pair)]
        if pair.held and wrong:
            hits.append(_instead(scene, pair, wrong))
        elif wrong and _is_asked_as_pair(scene, pair, wrong):
            hits.extend(_absent(scene, pair, named) for named in wrong)
    return hits


def _instead(scene: Scene, pair: Pair, wrong: list[Named]) -> GuardHit:
    names = ", ".join(dict.fromkeys(f"the {named.entity.entity_type} {named.entity.name}" for named in wrong))
    words = scene.text(*pair.span)
    message = f"{words} is not {names}; the catalog holds what is meant"
    return guard_hit("works_exclusion", "safer_retriever", message, words=words, target=pair.work_ids[0])


def _is_asked_as_pair(scene: Scene, pair: Pair, wrong: list[Named]) -> bool:
    """Whether the plan, or code's own reading, takes the words for a title: an artist alone may be all that is asked for."""
    if any(named.is_title for named in wrong):
        return True
    absent = "".join(map(name_key, scene.known.best.intent.absent))
    return bool(absent) and name_key(scene.text(*pair.span)) in absent


def _absent(scene: Scene, pair: Pair, named: Named) -> GuardHit:
    message = f"the catalog does not hold {scene.text(*pair.span)}"
    return guard_hit("works_exclusion", "drop", message, words=scene.text(*pair.span), target=named.entity_id)
