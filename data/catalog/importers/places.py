"""Countries and languages as sources write them, brought to ISO codes."""

from __future__ import annotations

import re
from functools import cache

import langcodes
import pycountry

from data.names import name_key
from data.vocab.loader import Vocabulary

_COUNTRY_WORDS = {
    "GB": "uk england scotland wales great-britain britain northern-ireland u.k.",
    "US": "america u.s. u.s.a.",
    "RU": "russia",
    "TR": "turkey",
    "KR": "korea s-korea",
    "CN": "mainland-china prc",
    "CI": "ivory-coast",
    "CV": "cape-verde",
    "CD": "dr-congo democratic-republic-of-congo zaire",
    "CG": "republic-of-the-congo",
    "CZ": "czech-republic",
    "MK": "macedonia",
    "SZ": "swaziland",
    "MM": "burma",
    "NL": "holland the-netherlands",
    "AE": "uae",
    "PS": "palestine",
    "VA": "vatican",
    "XK": "kosovo xk",
    "GM": "the-gambia",
    "BS": "the-bahamas",
    "BN": "brunei",
    "FK": "falkland-islands",
    "VI": "us-virgin-islands",
    "FM": "micronesia",
    "TL": "east-timor",
}
_LANGUAGE_WORDS = {
    "zh": "mandarin putonghua",
    "yue": "cantonese",
    "nan": "hokkien taiwanese",
    "el": "greek",
    "fa": "persian farsi",
    "sw": "swahili",
    "ms": "malay",
    "ne": "nepali",
    "or": "odia oriya",
    "pa": "punjabi",
    "no": "norwegian",
    "tl": "tagalog filipino",
    "km": "khmer",
    "oc": "occitan",
    "ps": "pashto",
    "kbp": "kabiye",
}
_NO_LANGUAGE = frozenset({"zxx", "und", "mul", "mis", "none", "unknown", "instrumental", "[no lyrics]"})
_PREFERRED = {"nb": "no", "nn": "no", "fil": "tl"}
_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")


def _keyed(words: dict[str, str]) -> dict[str, str]:
    return {name_key(word): code for code, line in words.items() for word in line.split()}


@cache
def _countries() -> dict[str, str]:
    """Name key of every code and name → ISO 3166-1 alpha-2."""
    keys: dict[str, str] = {}
    for country in pycountry.countries:
        names = (country.name, getattr(country, "common_name", None), getattr(country, "official_name", None))
        for word in (country.alpha_2, country.alpha_3, *filter(None, names)):
            keys.setdefault(name_key(word), country.alpha_2)
    return _keyed(_COUNTRY_WORDS) | keys


@cache
def _languages() -> dict[str, str]:
    """Name key of every language name → ISO 639-1 code, or 639-3 where there is none."""
    keys: dict[str, str] = {}
    for language in sorted(pycountry.languages, key=lambda item: not hasattr(item, "alpha_2")):
        keys.setdefault(name_key(language.name), _short(language.alpha_3) or language.alpha_3)
    return keys | _keyed(_LANGUAGE_WORDS)


def _short(tag: str) -> str | None:
    """The language of a BCP 47 tag in its shortest code, Mandarin as `zh`, Norwegian as `no`; None when unknown."""
    if not _TAG.fullmatch(tag):
        return None
    try:
        code = langcodes.get(tag.replace("_", "-")).language
        wider = langcodes.get(langcodes.standardize_tag(code, macro=True)).language if code and len(code) == 3 else None
    except ValueError:
        return None
    if not code or not langcodes.tag_is_valid(code):
        return None
    return _PREFERRED.get(code) or (wider if wider and len(wider) == 2 else code)


class Places:
    """Region and language words to codes, looked up once a word.

    Args:
        regions: vocabulary whose words count too where the concept's id is a code (it holds Chinese names).
        languages: the same for languages.
    """

    def __init__(self, regions: Vocabulary | None, languages: Vocabulary | None) -> None:
        self._regions_vocabulary = regions
        self._languages_vocabulary = languages
        self._region_of: dict[str, str | None] = {}
        self._language_of: dict[str, str | None] = {}

    def region(self, word: str) -> str | None:
        """ISO 3166-1 alpha-2 of a code (alpha-2, alpha-3) or name; None when unknown."""
        if word not in self._region_of:
            self._region_of[word] = self._find_region(word)
        return self._region_of[word]

    def _find_region(self, word: str) -> str | None:
        code = _countries().get(name_key(word))
        if code is None and self._regions_vocabulary is not None:
            found = self._regions_vocabulary.find(word) or ""
            code = _countries().get(found.casefold()) if len(found) == 2 else None
        return code

    def language(self, word: str) -> str | None:
        """ISO 639-1, or 639-3 where there is none, of a code, tag or name; None when unknown or not a language."""
        if word not in self._language_of:
            self._language_of[word] = None if self.says_no_language(word) else self._find_language(word)
        return self._language_of[word]

    def _find_language(self, word: str) -> str | None:
        if code := _short(word):
            return code
        found = self._languages_vocabulary.find(word) if self._languages_vocabulary is not None else None
        return (_short(found) if found else None) or _languages().get(name_key(word))

    @staticmethod
    def says_no_language(word: str) -> bool:
        """Whether `word` says that there is no language, an unknown one or many."""
        return word.casefold() in _NO_LANGUAGE
