"""The language a request is written in, as far as its script and commonest words tell."""

from __future__ import annotations

import re

from data.names import name_key
from data.vocab.request_words import opening_words

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
_WORDS = {
    "es": {"pon", "quiero", "canciones", "música", "una", "para", "de", "algo", "escuchar", "canción"},
    "fr": {"mets", "joue", "chansons", "musique", "une", "des", "pour", "écouter", "veux", "chanson"},
    "de": {"spiel", "spiele", "lieder", "musik", "von", "und", "für", "hören", "ein", "bitte"},
    "pt": {"toca", "tocar", "músicas", "quero", "uma", "para", "ouvir", "do", "da"},
    "it": {"metti", "canzoni", "musica", "voglio", "di", "ascoltare", "una", "per"},
}
_ENOUGH = 2


def request_locale(request: str) -> str:
    """ISO 639-1 code; `en` when nothing speaks for another language. Mixed scripts: the first of the table wins."""
    for script, locale in _SCRIPTS:
        if script.search(request):
            return locale
    spoken = request.casefold().split()
    opened = opening_words().get(name_key(spoken[0])) if spoken else None
    if opened is not None:
        return opened
    words = set(spoken)
    best = max(_WORDS, key=lambda locale: len(words & _WORDS[locale]))
    return best if len(words & _WORDS[best]) >= _ENOUGH else "en"
