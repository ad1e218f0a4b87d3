"""What is left of a request when its names and facet words are taken out: two requests of one template leave the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from data.labelled import LabelledRow
from data.names import has_cjk, name_form, name_key
from data.vocab.loader import facet_words, load_vocabularies

_GAP = "_"
_LONGEST = 5
_NUMBER = re.compile(r"\d+")


def skeleton(row: LabelledRow) -> str:
    """The request with names, vocabulary words and numbers as gaps, in lower case without punctuation."""
    text = row.request
    for surface in sorted(set(row.surfaces), key=len, reverse=True):
        text = text.replace(surface, f" {_GAP} ")
    words = _spaced(text).split()
    kept = (word for word in _without_facets(words) if word == _GAP or any(map(str.isalnum, word)))
    return re.sub(r"(_ )+_", _GAP, _NUMBER.sub(_GAP, " ".join(kept)))


def normal_request(text: str) -> str:
    """The key under which two requests are the same: case, accents, punctuation, spacing and script do not count."""
    return name_key(text)


def _spaced(text: str) -> str:
    """The normal form with gaps kept, and words of scripts without spaces cut where a vocabulary word stands."""
    parts = [name_form(part) if part.strip() else "" for part in text.split(_GAP)]
    joined = f" {_GAP} ".join(parts)
    if has_cjk(joined):
        for word in _unspaced_words():
            joined = joined.replace(word, f" {_GAP} ")
    return joined


def _without_facets(words: list[str]) -> Iterable[str]:
    known, at = facet_words(), 0
    while at < len(words):
        for end in range(min(at + _LONGEST, len(words)), at, -1):
            if name_key(" ".join(words[at:end])) in known:
                yield _GAP
                at = end
                break
        else:
            yield words[at]
            at += 1


@cache
def _unspaced_words() -> tuple[str, ...]:
    """Vocabulary words of two or more CJK characters, longest first, in their normal form."""
    words = {
        name_form(word)
        for vocabulary in load_vocabularies().values()
        for concept in vocabulary.concepts.values()
        for word in concept.words
        if has_cjk(word) and len(word) > 1
    }
    return tuple(sorted(words, key=lambda word: (-len(word), word)))
