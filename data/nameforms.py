"""Forms and keys: names as people write them, brought to one key. Import them from `data.names`.

`name_key` is what an index stores and what a request's words are looked up by. Everything that differs only in case,
accents, punctuation, spacing, `&`/and, digits/number words, kana or Chinese script gets one key. Spellings that need more
(transliteration, stylised letters, leading articles, roman numerals, version suffixes …) are further keys of the *name*
(`data/names.py`), made once when an index is built, so that a request costs one key a span.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

import opencc
from anyascii import anyascii

from data.numberwords import NUMBER_WORDS, words_to_digits

_APOSTROPHES = re.compile(r"['’‘ʼ`´ʻ]")
_ACRONYM = re.compile(r"\b(?:\w\.){2,}(?:\w\b)?")
_NOT_WORD = re.compile(r"[^\w]+|_+")
_PLUS = re.compile(r"(?<=\w)\s+\+\s+(?=\w)")
_AND_BETWEEN = re.compile(r"(?<=\w )n(?= \w)|(?<=\w\w )(?:und|y|et)(?= \w\w)")
_MAY_CHANGE = NUMBER_WORDS | {"n", "und", "y", "et"}
"""Words that are written another way in a key, given the right neighbours."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_MAY_HAVE_SUFFIX = re.compile(r"[(\[（【]|\s[-–—]\s|\s(?:feat|ft)\b", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
_REMEMBERED = 1 << 16
_TO_KATAKANA = {code: code + 0x60 for code in (*range(0x3041, 0x3097), 0x309D, 0x309E)}
_SUFFIX = re.compile(r"\s*(?:[(\[（【][^()\[\]（）【】]*[)\]）】]|\s[-–—]\s.*|\s(?:feat|ft)\.?\s.*)\s*$", re.IGNORECASE)


@cache
def _to_simplified() -> opencc.OpenCC:
    return opencc.OpenCC("t2s")


def has_cjk(text: str) -> bool:
    """Whether `text` holds Chinese, Japanese or Korean characters."""
    return bool(_CJK.search(text))


def simplified(text: str) -> str:
    """`text` with traditional Chinese characters replaced by simplified ones."""
    return _to_simplified().convert(text) if _HAN.search(text) else text


def _plain_letters(text: str) -> str:
    """Strip accents and expand letters such as ø, þ, ß; scripts other than Latin keep their letters without marks."""
    out = []
    for char in unicodedata.normalize("NFD", text):
        code = ord(char)
        if code < 128 or _CJK.match(char):
            out.append(char)
        elif unicodedata.combining(char):
            if char in "\u3099\u309a":  # the voicing marks are part of a kana
                out.append(char)
        elif code < 0x250 and char.isalpha():
            out.append(anyascii(char).lower())
        else:
            out.append(char)
    return unicodedata.normalize("NFC", "".join(out))


@lru_cache(maxsize=_REMEMBERED)
def name_form(text: str) -> str:
    """The readable normal form: lower case, no accents, single spaces, `and` for `&`, 'n', und, y, et, simplified Chinese.

    A text of punctuation only ("!!!") keeps its characters; so a non-blank text never has an empty form.
    """
    if _PLAIN.fullmatch(text):
        return _AND_BETWEEN.sub("and", text.lower())
    folded = whole = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        folded = _plain_letters(simplified(folded))
    stripped = _ACRONYM.sub(lambda match: match.group().replace(".", ""), _APOSTROPHES.sub("", folded))
    joined = _PLUS.sub(" and ", stripped.replace("&", " and "))
    form = _AND_BETWEEN.sub("and", _NOT_WORD.sub(" ", joined).strip())
    return form or "".join((folded or whole).split())


@lru_cache(maxsize=_REMEMBERED)
def name_key(text: str) -> str:
    """The key of a name or of a request's words: the normal form in digits, without spaces. At most 200 characters."""
    key = words_to_digits(name_form(text)).replace(" ", "")[:200]
    return key if key.isascii() else key.translate(_TO_KATAKANA)


def joined_key(forms: Sequence[str]) -> str:
    """The name key of words that are in normal form already, one after the other."""
    if _MAY_CHANGE.isdisjoint(forms):
        return form_key("".join(forms))
    return form_key(words_to_digits(_AND_BETWEEN.sub("and", " ".join(forms))))


def form_key(form: str) -> str:
    """`form` as a key, its number words left as they are: katakana for hiragana, no spaces, at most 200 characters."""
    key = form.replace(" ", "")[:200]
    return key if key.isascii() else key.translate(_TO_KATAKANA)


@lru_cache(maxsize=_REMEMBERED)
def base_title(title: str) -> str:
    """`title` without trailing version or guest remarks: "Purple Rain (Live)" → "Purple Rain"; never empty."""
    if not _MAY_HAVE_SUFFIX.search(title):
        return title
    base = title
    while (shorter := _SUFFIX.sub("", base)) and shorter != base:
        base = shorter
    return base
