"""Names that a model drafted out of a request's words, as evidence for one reading or another.

A draft never makes an id: it changes how well the catalog's own readings score, and says where a name stands that the catalog
does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from data.contracts import NameKind
from data.nameforms import name_form
from data.vocab.request_words import RequestRole
from program.grounding.frame import RequestFrame
from program.grounding.items import EntityItem, Item, JointItem
from program.grounding.lookup import Lookup
from program.grounding.requested import POSSESSIVE
from program.grounding.tokens import Token, tokenize

_MARKS: frozenset[RequestRole] = frozenset({"by", "similar", "artist_word", "track_word", "album_word"})


@dataclass(frozen=True)
class DraftWeights:
    """What a draft is worth beside the scores of `items.py` (found by search on requests that no adapter was trained on).

    What kind of name the draft says counts for nothing here: the catalog types better than a small model does.

    Attributes:
        same: for a held name of the same words; in proportion to the shared words where the boundaries differ.
        unnamed: taken from a held name that the draft does not name.
        absent, absent_word: score of a drafted name that is not held: by itself, and for each of its words. marked: added to
            it where the words beside it say that a name stands there ("like …", "… by", "the band …").
    """

    same: float = 0.5
    unnamed: float = 0.83
    absent: float = -1.2
    absent_word: float = 0.3
    marked: float = 1.8


@dataclass(frozen=True, slots=True)
class DraftedName:
    """A drafted name: tokens [first, last) of the request."""

    first: int
    last: int
    kind: NameKind

    def shared(self, first: int, last: int) -> float:
        """Tokens shared with [first, last), as a part of those of both, 0..1."""
        both = min(self.last, last) - max(self.first, first)
        return max(0, both) / (max(self.last, last) - min(self.first, first)) if both > 0 else 0.0


@dataclass(frozen=True, slots=True)
class DraftedItem(Item):
    """A drafted name that the catalog does not hold with these words."""

    kind: NameKind


@dataclass(frozen=True)
class Drafted:
    """The names of one draft that are words of the request, left to right."""

    names: tuple[DraftedName, ...]
    weights: DraftWeights = DraftWeights()

    def meets(self, first: int, last: int) -> bool:
        """Whether a drafted name shares a token with [first, last)."""
        return any(name.first < last and first < name.last for name in self.names)

    def weigh(self, items: Iterable[Item], words: RequestFrame) -> list[Item]:
        """The items with the draft counted in, and one for each drafted name that may be absent.

        Args:
            words: of the request; a drafted name that is only such as requests are made of ("pls") is none.
        """
        found: list[Item] = []
        for item in items:
            if isinstance(item, EntityItem):
                item = replace(item, score=item.score + self._gain(item.first, item.last))
            elif isinstance(item, JointItem):
                title, artist = item.title.span, item.artist.span
                gain = self._gain(title.first, title.last) + self._gain(artist.first, artist.last)
                item = replace(item, score=item.score + gain)
            found.append(item)
        return found + [self._absent(name, words) for name in self.names if not _is_talk(name, words)]

    def _absent(self, name: DraftedName, words: RequestFrame) -> DraftedItem:
        weights = self.weights
        score = weights.absent + weights.absent_word * (name.last - name.first)
        return DraftedItem(name.first, name.last, score + (weights.marked if _is_marked(name, words) else 0.0), name.kind)

    def _gain(self, first: int, last: int) -> float:
        share = max((name.shared(first, last) for name in self.names), default=0.0)
        return self.weights.same * share if share else -self.weights.unnamed


def _is_talk(name: DraftedName, words: RequestFrame) -> bool:
    """Whether every word of it is one that requests are made of, or it is a facet's."""
    return words.is_everyday(name.first, name.last) or (name.first, name.last) in words.facets


def _is_marked(name: DraftedName, words: RequestFrame) -> bool:
    """Whether the words beside it say that a name stands there."""
    before = {role for (_, last), roles in words.roles.items() if last == name.first for role in roles}
    return not _MARKS.isdisjoint(before) or words.followed_by(name.last, "by")


def located(names: Sequence[str], lookup: Lookup, weights: DraftWeights = DraftWeights()) -> Drafted:
    """The draft on the request's tokens; what is not made of its words is dropped.

    Args:
        names: each as `artist: words` or `work: words`, in the order of the request.
    """
    return Drafted(tuple(places(names, lookup.tokens)), weights)


def places(names: Sequence[str], tokens: Sequence[Token]) -> list[DraftedName]:
    """Where names stand in a request, left to right and without overlaps; one that is not made of its words is left out.

    Args:
        names: each as `artist: words` or `work: words`, in the order of the request.
    """
    forms = [_forms(token) for token in tokens]
    taken: set[int] = set()
    found: list[DraftedName] = []
    after = 0
    for name in names:
        kind, _, words = name.partition(": ")
        wanted = [_forms(token) for token in tokenize(words)]
        start = _place(wanted, forms, taken, after)
        if start is None or not wanted or kind not in ("artist", "work"):
            continue
        after = start + len(wanted)
        taken.update(range(start, after))
        found.append(DraftedName(start, after, "artist" if kind == "artist" else "work"))
    return sorted(found, key=lambda one: one.first)


def _place(wanted: Sequence[frozenset[str]], forms: Sequence[frozenset[str]], taken: set[int], after: int) -> int | None:
    """Where the words stand, after the last name if they do, and not in another name."""
    starts = range(len(forms) - len(wanted) + 1)
    for start in sorted(starts, key=lambda at: (at < after, at)):
        here = range(start, start + len(wanted))
        if taken.isdisjoint(here) and all(forms[at] & words for at, words in zip(here, wanted, strict=True)):
            return start
    return None


def _forms(token: Token) -> frozenset[str]:
    """How a word may be written: as it is, and without a possessive ending."""
    plain = token.text.casefold()
    return frozenset(filter(None, (plain, name_form(token.text), name_form(POSSESSIVE.sub("", token.text)))))
