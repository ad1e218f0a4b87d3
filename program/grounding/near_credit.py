"""A held title by a misspelt artist: "Dessert by Darwin" is the song by Dawin, whose name is spelt nearly so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.names import name_key
from program.grounding.items import ARTICLES, JOINT_SCORE, Item, JointItem, scaled
from program.grounding.lookup import Mention
from program.grounding.near import is_near
from program.grounding.spans import SpanKey
from program.index.protocol import CatalogIndex, Filter, Posting

if TYPE_CHECKING:
    from program.grounding.lattice import Lattice

_MOST_TITLES, _MOST_NAMESAKES, _MOST_WORDS = 3, 16, 5
_SUPPORT = 0.6


def near_credit_items(lattice: Lattice, index: CatalogIndex, joint: list[Item]) -> list[Item]:
    """Pairs of an exactly held title and, after a `by` word, a name that is nearly the credited one."""
    taken = {position for item in joint for position in range(item.first, item.last)}
    titles: dict[tuple[int, int], Mention] = {}
    for mention in lattice.lookup.mentions:
        if mention.entity_type == "track" and mention.match != "fuzzy" and mention.span.first not in taken:
            titles.setdefault((mention.span.first, mention.span.last), mention)
    items: list[Item] = []
    for title in sorted(titles.values(), key=lambda m: m.span.first - m.span.last)[:_MOST_TITLES]:
        name = _name_after(lattice, title.span.last)
        item = _pair(lattice, index, title, name) if name else None
        if item is not None:
            items.append(item)
    return items


def _name_after(lattice: Lattice, position: int) -> SpanKey | None:
    """The words after a `by` phrase at `position`, up to the next word with a role or the end of the clause."""
    ends = [end for (first, end), roles in lattice.roles.items() if first == position and "by" in roles]
    tokens = lattice.lookup.tokens
    if not ends or max(ends) >= len(tokens):
        return None
    first = max(ends)
    if tokens[first].key in ARTICLES and first + 1 < len(tokens):
        first += 1
    last = first
    while last < len(tokens) and last - first < _MOST_WORDS and tokens[last].clause == tokens[first].clause:
        if (last, last + 1) in lattice.roles and last > first:
            break
        last += 1
    surface = lattice.lookup.request[tokens[first].start : tokens[last - 1].end]
    key = name_key(surface)
    return SpanKey(first, last, key, surface) if key else None


def _pair(lattice: Lattice, index: CatalogIndex, title: Mention, name: SpanKey) -> JointItem | None:
    for row in index.search(Filter(title_keys=(title.span.key,)), limit=_MOST_NAMESAKES).rows:
        for credit in index.track(row).track.artists:
            key = name_key(credit.name)
            if not is_near(name.key, key):
                continue
            posting = _posting(index, key, credit.artist_id)
            if posting is None:
                continue
            artist = Mention(name, posting, "fuzzy", 0, _SUPPORT)
            score = scaled(JOINT_SCORE * _SUPPORT**0.25, lattice.weight(title.span.first, name.last))
            return JointItem(title.span.first, name.last, score, "track", (row,), artist, title)
    return None


def _posting(index: CatalogIndex, key: str, artist_id: str) -> Posting | None:
    hits = index.lookup([key]).get(key)
    artists = hits.of("artist") if hits else ()
    return next((posting for posting in artists if index.artist(posting.row).artist.artist_id == artist_id), None)
