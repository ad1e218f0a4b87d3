"""Which titles the request joins to which artist, and what the catalog holds of that; for the guards of names in pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from data.catalog.schema import Track
from data.vocab.request_words import RequestRole
from program.grounding.guards.scene import Named, Scene
from program.index.protocol import CatalogIndex, Filter

_MOST_VERSIONS = 8
_BY = frozenset({"by", "performedby", "sungby", "assungby", "recordedby", "bytheartist", "bytheband"})
_ORDINARY: frozenset[RequestRole] = frozenset({"head", "filler", "command", "ask", "album_word", "track_word", "artist_word"})
_OF = "的"


@dataclass(frozen=True)
class Pair:
    """A title and its artist as the grammar joins them: "A's B", "A的B", "B by A".

    Attributes:
        title, owner: tokens [first, last).
        artist_ids: every artist of the catalog that answers to the owner's words.
        held: artist id → works of the artist that answer to the title's words, the likeliest first.
            Empty when none of the artists has such a work.
    """

    title: tuple[int, int]
    owner: tuple[int, int]
    artist_ids: tuple[str, ...]
    held: Mapping[str, tuple[str, ...]]
    possessive: bool

    @property
    def span(self) -> tuple[int, int]:
        """Title, artist and what joins them."""
        return min(self.title[0], self.owner[0]), max(self.title[1], self.owner[1])

    @property
    def work_ids(self) -> tuple[str, ...]:
        """All of `held`."""
        return tuple(identity for identities in self.held.values() for identity in identities)


def pairs(scene: Scene) -> list[Pair]:
    """Every pair that the grammar joins, whether or not the catalog holds it; the longest title that an artist has wins."""
    found = []
    for owner, titles, possessive in _joined(scene):
        artists = _artists(scene, owner, possessive)
        written = takewhile(lambda title: not _is_ordinary(scene, *title), titles)
        usable = [title for title in written if _stands_alone(scene, *title)]
        if not artists or not usable:
            continue
        for title in usable:
            held = {artist: ids for artist in artists if (ids := _works(scene, artist, title))}
            if held:
                break
        else:
            title, held = usable[0], {}
        found.append(Pair(title, owner, artists, held, possessive))
    return found


def _joined(scene: Scene) -> Iterator[tuple[tuple[int, int], list[tuple[int, int]], bool]]:
    """(words of an artist, words of titles beside it, longest first, whether it is a possessive)."""
    artists = {(m.span.first, m.span.last) for m in scene.lookup.mentions if m.entity_type == "artist"}
    titles = {(m.span.first, m.span.last) for m in scene.lookup.mentions if m.entity_type != "artist"}
    genitive = {(m.span.first, m.span.last) for m in scene.lookup.mentions if m.entity_type == "artist" and m.span.possessive}
    for end in sorted({last for _, last in artists}):
        owner = min((first, last) for first, last in artists if last == end)
        if owner in genitive:
            starts = {
                end,
                *(last for first, last in (*scene.phrases("album_word"), *scene.phrases("track_word")) if first == end),
            }
            yield owner, _longest(title for title in titles if title[0] in starts), True
        elif scene.key(end) == _OF:
            yield owner, _longest(title for title in titles if title[0] == end + 1), True
    for start, end in scene.phrases("by"):
        owners = [span for span in artists if span[0] == end or (span[0] == end + 1 and scene.key(end) == "the")]
        if _phrase_key(scene, start, end) in _BY and owners:
            owner = max(owners, key=lambda span: span[1] - span[0])
            yield owner, _longest(title for title in titles if title[1] == start), False


def _longest(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(spans, key=lambda span: span[0] - span[1])


def _phrase_key(scene: Scene, first: int, last: int) -> str:
    return "".join(scene.key(position) for position in range(first, last))


def _artists(scene: Scene, owner: tuple[int, int], possessive: bool) -> tuple[str, ...]:
    mentions = scene.mentions(*owner, "artist")
    genitive = [mention for mention in mentions if mention.span.possessive]
    return tuple(dict.fromkeys(scene.id_of(mention) for mention in (genitive if possessive and genitive else mentions)))


def _is_ordinary(scene: Scene, first: int, last: int) -> bool:
    """Whether the words are what requests call music by or a kind of music, and are not written as a title."""
    if scene.is_quoted(first, last) or scene.is_capitalised(first, last):
        return False
    phrase = bool(scene.roles_at(first, last) & _ORDINARY)
    words = all(scene.roles_at(position, position + 1) & _ORDINARY for position in range(first, last))
    return phrase or words or bool(scene.describing(first, last))


def _stands_alone(scene: Scene, first: int, last: int) -> bool:
    """Whether the words beside the title are known ones, so that it is not a part of some longer name."""
    opens = first == 0 or scene.tokens[first - 1].clause != scene.tokens[first].clause
    closes = last == scene.clause_end(last - 1)
    before = opens or any(end == first for _, end in (*scene.lattice.roles, *scene.lattice.facets)) or _ends_name(scene, first)
    after = closes or any(start == last for start, _ in (*scene.lattice.roles, *scene.lattice.facets))
    return before and after


def _ends_name(scene: Scene, position: int) -> bool:
    return any(m.span.last == position and m.entity_type == "artist" for m in scene.lookup.mentions)


def _works(scene: Scene, artist_id: str, title: tuple[int, int]) -> tuple[str, ...]:
    """Ids of the artist's tracks and albums that answer to the words; tracks first unless an album is asked for."""
    tracks: list[str] = []
    albums: list[str] = []
    for key in dict.fromkeys(mention.span.key for mention in scene.mentions(*title, "track", "album")):
        tracks.extend(track_ids(scene.index, key, artist_id))
        albums.extend(_album_ids(scene.index, key, artist_id))
    tracks.extend(_misspelt(scene, artist_id, title))
    first = albums if "album" in scene.type_words(*title) else []
    return tuple(dict.fromkeys([*first, *tracks, *albums]))


