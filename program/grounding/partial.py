"""Part of a title beside its artist: "Yellow Brick Road" by Elton John is Goodbye Yellow Brick Road.

Only where no whole title answers, only among the works of a named artist, and only when every word is in the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from data.commonwords import zipf
from data.names import name_form, name_key
from data.numberwords import words_to_digits
from program.grounding.items import ARTICLES, JOINT_SCORE, Item, JointItem, scaled
from program.grounding.lookup import Mention
from program.grounding.near import is_near
from program.grounding.spans import SpanKey
from program.index.documents import text_words
from program.index.protocol import CatalogIndex, Filter, Posting, TrackEntry

if TYPE_CHECKING:
    from program.grounding.lattice import Lattice

_MOST_ARTISTS, _MOST_TRACKS, _MOST_WORDS = 2, 50, 8
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10"}
_BRACKETS = re.compile(r"[(\[（【][^)\]）】]*[)\]）】]")
_NOISE = frozenset({*ARTICLES, "no", "number", "nr", "a", "s", "of"})
_RIGHT = 4.5
"""Zipf frequency from which a word is what it looks like, no slip of another one (own choice)."""
_COMMON, _COMMON_ALONE, _ENOUGH_WORDS, _LEAST_COVERED = 6.0, 5.0, 3, 0.3
_ASKING = frozenset({"command", "ask", "greeting", "filler"})
_EDGES = frozenset({"filler", "by", "album_word", "track_word", "artist_word"})
_STOPS = frozenset({"command", "head", "negation", "similar", "only", "liked", "history", "place", "greeting"})


@dataclass(frozen=True)
class _Region:
    """Tokens [first, last) that may be part of a title by the artist that stands beside them."""

    first: int
    last: int
    words: frozenset[str]


def partial_items(lattice: Lattice, index: CatalogIndex, joint: list[Item]) -> list[Item]:
    """Pairs of an artist and some words of one of the artist's titles or albums."""
    taken = {position for item in joint for position in range(item.first, item.last)}
    artists = [m for m in lattice.lookup.mentions if m.entity_type == "artist" and _stands_alone(lattice, m, taken)]
    items: list[Item] = []
    for artist in _longest(artists)[:_MOST_ARTISTS]:
        for region in _regions(lattice, artist):
            item = _item(lattice, index, artist, region)
            if item is not None:
                items.append(item)
                break
    return items


def _stands_alone(lattice: Lattice, artist: Mention, taken: set[int]) -> bool:
    span = range(artist.span.first, artist.span.last)
    return taken.isdisjoint(span) and not lattice.is_everyday(artist.span.first, artist.span.last)


def _longest(artists: list[Mention]) -> list[Mention]:
    """One mention a place, the longest and best supported."""
    chosen: list[Mention] = []
    for mention in sorted(artists, key=lambda m: (m.span.first - m.span.last, -m.support)):
        if all(mention.span.last <= other.span.first or other.span.last <= mention.span.first for other in chosen):
            chosen.append(mention)
    return chosen


def _regions(lattice: Lattice, artist: Mention) -> Iterator[_Region]:
    """The words before and after an artist, up to a word that says what to do or the end of the clause."""
    tokens, clause = lattice.lookup.tokens, lattice.lookup.tokens[artist.span.first].clause
    stops = {at for (first, last), roles in lattice.roles.items() if _STOPS & set(roles) for at in range(first, last)}
    stops |= set(range(_opening(lattice)))
    first = artist.span.first
    while first and first - 1 not in stops and tokens[first - 1].clause == clause:
        first -= 1
    last = artist.span.last
    while last < len(tokens) and last not in stops and tokens[last].clause == clause:
        last += 1
    for start, end in ((first, artist.span.first), (artist.span.last, last)):
        yield from _trimmed(lattice, start, end)


def _opening(lattice: Lattice) -> int:
    """How many tokens the request opens with that only ask ("could you please find me …")."""
    asking = {at for (first, last), roles in lattice.roles.items() if _ASKING & set(roles) for at in range(first, last)}
    count = 0
    while count in asking:
        count += 1
    return count


def _trimmed(lattice: Lattice, first: int, last: int) -> Iterator[_Region]:
    """The region without the words that only lead to it ("by the", "the album")."""

    def edge(position: int) -> bool:
        return (
            bool(_EDGES & set(lattice.roles.get((position, position + 1), ()))) or lattice.lookup.tokens[position].key in ARTICLES
        )

    while first < last and edge(last - 1):
        last -= 1
    start = first
    while first < last and edge(first):
        first += 1
    if any(token.key == "about" for token in lattice.lookup.tokens[start:first]):
        return  # what songs are about is no title
    words = frozenset(_words(" ".join(token.text for token in lattice.lookup.tokens[first:last])))
    if words and last - first <= _MOST_WORDS:
        yield _Region(first, last, words)


