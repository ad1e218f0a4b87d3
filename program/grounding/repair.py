"""Repairs misspelt names: odd words are replaced by near words of the catalog's names, and the spans looked up again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from data.names import joined_key
from data.vocab.request_words import RequestRole
from program.grounding.requested import POSSESSIVE, Request, Respelt, Version
from program.grounding.spans import SpanKey
from program.index.protocol import CatalogIndex
from program.index.words import NearWord
from program.settings import GroundingSettings

_LONGEST_NAME = 6
"""Words of a name that is looked for with errors in it."""
_NEAR_WORDS = 8
_VERSIONS_PER_SPAN = 12
_MOST_UNLIKE, _UNLIKE_IN_NAME = 0.4, 0.5
"""Edits, as a share of the letters, up to which a word is taken for another: alone, and in a name of several words."""
_NONE_NEAR, _TWO = 99, 2
_LONG_NAME, _NEAR_IN_LONG_NAME = 3, 4
"""From so many words on, fewer near words are tried for each: the other words tell names apart."""
_LONGEST_PART = 5
"""Letters of a known word that may be one half of a word that was split ("metal lica")."""
_LONG_PAIR = 10
"""Letters from which two words run together may have two errors."""

_LEADING: frozenset[RequestRole] = frozenset({"command", "ask", "by", "similar", "negation"})
"""Words that only these roles have lead to a name and begin or end none."""

Replacements = dict[tuple[int, int], list[NearWord]]
"""Other words for the tokens [first, last)."""


class Repair:
    """The repair of one request.

    Attributes:
        odd: words that nothing explains and that no title, artist or album uses: slips of the pen, or names not held.
        rare: words that nothing explains either, no everyday ones, though some name uses them; only in a longer name are
            they replaced.
    """

    def __init__(self, request: Request, index: CatalogIndex, settings: GroundingSettings) -> None:
        self.request, self.index, self.settings = request, index, settings
        self.odd, self.rare = self._unexplained()
        self._everyday: dict[str, int] = {}

    def versions(self, *, by_sound: bool = False, done: Iterable[Respelt] = ()) -> list[Version]:
        """What the replacement of words makes of the spans.

        Args:
            by_sound: by words that sound alike, not by near ones.
            done: what was found already; its words need no more repair.
        """
        found = {position for hit in done for position in range(hit.span.first, hit.span.last)}
        self.odd, self.rare = self.odd - found, self.rare - found
        words = self._replacements(by_sound)
        if not any(words.values()):
            return []
        changed = self.odd | self.rare
        spans = [span for span in self.request.spans if any(span.first <= position < span.last for position in changed)]
        return [version for span in spans for version in self._versions(span, words, by_sound)]

    def _unexplained(self) -> tuple[set[int], set[int]]:
        request = self.request
        unknown = [p for p in range(len(request.tokens)) if p not in request.explained and not request.plain[p]]
        odd = {position for position in unknown if not self.index.uses_word(request.tokens[position].key)}
        unknown.sort(key=lambda position: (position not in odd, -len(request.forms[position])))
        tried = [position for position in unknown if position in odd or not self.index.is_everyday_word(request.forms[position])]
        chosen = set(tried[: self.settings.fuzzy_max_spans])
        return odd & chosen, chosen - odd

    def _replacements(self, by_sound: bool) -> Replacements:
        """Other words for odd and rare ones, alone and run together with a neighbour ("cold paly")."""
        words = {
            (position, position + 1): self._others(self.request.forms[position], by_sound) for position in self.odd | self.rare
        }
        if not by_sound:
            for first in {start for position in self.odd for start in (position - 1, position)}:
                pair = self._pair(first)
                edits = min(self._edits(pair), 2 if len(pair) >= _LONG_PAIR else 1)
                words[first, first + 2] = self._near(pair, edits) if edits else []
        return words

    def _pair(self, first: int) -> str:
        """Tokens [first, first + 2) as one word; empty where one of them is no part of a word that was split."""
        if first < 0 or first + 2 > len(self.request.tokens):
            return ""
        for position in (first, first + 1):
            token, form = self.request.tokens[position], self.request.forms[position]
            whole_word = position in self.request.explained and len(form) > _LONGEST_PART
            if token.cjk or whole_word or form.isdigit() or token.key in self.request.asked:
                return ""
        return "".join(self.request.forms[first : first + 2])

    def _others(self, word: str, by_sound: bool) -> list[NearWord]:
        if not by_sound:
            edits = self._edits(word)
            return self._near(word, edits) if edits else []
        if word not in self._everyday:
            self._near(word, 1)
        alike = self.index.words_sounding_like(word, _NEAR_WORDS)
        return [near for near in alike if near.weight >= 0 and near.distance <= _UNLIKE_IN_NAME * len(word)]

    def _near(self, word: str, edits: int) -> list[NearWord]:
        """Near words that names use; how near an everyday word is, is kept."""
        near = self.index.near_words(word, edits, 2 * _NEAR_WORDS)
        self._everyday[word] = min((other.distance for other in near if other.common), default=_NONE_NEAR)
        return [other for other in near if other.weight >= 0][:_NEAR_WORDS]

    def _alone(self, span: SpanKey, position: int, words: Replacements, by_sound: bool) -> Replacements:
        """What may stand for a word that is all of a name: one error away, and nothing that everyday language explains as well.

        Where a name has to stand two errors are forgiven, and only what is an everyday word as it is written counts as one.
        """
        word, place = self.request.forms[position], (position, position + 1)
        if len(word) < self.settings.fuzzy_min_chars:
            return {}
        nearest = self._everyday.get(word, _NONE_NEAR)
        called, whole = self.request.is_called(span), self.request.is_all(span)
        commanded = not by_sound and self.request.is_commanded(span)
        kept = []
        for near in words.get(place, ()):
            if nearest == 0:
                fits = near.distance < _TWO and (called or commanded)
            else:
                fits = called or whole or (near.distance < _TWO and nearest > near.distance - near.common)
            if fits and near.distance <= _MOST_UNLIKE * len(word):
                kept.append(near)
        return {place: kept}

    def _edits(self, word: str) -> int:
        """How many errors are forgiven in a word of this length."""
        if len(word) < self.settings.fuzzy_min_chars:
            return 0
        return 2 if len(word) >= self.settings.fuzzy_two_edits_chars else 1

    def _versions(self, span: SpanKey, words: Replacements, by_sound: bool) -> Iterator[Version]:
        if not self._may_be_misspelt(span):
            return
        alone = self.request.lone_word(span)
        if alone is not None:
            words = self._alone(span, alone, words, by_sound)
        most = _NEAR_WORDS if span.last - span.first < _LONG_NAME else _NEAR_IN_LONG_NAME
        changed = (self.request.forms[position] for position in range(span.first, span.last) if position in self.odd)
        everyday = any(self._everyday.get(word) == 0 for word in changed)
        for forms, edits in self._replaced(span, words, most):
            if edits:
                yield Version(span, joined_key(forms), edits, by_sound, everyday)

    def _may_be_misspelt(self, span: SpanKey) -> bool:
        """A few words; at the edges none that says what to do with a name."""
        length = span.last - span.first
        if length > _LONGEST_NAME or not (self._edges[span.first] and self._edges[span.last - 1]):
            return False
        if span.possessive != self._possessive[span.last - 1] or True in self._cjk[span.first : span.last]:
            return False
        return length > 1 or span.first in self.odd

    @cached_property
    def _edges(self) -> list[bool]:
        """For each token whether a name may begin or end with it."""
        roles = [self.request.asked.get(token.key, ()) for token in self.request.tokens]
        return [not of_token or not _LEADING.issuperset(of_token) for of_token in roles]

    @cached_property
    def _possessive(self) -> list[bool]:
        return [bool(POSSESSIVE.search(token.text)) for token in self.request.tokens]

    @cached_property
    def _cjk(self) -> list[bool]:
        return [token.cjk for token in self.request.tokens]

    def _replaced(self, span: SpanKey, words: Replacements, most: int) -> list[tuple[tuple[str, ...], int]]:
        """The span's words with every odd one replaced and rare ones as they are or not, and the edits; fewest edits first."""
        made: dict[int, list[tuple[tuple[str, ...], int]]] = {span.last: [((), 0)]}
        for at in range(span.last - 1, span.first - 1, -1):
            form, rests = self.request.forms[at], made[at + 1]
            texts = [] if at in self.odd else [((form, *rest), edits) for rest, edits in rests]
            for end in (at + 1, min(at + 2, span.last)):
                for near in words.get((at, end), ())[:most]:
                    texts += [((near.word, *rest), edits + near.distance) for rest, edits in made[end]]
            made[at] = sorted(texts, key=lambda text: text[1])[:_VERSIONS_PER_SPAN]
        return made[span.first]


