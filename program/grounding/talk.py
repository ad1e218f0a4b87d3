"""Which unknown words of a request look like a name, and which are words that people talk with in its language."""

from __future__ import annotations

from data.commonwords import zipf
from data.names import simplified
from program.grounding.frame import RequestFrame

_TALK = 3.5
_RARE = 3.2
"""Zipf frequency below which a word is one of a name, wherever it stands (own choice)."""
_UNUSUAL = 4.3
_COMMON = 4.5
"""Zipf frequency from which a word is one that people talk with, not one that names are made of (own choice)."""
_SMALL_WORD = 5.8
_SHORT_NAME = 3
_NOUNS_ARE_CAPITALISED = "de"


class Talk:
    """Judges spans of one request; a word counts as common when it is so in English or in the request's language."""

    def __init__(self, frame: RequestFrame) -> None:
        self.lookup = frame.lookup
        self.locale = frame.locale

    def frequency(self, position: int) -> float:
        """Zipf frequency of a word; 0 for a CJK character, which is no word."""
        token = self.lookup.tokens[position]
        return 0.0 if token.cjk else max(zipf(token.key), zipf(token.text.casefold(), self.locale))

    def is_talk(self, first: int, last: int) -> bool:
        """Whether all words of a span are ones that people talk with, none written as a name."""
        written = any(self._is_written_as_name(at) for at in range(first, last))
        return not written and all(self.lookup.tokens[at].cjk or self.frequency(at) >= _TALK for at in range(first, last))

    def is_uncommon(self, first: int, last: int) -> bool:
        """Whether a span holds a word that people do not talk with, or is written as a name."""
        return self.is_capitalised(first, last) or any(self.frequency(at) < _COMMON for at in range(first, last))

    def is_rare(self, first: int, last: int) -> bool:
        """Whether nothing but a name has these words: one is hardly ever used, or few are unusual and none is small."""
        words = [self.frequency(at) for at in range(first, last)]
        if self._says_name(first, last) or min(words) < _RARE:
            return True
        return 1 < len(words) <= _SHORT_NAME and min(words) < _UNUSUAL and max(words) < _SMALL_WORD

    def is_hardly_said(self, first: int, last: int) -> bool:
        """Whether people hardly ever use these words but as a name; Chinese characters count together."""
        tokens = self.lookup.tokens[first:last]
        if all(token.cjk for token in tokens):
            said = "".join(token.text for token in tokens)
            return last - first > 1 and max(zipf(said, "zh"), zipf(simplified(said), "zh"), zipf(said, "ja")) < _RARE
        return self.has_rare_word(first, last)

    def is_common_cjk(self, first: int, last: int) -> bool:
        """Whether Chinese or Japanese characters are one character, or together a word of everyday language."""
        said = "".join(token.text for token in self.lookup.tokens[first:last])
        return last - first == 1 or max(zipf(said, "zh"), zipf(simplified(said), "zh"), zipf(said, "ja")) >= _TALK

    def has_rare_word(self, first: int, last: int) -> bool:
        """Whether one of the words is hardly ever used."""
        return any(self.frequency(at) < _RARE for at in range(first, last))

    def is_capitalised(self, first: int, last: int) -> bool:
        """Whether each word is capitalised in a request that is not all capitals; the first word of all says nothing."""
        words = [self.lookup.tokens[at].text for at in range(first, last)]
        tells = (first > 0 or len(words) > 1) and not self.lookup.request.isupper()
        return tells and all(word[:1].isupper() for word in words)

    def _says_name(self, first: int, last: int) -> bool:
        """Whether the capitals say that it is a name: those of German nouns do not."""
        talk = self.locale == _NOUNS_ARE_CAPITALISED and all(self.frequency(at) >= _TALK for at in range(first, last))
        return self.is_capitalised(first, last) and not talk

    def _is_written_as_name(self, position: int) -> bool:
        text = self.lookup.tokens[position].text
        written = text[:1].isupper() and not self.lookup.request.isupper()
        return written and not (self.locale == _NOUNS_ARE_CAPITALISED and self.frequency(position) >= _TALK)
