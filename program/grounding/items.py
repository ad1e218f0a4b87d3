"""The pieces that a request can be read as: role words, facet words, years, sizes, verified names, and leftovers.

Each item covers tokens [first, last) and carries a score; `decode.py` finds the best chains of items. All scores are our
own choice and are compared only with one another: a facet word counts 1 a token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from data.contracts import EntityType, Facet
from data.vocab.request_words import RequestRole
from program.grounding.lookup import Mention

ARTICLES = frozenset({"the", "los", "las", "les", "die", "der", "das", "el", "la", "le", "il", "os", "as", "de", "het"})
"""Words that may stand before a name without being part of it."""

ROLE_SCORES: dict[RequestRole, float] = {
    "command": 0.85, "ask": 0.6, "head": 0.8, "filler": 0.5, "negation": 0.9, "similar": 0.8, "only": 0.8, "by": 0.65,
    "liked": 1.3, "history": 1.3, "album_word": 0.8, "track_word": 0.8, "artist_word": 0.8,
    "after": 0.5, "before": 0.5, "between": 0.4,
    "greeting": 0.6, "place": 0.85, "own_list": 0.85, "alike": 0.75, "correction": 0.9, "others": 0.9, "times": 0.75,
    "ruled_out": 0.7,
}  # fmt: skip
FACET_SCORE = 1.0
RANGE_SCORE = 1.15
LONGER_BONUS = 0.3
FREE_SCORE = -0.45
JOINT_SCORE = 1.3
CJK_TOKEN = 0.5
"""One CJK character counts half a word."""


@dataclass(frozen=True, slots=True)
class Item:
    """Base: tokens [first, last) and a score, higher is better."""

    first: int
    last: int
    score: float


@dataclass(frozen=True, slots=True)
class RoleItem(Item):
    """A word that says what to do with its neighbours."""

    role: RequestRole


@dataclass(frozen=True, slots=True)
class FacetItem(Item):
    """A word that names a facet value."""

    facet: Facet
    concept_id: str


@dataclass(frozen=True, slots=True)
class RangeItem(Item):
    """A closed range of a numeric facet; an empty string is open."""

    low: str
    high: str
    facet: Literal["era", "tempo"] = "era"


@dataclass(frozen=True, slots=True)
class SizeItem(Item):
    """How many tracks are asked for."""

    size: int


@dataclass(frozen=True, slots=True)
class MinutesItem(Item):
    """How long the list should play."""

    minutes: int


@dataclass(frozen=True, slots=True)
class EntityItem(Item):
    """A name that the catalog supports."""

    mention: Mention


@dataclass(frozen=True, slots=True)
class JointItem(Item):
    """A title (or album) together with its artist, verified to belong together.

    Attributes:
        rows: rows of the matching tracks (albums), most popular first. artist: the artist's mention.
        parts: the rows are one work in several tracks, all of which are meant, in order.
    """

    entity_type: Literal["track", "album"]
    rows: tuple[int, ...]
    artist: Mention
    title: Mention
    parts: bool = False


@dataclass(frozen=True, slots=True)
class FreeItem(Item):
    """One token that nothing explains."""


def scaled(score: float, weight: float, extra_tokens: float = 0.0) -> float:
    """`score` a token over `weight` tokens, with the bonus for a longer match."""
    return score * weight + LONGER_BONUS * max(0.0, weight - 1.0) + extra_tokens


TYPE_WORDS: dict[RequestRole, EntityType] = {"album_word": "album", "track_word": "track", "artist_word": "artist"}
