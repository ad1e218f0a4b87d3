"""Guard: a named track is the version that was asked for."""

from __future__ import annotations

from data.contracts import GuardHit
from data.names import base_title, name_key
from program.grounding.guards.base import GuardInput, guard_hit
from program.grounding.guards.scene import Named, Scene
from program.grounding.guards.works import credited
from program.index.protocol import CatalogIndex, Filter, TrackEntry

_MOST_VERSIONS = 8
_BY_OTHERS = frozenset({"cover", "karaoke"})
_PLAIN = frozenset({"original", "remaster", "re-recording"})
"""What is meant when no version is asked for."""


def version_mismatch(given: GuardInput) -> list[GuardHit]:
    """Live was asked for and the studio version taken, or nothing was said and a cover taken although the original is held."""
    scene = given.scene
    if scene is None:
        return []
    hits = []
    for named in scene.titles:
        entry = scene.index.by_ids([named.entity_id]).get(named.entity_id) if named.entity.entity_type == "track" else None
        right = _right_version(scene, named, entry) if entry else None
        if entry and right:
            message = f"{named.entity.name} is the {entry.track.version} version; the catalog holds the {right.track.version} one"
            words = scene.text(named.first, named.last)
            hits.append(guard_hit("version_mismatch", "safer_retriever", message, words=words, target=right.track.track_id))
    return hits


def _right_version(scene: Scene, named: Named, entry: TrackEntry) -> TrackEntry | None:
    """The recording that was meant; None when this one may be."""
    asked, unwanted = scene.asked_versions, scene.unwanted_versions
    version = entry.track.version
    if asked:
        return None if version in asked else _other(scene.index, entry, asked, same_artist=True)
    if version in _PLAIN - unwanted or _is_said(scene, named, entry):
        return None
    by_others = version in _BY_OTHERS and not _artist_is_named(scene, named, entry)
    other = _other(scene.index, entry, _PLAIN - unwanted, same_artist=not by_others)
    return other if other and (version in unwanted or other.popularity >= entry.popularity) else None


def _is_said(scene: Scene, named: Named, entry: TrackEntry) -> bool:
    """Whether the name itself says the version, in a word ("Purple Rain live") or in full, or an album is named beside it."""
    if any(other.entity.entity_type == "album" for other in scene.context):
        return True
    title = entry.track.title
    if base_title(title) != title and name_key(named.found.surface) == name_key(title):
        return True
    inside = (concepts for span, concepts in scene.lattice.facets.items() if named.first <= span[0] and span[1] <= named.last)
    return any(("version", entry.track.version) in concepts for concepts in inside)


def _artist_is_named(scene: Scene, named: Named, entry: TrackEntry) -> bool:
    others = [other for other in (*scene.named, *scene.context) if other is not named and other.entity.role != "exclude"]
    return any(other.entity_id in credited(entry.track) for other in others)


def _other(index: CatalogIndex, entry: TrackEntry, versions: frozenset[str], *, same_artist: bool) -> TrackEntry | None:
    """The best known recording of the title in one of the versions, by the same artist or by whom it may be."""
    artists = tuple(sorted(credited(entry.track))) if same_artist else ()
    where = Filter(title_keys=(name_key(base_title(entry.track.title)),), artist_ids=artists)
    found = [index.track(row) for row in index.search(where, limit=_MOST_VERSIONS).rows]
    return next((other for other in found if other.track.version in versions and other.row != entry.row), None)
