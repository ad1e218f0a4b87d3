"""Draws the requests that are measured: from the catalog's own names, the vocabularies and everyday words, by a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

from data.vocab.loader import load_vocabularies
from experiments.bench.words import EVERYDAY, OPENINGS, SCENES
from program.index.layout import TERM_FACETS
from program.index.protocol import CatalogIndex, Filter

LOOKUP_WORDS = 12
_FACETS = ("genre", "mood", "era", "region", "activity", "instrument")
_TRIES = 50
_LINE_WORDS = 6
_MOST_VALUES = 40
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Request:
    """One request. kind: what it is made of, to tell apart what is slow."""

    kind: str
    text: str


class Drawer:
    """Draws names and words; the same seed draws the same from the same index."""

    def __init__(self, index: CatalogIndex, seed: int) -> None:
        self.rng = Random(seed)
        self._index = index
        self._facets = [labels for facet in _FACETS if (labels := _held(index, facet))]

    def track(self) -> tuple[str, str]:
        """A track's title and its first artist; every second time the best known of three."""
        rows = [self.rng.randrange(self._index.info.tracks) for _ in range(self.rng.choice((1, 3)))]
        track = max((self._index.track(row) for row in rows), key=lambda entry: entry.popularity).track
        return track.title, track.artists[0].name

    def line(self) -> str:
        """A line of somebody's lyrics, if a few draws find one; else words that name nothing."""
        for _ in range(_TRIES):
            lyrics = self._index.track(self.rng.randrange(self._index.info.tracks)).track.lyrics
            if lyrics:
                return self.rng.choice([line for line in lyrics.splitlines() if line.strip()])
        return " ".join(self.everyday(_LINE_WORDS))

    def artist(self) -> str:
        """An artist with tracks, if a few draws find one."""
        for _ in range(_TRIES):
            entry = self._index.artist(self.rng.randrange(self._index.info.artists))
            if entry.available_tracks:
                break
        return entry.artist.name

    def facets(self, count: int) -> list[str]:
        """Labels of values of `count` different facets, such as "sad", "post-punk"; values that the catalog holds."""
        return [self.rng.choice(labels) for labels in self.rng.sample(self._facets, count)]

    def everyday(self, count: int) -> list[str]:
        """Words that name nothing."""
        return [self.rng.choice(EVERYDAY) for _ in range(count)]

    def misspelt(self, name: str) -> str:
        """`name` with one letter of its longest word lost, doubled, added or swapped; words of four letters stay."""
        words = name.split()
        longest = max(range(len(words)), key=lambda position: len(words[position]))
        word = words[longest]
        if len(word) >= 5:
            at = self.rng.randrange(1, len(word) - 1)
            middle = (word[at + 1], word[at] * 2, self.rng.choice(_LETTERS) + word[at], word[at + 1] + word[at])
            edit = self.rng.randrange(4)
            rest = word[at + 2 :] if edit in (0, 3) else word[at + 1 :]
            words[longest] = word[:at] + middle[edit] + rest
        return " ".join(words)


def _held(index: CatalogIndex, facet: str) -> list[str]:
    """Labels of the values of a facet that are the most frequent in the catalog; of eras, all decades and the like."""
    vocabulary = load_vocabularies()[facet]
    values = index.facet_counts(Filter(), facet, _MOST_VALUES) if facet in TERM_FACETS else vocabulary.concepts
    return [label for value in values if (label := vocabulary.label(value)).isascii()]


def distinct(draw: Callable[[int], Request], count: int) -> list[Request]:
    """`count` requests of different texts from `draw(number)`; fewer when the catalog holds no more."""
    return list(islice(_unseen(draw, count * _TRIES), count))


def _unseen(draw: Callable[[int], Request], tries: int) -> Iterator[Request]:
    seen: set[str] = set()
    for number in range(tries):
        request = draw(number)
        if request.text not in seen:
            seen.add(request.text)
            yield request


def lookup_requests(index: CatalogIndex, count: int, seed: int) -> list[Request]:
    """Requests of exactly 12 words: names, facets, both, misspelt names, and talk."""
    drawer = Drawer(index, seed)
    kinds = ("names", "facets", "mixed", "typos", "typos", "talk")
    return distinct(lambda number: _twelve(drawer, kinds[number % len(kinds)]), count)


def _twelve(drawer: Drawer, kind: str) -> Request:
    rng = drawer.rng
    pieces = [rng.choice(OPENINGS)]
    if kind in ("names", "typos"):
        title, artist = drawer.track()
        pieces += [title, "by", artist]
    if kind == "typos":
        pieces = [pieces[0], *map(drawer.misspelt, pieces[1:])]
    if kind == "mixed":
        pieces += [drawer.artist(), *drawer.facets(2)]
    if kind == "facets":
        pieces += drawer.facets(3)
    words = " ".join(pieces).split()[:LOOKUP_WORDS]
    return Request(kind, " ".join(words + drawer.everyday(LOOKUP_WORDS - len(words))))


def head_requests(index: CatalogIndex, count: int, seed: int) -> list[Request]:
    """What most people ask for: an exact track, an exact artist, plain facet words."""
    drawer = Drawer(index, seed)

    def draw(number: int) -> Request:
        kind = ("track", "track by artist", "artist", "facets")[number % 4]
        title, artist = drawer.track()
        text = {
            "track": f"play {title}",
            "track by artist": f"play {title} by {artist}",
            "artist": f"songs by {drawer.artist()}",
            "facets": f"{' '.join(drawer.facets(2))} music",
        }[kind]
        return Request(kind, text)

    return distinct(draw, count)


def narrow_requests(index: CatalogIndex, count: int, seed: int) -> list[Request]:
    """Requests of three to five facets, which few tracks hold together."""
    drawer = Drawer(index, seed)

    def draw(number: int) -> Request:
        facets = 3 + number % 3
        return Request(f"{facets} facets", f"{' '.join(drawer.facets(facets))} songs")

    return distinct(draw, count)


def search_requests(index: CatalogIndex, count: int, seed: int) -> list[Request]:
    """Requests whose plans use every tool; remembered words only where the catalog holds lyrics."""
    drawer = Drawer(index, seed)
    kinds = (
        "facets", "exclusion", "scene", "like track", "like artist", "artist", "newest", "popular", "liked", "played",
        *(("lyrics",) if index.info.lyrics else ()),
    )  # fmt: skip

    def draw(number: int) -> Request:
        kind = kinds[number % len(kinds)]
        title, artist = drawer.track()
        first, second, third = drawer.facets(3)
        text = {
            "facets": f"{first} {second} songs",
            "exclusion": f"{first} {second} music, no {third}",
            "scene": f"{first} music for {drawer.rng.choice(SCENES)}",
            "like track": f"songs like {title} by {artist}",
            "like artist": f"artists similar to {artist}",
            "artist": f"songs by {artist}",
            "newest": f"the newest songs by {artist}",
            "popular": f"popular {first} songs",
            "liked": f"my liked songs, {first}",
            "played": f"{first} songs i played",
            "lyrics": f'the song that goes "{drawer.line()}"' if kind == "lyrics" else "",
        }[kind]
        return Request(kind, text)

    return distinct(draw, count)