def whole_names(request: Request, index: CatalogIndex, settings: GroundingSettings) -> list[Version]:
    """Artists whose whole name is one edit away from all the words between two words that requests are made of.

    This finds a slip that made another word ("kane west"); it asks for whole runs of words, so it is asked seldom.
    """
    starts, ends = _borders(request.plain)
    found: list[Version] = []
    for span in request.spans:
        if span.first not in starts or span.last not in ends or not 2 <= span.last - span.first <= _LONGEST_NAME:
            continue
        long_enough = len(span.key) >= settings.fuzzy_two_edits_chars and not span.possessive
        if long_enough and span.key not in request.known and sum(request.plain[span.first : span.last]) < 2:
            near = index.near_words(span.key, 1, _NEAR_WORDS)
            found += [Version(span, other.word, 1, only_artists=True) for other in near if other.weight >= 0]
    return found


def _borders(plain: list[bool]) -> tuple[set[int], set[int]]:
    """Where runs of words that are not plain may start and end: beside a plain one, or at the ends of the request."""
    starts = {position for position, is_plain in enumerate(plain) if not is_plain and (position == 0 or plain[position - 1])}
    padded = [*plain, True]
    return starts, {position + 1 for position, is_plain in enumerate(plain) if not is_plain and padded[position + 1]}