def _words(text: str) -> Iterator[str]:
    """Words that must agree: folded, ordinals and roman numerals as digits, articles left out."""
    for word in words_to_digits(text_words(text)).split():
        ordinal = _ORDINAL.fullmatch(word)
        plain = ordinal[1] if ordinal else _ROMAN.get(word, word)
        if plain not in _NOISE:
            yield plain


def _item(lattice: Lattice, index: CatalogIndex, artist: Mention, region: _Region) -> JointItem | None:
    if not _says_something(region.words) or (region.first, region.last) in lattice.facets:
        return None  # talk, or a description ("jazz by …")
    artist_id = index.artist(artist.posting.row).artist.artist_id
    found = [index.track(row) for row in index.search(Filter(artist_ids=(artist_id,)), limit=_MOST_TRACKS).rows]
    titled = [(covered, entry) for entry in found if (covered := _covered(region.words, entry.track.title)) > 0]
    albums = [(covered, entry) for entry in found if (covered := _covered(region.words, entry.track.album or "")) > 0]
    named = _named_type(lattice, artist, region)
    pool: list[tuple[float, TrackEntry]] = albums if named == "album" or (albums and not titled) else titled
    if not pool:
        return None
    kind: Literal["track", "album"] = "album" if pool is albums else "track"
    best = max(covered for covered, _ in pool)
    entries = [entry for covered, entry in pool if covered == best]
    rows = _album_rows(index, entries[0], artist_id) if kind == "album" else tuple(entry.row for entry in _one_work(entries))
    return _joined(lattice, artist, region, kind, rows, index) if rows else None


def _says_something(words: frozenset[str]) -> bool:
    """Whether the words are more than talk: three of them, two that are not all small words, or one that is rare."""
    limit = _COMMON if len(words) > 1 else _COMMON_ALONE
    return len(words) >= _ENOUGH_WORDS or any(zipf(word) < limit for word in words if not word.isdigit())


def _covered(words: frozenset[str], title: str) -> float:
    """Share of the title's words that were said, 0 when one was said that is not in it or too few were."""
    held = set(_words(title))
    if not _within(words, held):
        return 0.0
    shorter = (set(_words(part)) for part in (_BRACKETS.sub(" ", title), title.split(":")[0]))
    share = len(words) / min([len(held), *(len(part) for part in shorter if _within(words, part))])
    return share if share >= _LEAST_COVERED or len(words) >= _ENOUGH_WORDS - 1 else 0.0


def _within(words: frozenset[str], held: set[str]) -> bool:
    """Whether each word is among the held ones, small slips of long words forgiven."""
    return all(word in held or (zipf(word) < _RIGHT and any(is_near(word, other) for other in held)) for word in words)


def _named_type(lattice: Lattice, artist: Mention, region: _Region) -> str:
    first, last = min(region.first, artist.span.first), max(region.last, artist.span.last)
    inside = {role for (start, end), roles in lattice.roles.items() if first - 2 <= start and end <= last + 1 for role in roles}
    return "album" if "album_word" in inside else "track"


def _one_work(entries: list[TrackEntry]) -> list[TrackEntry]:
    """All parts of a work in several movements, in order; else the best known."""
    work = name_form(entries[0].track.title.split(":")[0])
    parts = [entry for entry in entries if ":" in entry.track.title and name_form(entry.track.title.split(":")[0]) == work]
    return sorted(parts, key=lambda entry: entry.row) if len(parts) > 1 else entries[:1]


def _album_rows(index: CatalogIndex, entry: TrackEntry, artist_id: str) -> tuple[int, ...]:
    key = name_key(entry.track.album or "")
    hits = index.lookup([key]).get(key)
    return tuple(p.row for p in (hits.of("album") if hits else ()) if artist_id in index.album(p.row).artist_ids)


def _joined(
    lattice: Lattice,
    artist: Mention,
    region: _Region,
    kind: Literal["track", "album"],
    rows: tuple[int, ...],
    index: CatalogIndex,
) -> JointItem:
    tokens, request = lattice.lookup.tokens, lattice.lookup.request
    surface = request[tokens[region.first].start : tokens[region.last - 1].end]
    popularity = index.track(rows[0]).popularity if kind == "track" else index.album(rows[0]).popularity
    support = round(0.65 * (0.35 + 0.35 * popularity + 0.3), 4)
    span = SpanKey(region.first, region.last, name_key(surface), surface)
    title = Mention(span, Posting(kind, rows[0], "normalised", popularity), "fuzzy", 0, support)
    first, last = min(region.first, artist.span.first), max(region.last, artist.span.last)
    score = scaled(JOINT_SCORE * support**0.25, lattice.weight(first, last))
    return JointItem(first, last, score, kind, rows, artist, title, parts=kind == "track" and len(rows) > 1)
