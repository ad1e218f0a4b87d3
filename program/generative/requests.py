"""Synthetic requests of a catalog: words for a few facts of a track, and all the tracks of which these facts hold.

The words come from the vocabularies' own synonyms, the artists' names, titles, albums and tags; frames, shuffled order and
left-out words stand in for the many ways to ask. Nothing else teaches the model: no labelled set is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from data.names import base_title
from data.vocab.loader import load_vocabularies
from program.generative.quantize import Whole
from program.index.filters import concept_bounds, expanded
from program.index.layout import FACET_FIELDS, TERM_FACETS
from program.index.stored import StoredTrack

Fact = tuple[str, str]
"""Kind and value of something that holds of a track, such as ("mood", "cold") or ("artist", "Kent")."""

MOST_TARGETS = 64
_FACETS = tuple(facet for facet in TERM_FACETS if facet != "version")
_NUMBERS = ("era", "tempo", "popularity")
_NAMES = ("artist", "album", "title")
_FRAMES = (
    "{}", "{}", "{}", "{} songs", "{} music", "play {}", "play me some {}", "i want {}", "some {} please", "something {}",
    "give me {}", "a playlist of {}", "looking for {}", "{} tracks for me", "can you find {}", "i feel like {} today",
)  # fmt: skip
_WORDED = {
    "activity": ("for {}", "to listen to while {}", "{}"), "instrument": ("with {}", "lots of {}", "{}"),
    "language": ("sung in {}", "in {}", "{}"), "region": ("from {}", "{}", "{} artists"), "era": ("from the {}", "{}"),
    "vocal": ("{} singer", "{} vocals", "{}"), "artist": ("by {}", "{}", "like {}"), "album": ("from {}", "the album {}"),
    "title": ("called {}", "{}"),
}  # fmt: skip
_HOW_MANY = (0.3, 0.35, 0.25, 0.1)
_WIDER, _LABEL, _NAMED = 0.25, 0.4, 0.2


@dataclass(frozen=True)
class Request:
    """One synthetic request. targets: rows of tracks that hold all of it, at most `MOST_TARGETS`, drawn evenly."""

    text: str
    targets: Whole


@dataclass
class Facts:
    """What holds of each track of a catalog (or of a sample of it), and the other way round."""

    of_row: dict[int, list[Fact]] = field(default_factory=dict)
    names: dict[int, list[Fact]] = field(default_factory=dict)
    rows: dict[Fact, list[int]] = field(default_factory=lambda: defaultdict(list))
    _arrays: dict[Fact, Whole] = field(default_factory=dict)

    def add(self, row: int, track: StoredTrack, percentile: float) -> None:
        """Take a track in."""
        said = [(facet, value) for facet in _FACETS for value in _values(track, facet)]
        self.of_row[row] = said + [(facet, value) for facet in _NUMBERS for value in _concepts(track, facet, percentile)]
        self.of_row[row] += [("tag", tag) for tag in track.tags]
        self.names[row] = [("artist", track.artists[0].name), ("title", base_title(track.title))]
        if track.album:
            self.names[row].append(("album", track.album))
        held = {wide for facet, value in said for wide in ((facet, one) for one in expanded(facet, (value,)))}
        for fact in {*held, *self.of_row[row], *self.names[row]}:
            self.rows[fact].append(row)

    def _held(self, fact: Fact) -> Whole:
        if fact not in self._arrays:
            self._arrays[fact] = np.asarray(self.rows[fact], dtype=np.int64)
        return self._arrays[fact]

    def holding(self, facts: Iterable[Fact]) -> Whole:
        """The rows for which all of the facts hold, ascending. Ask only when every track is in."""
        found = sorted((self._held(fact) for fact in facts), key=len)
        rows = found[0]
        for other in found[1:]:
            rows = np.intersect1d(rows, other, assume_unique=True)
        return rows


def synthetic_requests(facts: Facts, count: int, rng: np.random.Generator) -> list[Request]:
    """`count` requests, each made from a track drawn evenly; the same generator state gives the same requests."""
    rows = np.fromiter(facts.of_row, dtype=np.int64)
    return [_request(facts, int(row), rng) for row in rng.choice(rows, size=count)]


def _request(facts: Facts, row: int, rng: np.random.Generator) -> Request:
    chosen = _chosen(facts, row, rng)
    targets = facts.holding(chosen)
    if len(targets) > MOST_TARGETS:
        targets = np.sort(rng.choice(targets, size=MOST_TARGETS, replace=False))
    parts = [_worded(fact, rng) for fact in chosen]
    rng.shuffle(parts)
    frame = _FRAMES[rng.integers(len(_FRAMES))]
    return Request(frame.format(" ".join(parts)), targets)


def _chosen(facts: Facts, row: int, rng: np.random.Generator) -> list[Fact]:
    """One to four facts of the track; now and then a wider one, now and then a name."""
    said = facts.of_row[row]
    if not said or rng.random() < _NAMED:
        names = facts.names[row]
        named = [names[rng.integers(len(names))]]
        return named + ([said[rng.integers(len(said))]] if said and rng.random() < 1 / 3 else [])
    many = min(len(said), 1 + int(rng.choice(len(_HOW_MANY), p=_HOW_MANY)))
    picked = [said[place] for place in rng.choice(len(said), size=many, replace=False)]
    return list(dict.fromkeys(_maybe_wider(fact, rng) for fact in picked))


def _maybe_wider(fact: Fact, rng: np.random.Generator) -> Fact:
    kind, value = fact
    wider = expanded(kind, (value,)) if kind in TERM_FACETS else (value,)
    return (kind, wider[rng.integers(len(wider))]) if rng.random() < _WIDER else fact


def _worded(fact: Fact, rng: np.random.Generator) -> str:
    kind, value = fact
    words = _words(kind, value)
    word = words[0] if rng.random() < _LABEL else words[rng.integers(len(words))]
    frames = _WORDED.get(kind, ("{}",))
    return frames[rng.integers(len(frames))].format(word) if rng.random() > _LABEL else word


@cache
def _vocabulary_words(facet: str, value: str) -> tuple[str, ...]:
    concept = load_vocabularies()[facet].concepts.get(value)
    return (concept.label, *(word for word in concept.words if word.isascii())) if concept else (value,)


def _words(kind: str, value: str) -> tuple[str, ...]:
    """Ways to say a fact, the plain label first."""
    return _vocabulary_words(kind, value) if kind in FACET_FIELDS else (value,)


def _values(track: StoredTrack, facet: str) -> tuple[str, ...]:
    value = getattr(track, FACET_FIELDS[facet])
    return value if isinstance(value, tuple) else (value,) if value else ()


def _concepts(track: StoredTrack, facet: str, percentile: float) -> list[str]:
    """The concepts of a numeric facet that the track lies in."""
    number = getattr(track, FACET_FIELDS[facet])
    if number is None:
        return []
    number = percentile if facet == "popularity" else float(number)
    return [name for name, low, high in _intervals(facet) if low <= number <= high]


@cache
def _intervals(facet: str) -> tuple[tuple[str, float, float], ...]:
    bounds = {name: concept_bounds(facet, name) for name in load_vocabularies()[facet].concepts}
    return tuple(
        (name, -np.inf if low is None else low, np.inf if high is None else high) for name, (low, high) in bounds.items()
    )
