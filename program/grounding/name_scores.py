"""How well each held name fits where it stands: what marks it as a name, and what makes it a word of the sentence."""

from __future__ import annotations

from functools import cached_property

from data.contracts import EntityType
from program.grounding.company import Company
from program.grounding.frame import FRAME_ROLES, OF_A_PLACE, RequestFrame
from program.grounding.items import ARTICLES, FREE_SCORE, TYPE_WORDS, EntityItem, scaled
from program.grounding.lookup import Mention
from program.grounding.talk import Talk

_WHOLE_BONUS, _QUOTED_BONUS, _TYPE_WORD_BONUS, _BY_BONUS, _SIMILAR_BONUS, _CAPITAL_BONUS = (
    0.6,
    0.8,
    0.5,
    0.3,
    0.25,
    0.12,
)
_EVERYDAY, _FACET_WORD_TITLE, _FACET_WORD_ARTIST = 0.15, 0.7, 0.9
_NEVER_ALONE = -0.15
"""What such a name scores below leftovers: code never picks it by itself, an LM may."""
_LONG_WORD = 5
_NAME_LIKE_FACETS = frozenset({"region", "language", "era"})
_TYPE_PRIOR: dict[EntityType, float] = {"artist": 0.03, "track": 0.0, "album": -0.08}
"""What a bare name is when several things have it."""
_LINKING = FRAME_ROLES | {"by", "negation", "only"}
_DESCRIBED = 2
"""From this many facets on, a request describes: unmarked titles among them are part of the description."""
_REQUEST_ZIPF = 7.0
_MARKED = 0.12
"""From this much context on, a word is marked as a name (quoted, capitalised, after `by`, the whole request …)."""
_ENTITY_BASE, _ENTITY_PER_SUPPORT = 0.4, 0.9
_NOUN_MARKERS = frozenset(
    "a an my your his her our their ein eine einen einem einer un une una uno um uma mon ma mein meine mi tu meu minha".split()
)
_SHORT_TITLE, _FAR = 2, 5
_COMMON_ABROAD = 5.0
"""Zipf frequency from which a word of another language is one of its commonest."""
_NOUN, _WORDS_OF_A_SENTENCE = 4.0, 4.5
"""Zipf frequencies from which a word behind an article is a thing, and from which all words of a title may be a sentence's."""


