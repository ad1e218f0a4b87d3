"""How common a word is in everyday language: what tells a name from the words that people talk with.

Frequencies are those of the package wordfreq (its small lists, frozen in 2021 on purpose: newer text is too much written
by machines). Zipf scale: the base-10 logarithm of occurrences per billion words; `the` has 7.7, `love` 6.0, `thunder` 4.3,
`radiohead` 3.0.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

from wordfreq import available_languages, get_frequency_dict

_UNIT = 9.0


@cache
def _frequencies(language: str) -> dict[str, float]:
    known = available_languages("small")
    return get_frequency_dict(language, "small") if language in known else {}


@lru_cache(maxsize=65_536)
def zipf(word: str, language: str = "en") -> float:
    """Zipf frequency of one word (lower case), 0..8; 0.0 when it is not in the list or the language has none.

    Args:
        language: ISO 639-1.
    """
    frequency = _frequencies(language).get(word)
    return max(0.0, math.log10(frequency) + _UNIT) if frequency else 0.0
