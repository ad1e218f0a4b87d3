"""Joint readings: a title and an artist that the catalog holds together ("Africa by Toto", "Toto's Africa", "周杰伦的晴天").

Every split is tried against the catalog; no rule says which side of "by", "'s", "的" or "-" is the artist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from data.contracts import EntityType
from data.names import name_key
from program.grounding.items import ARTICLES, JOINT_SCORE, Item, JointItem, scaled
from program.grounding.lookup import Mention
from program.index.protocol import CatalogIndex, Filter

if TYPE_CHECKING:
    from program.grounding.lattice import Lattice

_MAX_PAIRS = 24
_MAX_GAP = 5
_LINKS = frozenset({"by", "album_word", "track_word"})
_SMALL_LINKS = frozenset({*ARTICLES, "of", "von", "van", "di", "do", "feat", "ft", "featuring", "&", "/"})
_EVERYDAY_TITLE = 2.5


def joint_items(lattice: Lattice, index: CatalogIndex) -> list[Item]:
    """All verified pairs of a title or album and an artist that stand side by side or around a `by` word."""
    mentions = lattice.lookup.mentions
    artists = _distinct([mention for mention in mentions if mention.entity_type == "artist"])
    titles = _distinct([mention for mention in mentions if mention.entity_type in ("track", "album")])
    artists += [title for title in titles if title.entity_type == "album"]
    pairs = [(title, artist) for title in titles for artist in artists if _joined(lattice, title, artist)]
    pairs.sort(key=lambda pair: -(len(pair[0].span.key) + len(pair[1].span.key)))
    items: list[Item] = []
    for title, artist in pairs[:_MAX_PAIRS]:
        item = _verified(lattice, index, title, artist)
        if item:
            items.append(item)
    return items


def _distinct(mentions: list[Mention]) -> list[Mention]:
    """One mention a (span, type, entity): titles are verified by their key, so one of a kind is enough."""
    seen: dict[tuple[int, int, str, int], Mention] = {}
    for mention in mentions:
        row = mention.posting.row if mention.entity_type == "artist" else -1
        seen.setdefault((mention.span.first, mention.span.last, mention.entity_type, row), mention)
    return list(seen.values())


def _joined(lattice: Lattice, title: Mention, artist: Mention) -> bool:
    if artist.entity_type == "album" and (title.entity_type == "album" or artist.span.first < title.span.last):
        return False  # a track of an album is named before it
    left, right = sorted((title, artist), key=lambda mention: mention.span.first)
    gap = (left.span.last, right.span.first)
    if gap[1] < gap[0] or gap[1] - gap[0] > _MAX_GAP:
        return False
    if gap[0] == gap[1]:
        return artist.entity_type == "artist"
    return _linked(lattice, *gap)


def _linked(lattice: Lattice, first: int, last: int) -> bool:
    """Whether tokens [first, last) are linking words only (by, the album, of, feat., 的专辑 …)."""
    if first == last:
        return True
    if lattice.lookup.tokens[first].key in _SMALL_LINKS and _linked(lattice, first + 1, last):
        return True
    phrases = [end for (start, end), roles in lattice.roles.items() if start == first and end <= last and _LINKS & set(roles)]
    return any(_linked(lattice, end, last) for end in phrases)


def _verified(lattice: Lattice, index: CatalogIndex, title: Mention, artist: Mention) -> JointItem | None:
    first, last = min(title.span.first, artist.span.first), max(title.span.last, artist.span.last)
    rows = _matching_rows(index, title, artist)
    if not rows:
        return None
    kind: Literal["track", "album"] = "album" if title.entity_type == "album" else "track"
    typed = _typed(lattice, title.entity_type, title, artist)
    score = scaled(JOINT_SCORE * min(artist.support, 1.0) ** 0.25, lattice.weight(first, last)) + 0.4 + typed
    if _is_generic(lattice, title) and not title.span.surface[:1].isupper():
        score -= _EVERYDAY_TITLE  # "something by The Beatles" asks for anything of theirs
    return JointItem(first, last, score, kind, rows, artist, title)


def _is_generic(lattice: Lattice, title: Mention) -> bool:
    """Whether the title's words are what requests call music by ("something", "songs")."""
    return "head" in lattice.roles.get((title.span.first, title.span.last), ())


def _matching_rows(index: CatalogIndex, title: Mention, owner: Mention) -> tuple[int, ...]:
    """Rows of the title that are by the artist, or on the album, that `owner` names."""
    if owner.entity_type == "album":
        on_album = Filter(title_keys=(title.span.key,), album_ids=(index.album(owner.posting.row).album_id,))
        return index.search(on_album, limit=4).rows
    artist_id = index.artist(owner.posting.row).artist.artist_id
    if title.entity_type == "track":
        if title.match == "fuzzy":
            track = index.track(title.posting.row).track
            return (title.posting.row,) if any(credit.artist_id == artist_id for credit in track.artists) else ()
        own = name_key(index.track(title.posting.row).track.title)  # the words may spell it another way
        return index.search(Filter(title_keys=(title.span.key, own), artist_ids=(artist_id,)), limit=4).rows
    hits = index.lookup([title.span.key]).get(title.span.key)
    albums = hits.of("album") if hits else ()
    return tuple(posting.row for posting in albums if artist_id in index.album(posting.row).artist_ids)


def _typed(lattice: Lattice, kind: EntityType, title: Mention, artist: Mention) -> float:
    """A type word inside or right before the pair decides between an album and a track; unsaid, the track is meant."""
    first = min(title.span.first, artist.span.first)
    last = max(title.span.last, artist.span.last)
    named = {
        role
        for (start, end), roles in lattice.roles.items()
        if start <= last and end >= first and end <= last + 2
        for role in roles
    }
    if "album_word" in named and artist.entity_type == "artist":
        return 0.5 if kind == "album" else -0.5
    if "track_word" in named and artist.entity_type == "artist":
        return 0.5 if kind == "track" else -0.5
    return 0.0 if kind == "track" else -0.3
