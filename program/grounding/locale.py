"""The language a request is written in, as far as its script and commonest words tell."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from data.commonwords import zipf
from data.names import name_key
from data.vocab.loader import local_words
from data.vocab.request_words import RequestRole, asking_words, opening_words, request_words

_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_SCRIPTS = (
    (_KANA, "ja"),
    (_HANGUL, "ko"),
    (_HAN, "zh"),
    (re.compile(r"[\u0400-\u04ff]"), "ru"),
    (re.compile(r"[\u0600-\u06ff]"), "ar"),
    (re.compile(r"[\u0370-\u03ff]"), "el"),
    (re.compile(r"[\u0590-\u05ff]"), "he"),
    (re.compile(r"[\u0e00-\u0e7f]"), "th"),
    (re.compile(r"[\u0900-\u097f]"), "hi"),
)
_SIGNS, _LEAST_WORDS, _MOST_WORDS = ".,;:!?\"'()…", 2, 40
_REMEMBERED = 32
"""Requests whose language is remembered: each is asked for it several times."""
_LATIN = ("de", "es", "fr", "it", "pt", "nl", "tr", "pl", "sv")
_LONGEST_OPENING = 3
_ENGLISH_ENOUGH = 4.3
"""Mean Zipf frequency of the words from which a request reads as English without a look at other languages."""
_SMALL: frozenset[RequestRole] = frozenset({"filler", "by", "between", "after", "before"})
"""Roles of English words that stand in the names of styles too ("drum and bass")."""
_RARE = 3.0
"""Zipf frequency in English below which a facet word of another language is a word of that language only."""
_AHEAD = 0.8
"""How far another language's mean must be ahead of English: names lie in every language's list."""


@lru_cache(maxsize=_REMEMBERED)
def request_locale(request: str) -> str:
    """ISO 639-1 code; `en` when nothing speaks for another language. Mixed scripts: the first of the table wins."""
    for script, locale in _SCRIPTS:
        if script.search(request):
            return locale
    spoken = request.casefold().split()
    words = [word.strip(_SIGNS) for word in spoken[:_MOST_WORDS]]
    return _opened_in(words) or _asked_in(words) or _described_in(words) or _spoken_in(words)


def _opened_in(words: list[str]) -> str | None:
    """The one language that opens requests with these words, the longest of them; one word alone may be a name."""
    if len(words) < _LEAST_WORDS:
        return None
    opening = opening_words()
    found = (opening.get(name_key(" ".join(words[:count]))) for count in range(min(_LONGEST_OPENING, len(words)), 0, -1))
    return next(filter(None, found), None)


def _asked_in(words: list[str]) -> str | None:
    """The language most of whose own words for asking are in a request, if there are two of them and fewer English ones."""
    counts = Counter(language for word in dict.fromkeys(words) for language in asking_words().get(name_key(word), ()))
    english = sum(name_key(word) in request_words() for word in words)
    ranked = counts.most_common(2)
    if not ranked or ranked[0][1] < max(_LEAST_WORDS, english) or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return None
    return ranked[0][0]


def _described_in(words: list[str]) -> str | None:
    """The language whose own facet words a request holds, if no English word asks for anything ("portekizce fado")."""
    keys = {name_key(word) for word in words}
    asks = any(not _SMALL.issuperset(request_words().get(key, ())) for key in keys)
    if len(words) < _LEAST_WORDS or asks:
        return None
    spoken = [local_words()[key] for key in keys if key in local_words() and zipf(key) < _RARE]
    counts = Counter(language for languages in spoken for language in languages)
    most = max(counts.values(), default=0)
    return max((found for found in counts if counts[found] == most), key=lambda found: _mean(words, found), default=None)


def _spoken_in(words: list[str]) -> str:
    """The language whose everyday words a request in Latin letters is made of."""
    if len(words) < _LEAST_WORDS:
        return "en"
    english = _mean(words, "en")
    if english >= _ENGLISH_ENOUGH:
        return "en"
    best = max(_LATIN, key=lambda language: _mean(words, language))
    return best if _mean(words, best) >= english + _AHEAD else "en"


def _mean(words: list[str], language: str) -> float:
    return sum(zipf(word, language) for word in words) / len(words)