class NameScores:
    """Scores the mentions of one request."""

    def __init__(self, words: RequestFrame) -> None:
        self.words = words
        self.talk = Talk(words)
        self.company = Company(words, self.talk)

    def _describes_too(self, first: int, last: int) -> bool:
        """Whether the words of a name could also be a facet or a year that is not said to be one ("from 1999")."""
        said = first > 0 and self.words.lookup.tokens[first - 1].key in OF_A_PLACE
        return (first, last) in self.words.facets or (self.words.is_number(first, last) and not said)

    def _is_plain_genre(self, mention: Mention) -> bool:
        """Whether a name is a genre not written as a title: "play jazz by …" is a kind of music, "play Jazz by …" may be none."""
        genres = any(facet == "genre" for facet, _ in self.words.facets.get((mention.span.first, mention.span.last), ()))
        written = mention.span.first > 0 and mention.span.surface[:1].isupper() and not self.words.lookup.request.isupper()
        return genres and not written

    def item(self, mention: Mention, *, beside_pair: bool) -> EntityItem:
        """The mention with its score; `beside_pair`: a title that stands apart from a verified pair."""
        first, last = mention.span.first, mention.span.last
        context = self._context(mention)
        if self.words.settings.rules and (self._is_kind_of_artist(first, last) or self._is_in_quotes(first, last)):
            return EntityItem(first, last, self._less_than_leftover(first, last), mention)
        if context < _MARKED and (self._is_unlikely(mention) or (beside_pair and self.words.settings.rules)):
            return EntityItem(first, last, self._less_than_leftover(first, last), mention)
        base = scaled(_ENTITY_BASE + _ENTITY_PER_SUPPORT * mention.support, self.words.weight(first, last))
        score = base * self._commonness(mention, marked=context >= _MARKED) + context + _TYPE_PRIOR[mention.entity_type]
        return EntityItem(first, last, score, mention)

    def _less_than_leftover(self, first: int, last: int) -> float:
        return FREE_SCORE * self.words.weight(first, last) + _NEVER_ALONE

    def _is_kind_of_artist(self, first: int, last: int) -> bool:
        """Whether a span says what an artist is: the band beside a name is not The Band."""
        artists = [m.span for m in self.words.lookup.mentions if m.entity_type == "artist"]
        beside = any(span.first == last or span.last == first for span in artists)
        return beside and "artist_word" in self.words.roles.get((first, last), ())

    def _is_in_quotes(self, first: int, last: int) -> bool:
        """Whether a span is only part of what is quoted: a quoted name is the whole of it."""
        start, end = self.words.lookup.tokens[first].start, self.words.lookup.tokens[last - 1].end
        return any(left <= start and end <= right and (left, right) != (start, end) for left, right in self.words.quoted)

    def _commonest(self, first: int, last: int) -> float:
        """Zipf frequency of the rarest word of a span; numbers and words that requests are made of count as common."""
        words = (self.words.lookup.tokens[position] for position in range(first, last))
        return min(
            _REQUEST_ZIPF
            if word.text.isdigit() or (first + n, first + n + 1) in self.words.roles
            else self.talk.frequency(first + n)
            for n, word in enumerate(words)
        )

    def _is_unlikely(self, mention: Mention) -> bool:
        """Common words that nothing marks as a name are a description ("feeling blue songs", "more of this", "2020").

        In a request for a list, or in one that commands nothing, one word alone is too; not a well-known artist's name.
        """
        first, last = mention.span.first, mention.span.last
        if not self.words.settings.rules or self.words.named_after(last):
            return False
        if self.company.makes_talk_of(mention) or self._is_thing(first, last):
            return True
        if self._is_thing(first, last):
            return True
        if mention.span.possessive or self._names_only:
            return False
        character = self.words.lookup.tokens[first].cjk and last - first == 1
        if character or self._is_of_a_sentence(mention):
            return True
        if "artist_word" in self.words.roles.get((first, last), ()):
            return True  # "the band" beside a name is not The Band
        common = self._commonest(first, last)
        if mention.entity_type != "artist" and self._facets_outside(first, last) >= _DESCRIBED:
            return True
        known = mention.entity_type == "artist" and (
            mention.posting.popularity >= self.words.settings.p_hi or self.talk.is_hardly_said(first, last)
        )
        if common >= self.words.settings.everyday_zipf and not known:
            return True
        if self._is_word_of_its_language(mention):
            return True
        lone = self.words.weight(first, last) <= 1.0 and (self.words.asks_for_list or not self.words.commands)
        return lone and not (known and common < self.words.settings.everyday_zipf)

    def _is_word_of_its_language(self, mention: Mention) -> bool:
        """Whether one word in small letters is a common one in a language other than English ("boa", good, is BoA to none)."""
        first, last = mention.span.first, mention.span.last
        foreign = self.words.locale != "en" and last - first == 1 and not self.words.lookup.tokens[first].cjk
        foreign = foreign and not self.company.is_led_to(first)
        return foreign and mention.span.surface.islower() and self.talk.frequency(first) >= _COMMON_ABROAD

    def _is_thing(self, first: int, last: int) -> bool:
        """Whether a common word in small letters stands behind an article that makes it a thing ("from a train")."""
        before = self.words.next_key(first - 1) if first else ""
        written = self.words.lookup.tokens[first].text[:1].isupper()
        named = any(self.words.followed_by(last, role) for role in ("head", "track_word", "album_word", "artist_word", "alike"))
        noun = last - first == 1 and self.talk.frequency(first) >= _NOUN and not written and not named
        loose = first > 1 and before in ARTICLES and self.words.is_loose_link(first - 2, first - 1)
        return noun and (before in _NOUN_MARKERS or (loose and self._commonest(first, last) >= _WORDS_OF_A_SENTENCE))

    def _is_of_a_sentence(self, mention: Mention) -> bool:
        """Whether a title of common words stands among unexplained ones that no command leads ("sunday morning pancakes")."""
        first, last = mention.span.first, mention.span.last
        short = last - first <= _SHORT_TITLE
        if mention.entity_type == "artist" or not short or self.words.is_commanded or mention.span.surface[:1].isupper():
            return False
        return self._commonest(first, last) >= _WORDS_OF_A_SENTENCE and bool(self._unexplained_beside(first, last))

    def _unexplained_beside(self, first: int, last: int) -> list[int]:
        """Words of the same clause that nothing explains."""
        tokens = self.words.lookup.tokens
        said = {at for span in (*self.words.roles, *self.words.facets) for at in range(*span)}
        named = {at for m in self.words.lookup.mentions if m.match != "fuzzy" for at in range(m.span.first, m.span.last)}
        others = (at for at in range(len(tokens)) if tokens[at].clause == tokens[first].clause and not first <= at < last)
        return [at for at in others if at not in said and at not in named]

    def _facets_outside(self, first: int, last: int) -> int:
        """How many facet phrases, counted without overlaps, stand outside a span."""
        spans = sorted(
            (span for span in self.words.facets if span[1] <= first or last <= span[0]), key=lambda span: span[0] - span[1]
        )
        taken: list[tuple[int, int]] = []
        for span in spans:
            if all(span[1] <= other[0] or other[1] <= span[0] for other in taken):
                taken.append(span)
        return len(taken)

    @cached_property
    def _names_only(self) -> bool:
        """Whether the request is names and the words around them, and asks for no kind of music but a version of a title."""
        spans = [(m.span.first, m.span.last) for m in self.words.lookup.mentions]
        versions = {at for span, facets in self.words.facets.items() if facets[0][0] == "version" for at in range(*span)}
        named = {position for span in spans for position in range(*span)} | versions
        within = {span for span in self.words.facets for name in spans if _is_part(span, name)}
        described = {position for span in self.words.facets.keys() - within for position in range(*span)} - versions
        if not named - versions:
            return False
        linking = {
            at for (first, last), roles in self.words.roles.items() if not _LINKING.isdisjoint(roles) for at in range(first, last)
        }
        return not self.words.asks_for_list and not described and len(named | linking) == len(self.words.lookup.tokens)

    def _commonness(self, mention: Mention, *, marked: bool) -> float:
        """Everyday words are seldom names: unless the context marks them, they count for less (L2's rule, in code)."""
        first, last = mention.span.first, mention.span.last
        if mention.span.possessive or marked or not self.words.settings.rules:
            return 1.0
        if self.words.is_everyday(first, last):
            return _EVERYDAY
        if (first, last) in self.words.facets:
            return _FACET_WORD_ARTIST if mention.entity_type == "artist" else _FACET_WORD_TITLE
        return _FACET_WORD_TITLE if mention.match == "fuzzy" else 1.0

    def _context(self, mention: Mention) -> float:
        """How much the words around a mention speak for a name."""
        first, last = mention.span.first, mention.span.last
        tokens = self.words.lookup.tokens
        bonus = self._type_word(first, last, mention.entity_type)
        if (tokens[first].start, tokens[last - 1].end) in self.words.quoted:
            bonus += _QUOTED_BONUS
        if self._is_whole(first, last) and not self._describes(first, last):
            bonus += _WHOLE_BONUS
        before = {role for (_, end), roles in self.words.roles.items() if end == first for role in roles}
        if (
            ("by" in before or self._is_of(first, last))
            and mention.entity_type == "artist"
            and not self.words.is_number(first, last)
        ):
            bonus += _BY_BONUS
        titled = self._describes_too(first, last) and not self.words.asks_for_list and not self._is_plain_genre(mention)
        if mention.entity_type != "artist" and titled and self.words.named_after(last):
            bonus += _BY_BONUS  # "Africa by …" is a title
        if "similar" in before and not self.words.is_everyday(first, last):
            bonus += _SIMILAR_BONUS
        bonus += _CAPITAL_BONUS * self._company_of(mention)
        if first > 0 and self._is_capitalised(mention):
            bonus += _CAPITAL_BONUS
        if self._excluded_by_name(first) and self._can_be_excluded(mention):
            bonus += _BY_BONUS
        return bonus

    def _company_of(self, mention: Mention) -> float:
        """How much speaks for an artist by what stands beside: a list of artists, a word for music, a word on who that is."""
        first, last = mention.span.first, mention.span.last
        if mention.entity_type != "artist" or self.words.is_everyday(first, last):
            return 0.0
        character = last - first == 1 and self.words.lookup.tokens[first].cjk
        headed = self.words.followed_by(last, "head") and not character
        presented = _SIMILAR_BONUS / _CAPITAL_BONUS if self._is_presented(last) else 0.0
        return self.company.is_listed(mention) + headed + presented

    def _is_of(self, first: int, last: int) -> bool:
        """Whether "songs of" or the like stands right before."""
        before = first > 1 and self.words.lookup.tokens[first - 1].key == "of"
        described = any(first <= start and end <= last for start, end in self.words.facets)
        return (
            before and not described and any(end == first - 1 and "head" in roles for (_, end), roles in self.words.roles.items())
        )

    def _is_presented(self, last: int) -> bool:
        """Whether what follows says who the artist is or starts from them ("emahoy the nun", "death the band", "老狼那种")."""
        if self.words.followed_by(last, "alike"):
            return True
        if self.words.next_key(last) not in ARTICLES:
            return False
        ahead = range(last + 1, min(last + _FAR, len(self.words.lookup.tokens)))
        return any("artist_word" in self.words.roles.get((at, at + 1), ()) for at in ahead)

    def _is_of_a_named_artist(self, mention: Mention) -> bool:
        """Whether a title is by somebody who is named elsewhere in the request ("radiohead, but not creep")."""
        if mention.entity_type != "track":
            return False
        span = mention.span
        artists = [m for m in self.words.lookup.mentions if m.entity_type == "artist"]
        rows = {m.posting.row for m in artists if m.span.last <= span.first or span.last <= m.span.first}
        credits = {credit.artist_id for credit in self.words.index.track(mention.posting.row).track.artists}
        return any(self.words.index.artist(row).artist.artist_id in credits for row in rows)

    def _excluded_by_name(self, first: int) -> bool:
        """Whether a negation stands right before, maybe with a `by` word between ("but not from Play")."""
        ends = {end: start for (start, end), roles in self.words.roles.items() if "by" in roles}
        starts = {first, ends.get(first, first)}
        return any(end in starts and "negation" in roles for (_, end), roles in self.words.roles.items())

    def _can_be_excluded(self, mention: Mention) -> bool:
        """Whether what is ruled out is a name: written so, of a named artist, or an artist whose name is no word of talk."""
        span = mention.span
        rare = (
            mention.entity_type == "artist"
            and self.talk.frequency(span.first) < _NOUN
            and not self.talk.lookup.tokens[span.first].cjk
        )
        return span.surface[:1].isupper() or self._is_of_a_named_artist(mention) or rare

    def _is_capitalised(self, mention: Mention) -> bool:
        if self.words.lookup.request.isupper():
            return False
        words = mention.span.surface.split()
        if self.words.is_everyday(mention.span.first, mention.span.last):
            return len(mention.span.key) >= _LONG_WORD and all(word[:1].isupper() for word in words)
        return words[0][:1].isupper()

    def _describes(self, first: int, last: int) -> bool:
        """Whether the span names a kind of music rather than a place or a time, so that it asks for that kind."""
        return any(facet not in _NAME_LIKE_FACETS for facet, _ in self.words.facets.get((first, last), ()))

    def _is_whole(self, first: int, last: int) -> bool:
        """Whether everything outside the span is command or filler: the request is this name and nothing else.

        Around an everyday word only a command may stand ("play hello"), or the word is part of the phrasing.
        """
        if (
            first == 0
            and (first, last) in self.words.roles
            and "command" in self.words.roles[(first, last)]
            and last < len(self.words.lookup.tokens)
        ):
            return False  # the command that opens the request
        frame = self.words.commands if self.words.is_everyday(first, last) else self.words.frame
        outside = [position for position in range(len(self.words.lookup.tokens)) if not first <= position < last]
        return all(position in frame for position in outside)

    def _type_word(self, first: int, last: int, entity_type: EntityType) -> float:
        bonus = 0.0
        for (start, end), roles in self.words.roles.items():
            if end != first and start != last:
                continue
            for role in roles:
                after = role in ("album_word", "artist_word") and not self.words.is_everyday(first, last)
                if role in TYPE_WORDS and (end == first or after):
                    bonus += _TYPE_WORD_BONUS if TYPE_WORDS[role] == entity_type else -_TYPE_WORD_BONUS
        return bonus


def _is_part(span: tuple[int, int], whole: tuple[int, int]) -> bool:
    """Whether a span lies within a longer one."""
    return whole[0] <= span[0] and span[1] <= whole[1] and span != whole
