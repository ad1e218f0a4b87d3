"""Guard: what music is for is no name ("something to sleep to", "music for running", "songs I can cry to")."""

from __future__ import annotations

from dataclasses import dataclass

from data.contracts import GuardHit
from data.vocab.request_words import RequestRole
from program.grounding.guards.base import GuardInput, Remedy, guard_hit
from program.grounding.guards.scene import Named, Scene

_STOPS: tuple[RequestRole, ...] = ("by", "similar", "negation", "only")
_ASKING: frozenset[RequestRole] = frozenset({"head", "filler", "ask", "command"})
_PLACE_WORDS = frozenset({"from", "off"})
"""`by` words that may also stand inside a phrase ("songs to get up from")."""
_TO, _FOR = frozenset({"to"}), frozenset({"for"})
_WHILE = frozenset({"while", "when", "whenever", "during"})
_PEOPLE = frozenset({"i", "you", "we", "one", "people"})
_MAY = frozenset({"can", "could", "may", "might", "to"})
_DETERMINERS = frozenset({"a", "an", "the", "my", "our", "your", "this", "that", "some"})
_SUITS, _WHEN = "适合", "时候"


@dataclass(frozen=True)
class Phrase:
    """A phrase of purpose: tokens [first, last) say what the music is for.

    Attributes:
        opening: where the purpose itself begins, after "to", "for", "while I'm", "I can".
        is_act: whether it begins with a verb ("to sleep"), which no name can follow at once; after "for" a name may stand.
    """

    first: int
    last: int
    opening: int
    is_act: bool


def functional_phrase(given: GuardInput) -> list[GuardHit]:
    """The words of a phrase of purpose are not a title or an artist, unless they are written as one."""
    scene = given.scene
    if scene is None or not scene.named:
        return []
    found = phrases(scene)
    hits = []
    for named in scene.named:
        phrase = next((phrase for phrase in found if _is_purpose(scene, named, phrase)), None)
        written = scene.text(named.first, named.last)
        if phrase:
            words, message = scene.text(phrase.first, phrase.last), f"{written} tells what the music is for; it is no name"
            hits.append(guard_hit("functional_phrase", "broaden", message, words=words, target=named.entity_id))
        elif _carries_request(scene, named):
            message = f"{written} is how the request asks; it is no name"
            remedy: Remedy = "broaden" if "similar" in scene.roles_at(named.first, named.last) else "drop"
            hits.append(guard_hit("functional_phrase", remedy, message, words=written, target=named.entity_id))
    return hits


def phrases(scene: Scene) -> list[Phrase]:
    """Every phrase of purpose in the request, in order."""
    found = []
    for position in range(len(scene.tokens)):
        phrase = _english(scene, position) or _chinese(scene, position)
        if phrase and phrase.opening < phrase.last:
            found.append(phrase)
    return found


def _english(scene: Scene, position: int) -> Phrase | None:
    key = scene.key(position)
    after_head = "head" in scene.roles_before(position)
    if key in _WHILE:
        return Phrase(position, _end(scene, position), _skip(scene, position + 1, _PEOPLE | {"im", "am", "are", "is"}), True)
    if key in _TO and after_head:
        return Phrase(position, _end(scene, position), position + 1, True)
    if key in _PEOPLE and scene.key(position + 1) in _MAY and (after_head or "head" in scene.roles_before(position - 1)):
        return Phrase(position, _end(scene, position), position + 2, True)
    if key in _FOR and after_head:
        return Phrase(position, _end(scene, position), position + 1, False)
    return None


def _chinese(scene: Scene, position: int) -> Phrase | None:
    """适合X的歌, X的时候听的歌: X, up to the next 的."""
    length = len(_SUITS)
    if "".join(map(scene.key, range(position, position + length))) == _SUITS:
        end = _next_of(scene, position + length)
        return Phrase(position, end, position + length, True)
    if "".join(map(scene.key, range(position, position + len(_WHEN)))) == _WHEN:
        clause = scene.tokens[position].clause
        start = next(number for number, token in enumerate(scene.tokens) if token.clause == clause)
        return Phrase(start, position, start, False)
    return None


def _next_of(scene: Scene, position: int) -> int:
    end = scene.clause_end(position) if position < len(scene.tokens) else position
    return next((number for number in range(position, end) if scene.key(number) == "的"), end)


def _skip(scene: Scene, position: int, words: frozenset[str] | set[str]) -> int:
    while scene.key(position) in words:
        position += 1
    return position


def _end(scene: Scene, position: int) -> int:
    """Where the phrase ends: with its clause, or where a name or a condition of its own begins."""
    end = scene.clause_end(position)
    stops = [start for role in _STOPS for start, _ in scene.phrases(role) if start > position]
    return min([end, *(start for start in stops if scene.key(start) not in _PLACE_WORDS)])


def _is_purpose(scene: Scene, named: Named, phrase: Phrase) -> bool:
    """Whether the words that name a thing are the purpose, or the words that carry it, rather than a name."""
    first, last = named.first, named.last
    if scene.is_quoted(first, last) or scene.is_capitalised(first, last) or scene.type_words(first, last):
        return False
    if first < phrase.opening:
        return last <= phrase.opening and _is_asking(scene, first, last)
    if last > phrase.last:
        return False
    if scene.lattice.facets.get((first, last)):
        return True
    if first == phrase.opening and (phrase.is_act or (named.is_title and scene.key(first).endswith("ing"))):
        return True
    if not named.is_title and named.found.match != "fuzzy" and named.found.popularity >= scene.settings.p_hi:
        return False  # "songs for my adele party"
    return scene.key(first - 1) in _DETERMINERS or (scene.key(first) in _DETERMINERS and named.is_title)


def _is_asking(scene: Scene, first: int, last: int) -> bool:
    """Whether the words are such as requests ask with ("something", "can", "music")."""
    whole = bool(scene.roles_at(first, last) & _ASKING)
    return whole or all(scene.roles_at(position, position + 1) & _ASKING for position in range(first, last))


def _carries_request(scene: Scene, named: Named) -> bool:
    """Whether the words only ask for music that other words name or describe ("Sumo songs", "songs like Madonna")."""
    first, last = named.first, named.last
    if scene.is_quoted(first, last) or scene.is_capitalised(first, last) or "by" in scene.roles_after(last):
        return False
    if not (scene.roles_at(first, last) & {"head", "similar"}):
        return False
    return any(other is not named for other in scene.named) or bool(scene.intent.constraints)
