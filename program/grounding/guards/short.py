"""Guard: a name of one or two letters must be written exactly and stand where a name stands."""

from __future__ import annotations

import unicodedata

from data.contracts import GuardHit
from data.names import has_cjk
from program.grounding.guards.base import GuardInput, guard_hit
from program.grounding.guards.scene import Named, Scene

_SHORT, _SHORT_CJK, _BRIEF = 2, 1, 3
"""Letters (characters) of a name that says too little by itself; up to `_BRIEF` one that is also an everyday word does."""


def short_token(given: GuardInput) -> list[GuardHit]:
    """A name so short is none by itself: "U2" and "songs by M" name artists, "something for u" does not."""
    scene = given.scene
    if scene is None:
        return []
    return [
        guard_hit(
            "short_token", "drop", f"{scene.text(named.first, named.last)} is too short to be taken for {named.entity.name}",
            words=scene.text(named.first, named.last), target=named.entity_id,
        )
        for named in scene.named
        if _says_too_little(scene, named)
    ]  # fmt: skip


def _says_too_little(scene: Scene, named: Named) -> bool:
    letters = [char for char in named.found.surface if char.isalnum()]
    if any(char.isdigit() for char in letters) and any(char.isalpha() for char in letters):
        return False  # no word is written so: U2, MC5
    wide = has_cjk(named.found.surface)
    if len(letters) <= (_SHORT_CJK if wide else _SHORT):
        return not (_is_whole_name(scene, named) or (_is_placed(scene, named) and _is_written_so(scene, named)))
    if wide or len(letters) > _BRIEF or _is_placed(scene, named):
        return False
    return scene.is_everyday(named.first, named.last) or named.found.match not in ("exact", "alias")


def _is_written_so(scene: Scene, named: Named) -> bool:
    """Whether the catalog writes the name so, but for case and signs: u is not Ü."""
    names = {_plain(named.entity.name), *(_plain(alias) for alias in _aliases(scene, named))}
    return _plain(named.found.surface) in names


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum()) or folded.strip()


def _is_whole_name(scene: Scene, named: Named) -> bool:
    """Whether the name is all that is asked for, so that its folded spelling is enough ("find MO")."""
    return scene.is_alone(named.first, named.last) and scene.text(named.first, named.last).isupper()


def _aliases(scene: Scene, named: Named) -> tuple[str, ...]:
    """Other ways in which the catalog writes the name; an album has none."""
    if named.entity.entity_type == "track":
        entry = scene.index.by_ids([named.entity_id]).get(named.entity_id)
        return entry.track.aliases if entry else ()
    mentions = scene.mentions(named.first, named.last, "artist") if named.entity.entity_type == "artist" else []
    artists = [scene.index.artist(mention.posting.row).artist for mention in mentions]
    return tuple(
        name
        for artist in artists
        if artist.artist_id == named.entity_id
        for name in (*artist.aliases, *artist.former_names, *artist.transliterations)
    )


def _is_placed(scene: Scene, named: Named) -> bool:
    """Whether the words around say that a name stands here."""
    first, last = named.first, named.last
    is_possessive = scene.text(first, last) != named.found.surface
    if is_possessive or scene.is_marked(first, last) or scene.is_alone(first, last) or _has_partner(scene, named):
        return True
    is_number = scene.text(first, last).isdigit()  # "22 songs" are twenty-two
    before_head = "head" in scene.roles_after(last) and not scene.is_everyday(first, last) and not is_number
    return before_head or (first == 0 and scene.text(first, last).isupper() and not scene.is_everyday(first, last))


def _has_partner(scene: Scene, named: Named) -> bool:
    """Whether the artist of a title, or a title of the artist, is named beside it."""
    return any(other.last <= named.first or named.last <= other.first for other in scene.context)
