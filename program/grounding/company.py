"""Everyday words beside a name that nobody can mistake: "Metallica radio", "queue Piano Man by Billy Joel next"."""

from __future__ import annotations

from functools import cached_property

from data.vocab.request_words import RequestRole
from program.grounding.frame import RequestFrame
from program.grounding.lookup import Mention
from program.grounding.spans import SpanKey
from program.grounding.talk import Talk

_SAID, _TOLD = 4.0, 4.3
"""Zipf frequencies: from the first on a word is one that people talk with; below the second one of several makes a name."""
_LONGEST = 2
_LEADING: frozenset[RequestRole] = frozenset({"by", "negation", "similar", "track_word", "album_word", "artist_word"})
_JOINING = frozenset(
    "and or then plus with vs versus feat ft featuring x y e et und en och ve & + 和 及 与 與 跟 或 랑 と".split()
)


class Company:
    """What the clear names of one request say of the other words in it."""

    def __init__(self, words: RequestFrame, talk: Talk) -> None:
        self.words, self.talk = words, talk

    def makes_talk_of(self, mention: Mention) -> bool:
        """Whether a mention is a word or two of talk: nothing joins it to the clear name that the request has elsewhere."""
        first, last = mention.span.first, mention.span.last
        if last - first > _LONGEST or self._is_written(mention) or self.is_led_to(first) or not self._is_said(mention):
            return False
        clear = [other for other in self._clear if other.span.last <= first or last <= other.span.first]
        return bool(clear) and not any(self._is_joined(mention, other) or self._is_theirs(mention, other) for other in clear)

    @cached_property
    def _clear(self) -> list[Mention]:
        """Names that no everyday words make up, as they are spelt."""
        return [mention for mention in self.words.lookup.mentions if mention.match != "fuzzy" and self._is_clear(mention)]

    def _is_clear(self, mention: Mention) -> bool:
        first, last = mention.span.first, mention.span.last
        if self.words.is_everyday(first, last) or (first, last) in self.words.facets:
            return False
        if all(token.cjk for token in self.words.lookup.tokens[first:last]):
            return last - first > 1 and self.talk.is_hardly_said(first, last)
        rarest = min(self.talk.frequency(at) for at in range(first, last))
        return self.talk.has_rare_word(first, last) or (last - first > 1 and rarest < _TOLD)

    def _is_said(self, mention: Mention) -> bool:
        first, last = mention.span.first, mention.span.last
        if (first, last) in self.words.facets or self.words.is_everyday(first, last):
            return True
        if mention.match == "fuzzy" and last - first == 1:
            return True
        if mention.span.possessive and mention.entity_type == "artist":
            return False
        if any(token.cjk for token in self.words.lookup.tokens[first:last]):
            return self.talk.is_common_cjk(first, last)
        person = mention.entity_type == "artist" and last - first > 1
        least = self.words.settings.everyday_zipf if person else _SAID
        return all(self.talk.frequency(at) >= least for at in range(first, last))

    def is_listed(self, mention: Mention) -> bool:
        """Whether an artist stands beside a clear one of the same list ("Amanaz + Witch", "Mariah, Wham")."""
        if mention.entity_type != "artist" or self.words.is_everyday(mention.span.first, mention.span.last):
            return False
        first, last = mention.span.first, mention.span.last
        return any(self._lists(span.last, first) or self._lists(last, span.first) for span in self._clear_artists)

    def _lists(self, end: int, start: int) -> bool:
        """Whether tokens [end, start) are one word for "and", or there is only a comma between."""
        tokens = self.words.lookup.tokens
        if start == end:
            return "," in self.words.lookup.request[tokens[end - 1].end : tokens[start].start]
        return start == end + 1 and tokens[end].key in _JOINING

    def is_led_to(self, first: int) -> bool:
        """Whether a word right before says that a name follows."""
        return first in self._led

    @cached_property
    def _led(self) -> frozenset[int]:
        return frozenset(end for (_, end), roles in self.words.roles.items() if not _LEADING.isdisjoint(roles))

    @cached_property
    def _clear_artists(self) -> list[SpanKey]:
        return list(dict.fromkeys(other.span for other in self._clear if other.entity_type == "artist"))

    def _is_written(self, mention: Mention) -> bool:
        """Whether capitals say that it is a name."""
        first, last = mention.span.first, mention.span.last
        return first > 0 and self.talk.is_capitalised(first, last)

    def _is_joined(self, mention: Mention, other: Mention) -> bool:
        """Whether a word for "and" stands at its side, or only a comma between two names of one kind."""
        tokens, (first, last) = self.words.lookup.tokens, (mention.span.first, mention.span.last)
        before = tokens[first - 1].key if first else ""
        after = tokens[last].key if last < len(tokens) else ""
        if before in _JOINING or after in _JOINING:
            return True
        touching = other.span.last == first or last == other.span.first
        return touching and other.entity_type == mention.entity_type

    def _is_theirs(self, mention: Mention, other: Mention) -> bool:
        """Whether a title is by the artist that is named."""
        if mention.entity_type != "track" or other.entity_type != "artist":
            return False
        artist_id = self.words.index.artist(other.posting.row).artist.artist_id
        return any(credit.artist_id == artist_id for credit in self.words.index.track(mention.posting.row).track.artists)
