"""The words of everyday language, so that a slip of one of them is not taken for a slip of a name."""

from __future__ import annotations

from functools import cache

from wordfreq import get_frequency_dict

from data.nameforms import name_form

_LEAST = {"en": 3.0, "de": 4.0, "es": 4.0, "fr": 4.0, "it": 4.0, "nl": 4.0, "pt": 4.0, "sv": 4.0}
"""Language → Zipf frequency from which a word counts (`data/commonwords.py`); own choice: English whole, others the commonest."""
_PER_BILLION = 9.0


@cache
def everyday_words() -> frozenset[str]:
    """Some 60,000 words in normal form; loading them takes half a second."""
    found: set[str] = set()
    for language, zipf in _LEAST.items():
        least = 10 ** (zipf - _PER_BILLION)
        found.update(name_form(word) for word, frequency in get_frequency_dict(language, "small").items() if frequency >= least)
    return frozenset(word for word in found if word.isalpha())