def track_ids(index: CatalogIndex, title_key: str, artist_id: str) -> list[str]:
    """Playable tracks of an artist under a title, versions included, best known first."""
    rows = index.search(Filter(title_keys=(title_key,), artist_ids=(artist_id,)), limit=_MOST_VERSIONS).rows
    return [index.track(row).track.track_id for row in rows]


def _album_ids(index: CatalogIndex, key: str, artist_id: str) -> list[str]:
    hits = index.lookup([key]).get(key)
    albums = [index.album(posting.row) for posting in hits.of("album")] if hits else []
    return [album.album_id for album in albums if artist_id in album.artist_ids]


def _misspelt(scene: Scene, artist_id: str, title: tuple[int, int]) -> list[str]:
    fuzzy = [mention for mention in scene.mentions(*title, "track") if mention.match == "fuzzy"]
    found = [scene.index.track(mention.posting.row).track for mention in fuzzy]
    return [track.track_id for track in found if artist_id in credited(track)]


def credited(track: Track) -> set[str]:
    """Ids of a track's artists."""
    return {credit.artist_id for credit in track.artists}


def artists_of(scene: Scene, named: Named) -> set[str]:
    """Ids of the artists of a track or album, an artist's own id; empty where the index does not tell."""
    if not named.is_title:
        return {named.entity_id}
    if named.entity.entity_type == "track":
        entry = scene.index.by_ids([named.entity_id]).get(named.entity_id)
        return credited(entry.track) if entry else set()
    rows = (row for row, identity in album_rows(scene, named.first, named.last) if identity == named.entity_id)
    return {artist for row in rows for artist in scene.index.album(row).artist_ids}


def album_rows(scene: Scene, first: int, last: int) -> list[tuple[int, str]]:
    """(row, id) of every album that answers to tokens [first, last), also where L1 kept only the best known."""
    keys = dict.fromkeys(mention.span.key for mention in scene.mentions(first, last, "album"))
    found = scene.index.lookup(list(keys))
    rows = [posting.row for hits in found.values() for posting in hits.of("album")]
    return [(row, scene.index.album(row).album_id) for row in rows]
