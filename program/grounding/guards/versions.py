"""Guard: a named track is the version that was asked for."""

from __future__ import annotations

from data.contracts import GuardHit
from data.names import base_title, name_key
from program.grounding.guards.base import GuardInput, guard_hit
from program.grounding.guards.scene import Named, Scene
from program.grounding.guards.works import credited
from program.index.protocol import Filter, TrackEntry

_MOST_VERSIONS = 8
_BY_OTHERS = frozenset({"cover", "karaoke"})
PLAIN = frozenset({"original", "remaster", "re-recording"})
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
        return None if version in asked else _other(scene, named, entry, asked)
    if version in PLAIN - unwanted or _is_said(scene, named, entry):
        return None
    other = _other(scene, named, entry, PLAIN - unwanted)
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


def _other(scene: Scene, named: Named, entry: TrackEntry, versions: frozenset[str]) -> TrackEntry | None:
    """The best known recording of the title in one of the versions, by whom it may be; None when there is none."""
    artists = _artists(scene, named, entry, versions)
    banned = tuple(entity.entity_id for entity in scene.intent.by_role("exclude"))
    title = (name_key(base_title(entry.track.title)),)
    where = Filter(title_keys=title, artist_ids=artists, not_artist_ids=banned, not_track_ids=banned)
    found = [scene.index.track(row) for row in scene.index.search(where, limit=_MOST_VERSIONS).rows]
    return next((other for other in found if other.track.version in versions and other.row != entry.row), None)


def _artists(scene: Scene, named: Named, entry: TrackEntry, versions: frozenset[str]) -> tuple[str, ...]:
    """Those of the track's artists that the request names, else all of them; nobody in particular between cover and original."""
    own = credited(entry.track)
    told = own.intersection(other.entity_id for other in (*scene.named, *scene.context) if other is not named)
    if told or not _BY_OTHERS & {entry.track.version, *versions}:
        return tuple(sorted(told or own))
    return ()
