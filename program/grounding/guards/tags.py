"""Guard: an artist's name is no tag, and a word that describes music is no artist."""

from __future__ import annotations

from data.contracts import GuardHit
from data.names import key_variants, name_key
from program.grounding.guards.base import GuardInput, guard_hit
from program.grounding.guards.scene import Named, Scene
from program.grounding.guards.works import artists_of
from program.grounding.lookup import Mention

_BY = frozenset({"by", "performedby", "sungby", "recordedby"})
_PLACED = frozenset({"from", "in"})


def artist_as_tag(given: GuardInput) -> list[GuardHit]:
    """Tags: "some Queen music" and "rock by Kiss" name artists; "soul music" and "songs from Japan" do not."""
    scene = given.scene
    return [] if scene is None else [*_lost_artists(scene), *_words_as_artists(scene)]


def _lost_artists(scene: Scene) -> list[GuardHit]:
    """Artists that stand where a tag may stand and that the plan took for a title, a facet or plain words."""
    hits = []
    for mention in _in_tag_position(scene):
        first, last = mention.span.first, mention.span.last
        held = [name for name in (*scene.named, *scene.context, *scene.excluded) if name.overlaps(first, last)]
        same_words = [name for name in held if (name.first, name.last) == (first, last)]
        as_title = bool(held) and held == same_words and all(name.is_title and name in scene.named for name in held)
        identity = scene.id_of(mention)
        as_title = as_title and not scene.is_alone(first, last)  # "Madonna" may be the album
        if (not held or as_title) and _is_offered(scene, identity):
            words = scene.text(first, last)
            message = f"{words} is an artist here, not a tag or a title"
            hits.append(guard_hit("artist_as_tag", "safer_retriever", message, words=words, target=identity))
    return hits


def _in_tag_position(scene: Scene) -> list[Mention]:
    """The best supported artist for each run of words that stands alone, after `by`, or before "music" or "songs"."""
    found: dict[tuple[int, int], Mention] = {}
    for mention in scene.lookup.mentions:
        span = (mention.span.first, mention.span.last)
        if mention.entity_type != "artist" or span in found or mention.match not in ("exact", "alias", "normalised"):
            continue
        placed = _before_head(scene, *span) or scene.is_alone(*span)
        if _after_by(scene, *span) or (placed and _is_clear_name(scene, mention)):
            found[span] = mention
    longest = [s for s in found if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in found)]
    return [found[span] for span in sorted(longest)]


def _after_by(scene: Scene, first: int, last: int) -> bool:
    start = first - 1 if scene.key(first - 1) == "the" else first
    if scene.is_everyday(first, last) or scene.is_everyday(start, last) or scene.describing(first, last):
        return False
    ends = {first, start}
    phrases = [span for span in scene.phrases("by") if span[1] in ends]
    return any("".join(map(scene.key, range(*span))) in _BY for span in phrases) and not _is_negated(scene, first)


def _before_head(scene: Scene, first: int, last: int) -> bool:
    return "head" in scene.roles_after(last) and not _is_negated(scene, first)


def _is_clear_name(scene: Scene, mention: Mention) -> bool:
    """Whether the words are no words of requests and no facet, and several, well known, or written as a name."""
    first, last = mention.span.first, mention.span.last
    if scene.is_everyday(first, last) or scene.lattice.facets.get((first, last)) or scene.constraints_on(first, last):
        return False
    well_known = mention.posting.popularity >= scene.settings.p_hi
    return well_known or scene.is_capitalised(first, last) or (last - first > 1 and scene.is_alone(first, last))


def _is_negated(scene: Scene, position: int) -> bool:
    """Whether a negation stands before, in the same clause."""
    clause = scene.tokens[position].clause
    return any(last <= position and scene.tokens[first].clause == clause for first, last in scene.phrases("negation"))


def _is_offered(scene: Scene, identity: str) -> bool:
    """Whether one of code's readings asks for it."""
    asked = (entity for reading in scene.known.readings for entity in reading.intent.by_role("target", "seed"))
    return any(entity.entity_id == identity for entity in asked)


def _words_as_artists(scene: Scene) -> list[GuardHit]:
    """Words that describe music, or say where it is from, and that the plan took for a name."""
    hits = []
    for named in scene.named:
        kind = _described(scene, named)
        if kind:
            message = f"{scene.text(named.first, named.last)} stands for {kind} here; it is no name"
            words = scene.text(named.first, named.last)
            hits.append(guard_hit("artist_as_tag", "broaden", message, words=words, target=named.entity_id))
    return hits


def _described(scene: Scene, named: Named) -> str | None:
    """The facet that the words stand for; None where they may be a name."""
    first, last = named.first, named.last
    concepts = scene.lattice.facets.get((first, last), ())
    if not concepts:
        return None
    place = next((facet for facet, _ in concepts if facet in ("region", "language")), None)
    if place and not named.is_title and scene.key(first - 1) in _PLACED and "head" in scene.roles_before(first - 1):
        return place
    if scene.is_marked(first, last) or _is_stylised(scene, named):
        return None
    after_name = any(other.last == first for other in (*scene.named, *scene.context))
    if after_name and any(facet == "version" for facet, _ in scene.describing(first, last)):
        return "version"
    tags = scene.describing(first, last)
    listed = _is_of_another(scene, named) if named.is_title else "head" in scene.roles_after(last)
    return tags[0][0] if tags and listed else None


def _is_of_another(scene: Scene, named: Named) -> bool:
    """Whether a title stands before `by` and an artist who has no such title: another's, or a longer one ("rock by Davido")."""
    after = [other for other in (*scene.named, *scene.context) if not other.is_title and other.first > named.last]
    if not after or "by" not in scene.roles_after(named.last):
        return False
    artists = artists_of(scene, named)
    is_part = name_key(named.found.surface) not in key_variants(named.entity.name)
    return is_part or (bool(artists) and artists.isdisjoint(other.entity_id for other in after))


def _is_stylised(scene: Scene, named: Named) -> bool:
    """Whether the name is written in capitals of its own, or with the sign that the catalog writes it with ("Fun.")."""
    request, text = scene.lookup.request, scene.text(named.first, named.last)
    signed = not named.entity.name.replace(" ", "").isalnum() and named.entity.name in request
    return signed or (len(text) > 1 and text.isupper() and not request.isupper())
