"""Names as people write them, brought to one key.

`name_key` is what an index stores and what a request's words are looked up by. Everything that differs only in case,
accents, punctuation, spacing, `&`/and, digits/number words or Chinese script gets one key; spellings that need more
(transliteration, stylised letters, leading articles, roman numerals, version suffixes) are extra keys of the *name*,
made once when an index is built, so that a request costs one key a span.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Literal

import opencc
from anyascii import anyascii

from data.numberwords import words_to_digits

KeyKind = Literal["exact", "normalised", "transliterated"]

_APOSTROPHES = re.compile(r"['’‘ʼ`´ʻ]")
_ACRONYM = re.compile(r"\b(?:\w\.){2,}(?:\w\b)?")
_NOT_WORD = re.compile(r"[^\w]+|_+")
_PLUS = re.compile(r"(?<=\w)\s+\+\s+(?=\w)")
_N_BETWEEN = re.compile(r"(?<=\w) n (?=\w)")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_MAY_HAVE_SUFFIX = re.compile(r"[(\[（【]|\s[-–—]\s|\s(?:feat|ft)\b", re.IGNORECASE)
_MAY_BE_STYLISED = re.compile(r"[^\W\d_][!$@0-9]|[!$@0-9][^\W\d_]")
_PLAIN = re.compile(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*")
_REMEMBERED = 1 << 16
_ARTICLE = re.compile(r"^(?:the|a|an|les?|la|los|las|el|die|der|das) (?=\w)")
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10"}
_STYLISED = str.maketrans({"!": "i", "$": "s", "@": "a", "5": "s", "3": "e", "0": "o", "1": "i", "7": "t"})
_STYLISED_TOKEN = re.compile(r"(?=\S*[^\W\d_])(?=\S*[!$@0-9])[\w!$@]+")
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
    """The readable normal form: lower case, no accents, single spaces, `and` for `&`, simplified Chinese.

    A text of punctuation only ("!!!") keeps its characters; so a non-blank text never has an empty form.
    """
    if _PLAIN.fullmatch(text):
        return _N_BETWEEN.sub(" and ", text.lower())
    folded = whole = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        folded = _plain_letters(simplified(folded))
    stripped = _ACRONYM.sub(lambda match: match.group().replace(".", ""), _APOSTROPHES.sub("", folded))
    joined = _PLUS.sub(" and ", stripped.replace("&", " and "))
    form = _N_BETWEEN.sub(" and ", _NOT_WORD.sub(" ", joined).strip())
    return form or "".join((folded or whole).split())


@lru_cache(maxsize=_REMEMBERED)
def name_key(text: str) -> str:
    """The key of a name or of a request's words: the normal form in digits, without spaces. At most 200 characters."""
    return words_to_digits(name_form(text)).replace(" ", "")[:200]


@lru_cache(maxsize=_REMEMBERED)
def base_title(title: str) -> str:
    """`title` without trailing version or guest remarks: "Purple Rain (Live)" → "Purple Rain"; never empty."""
    if not _MAY_HAVE_SUFFIX.search(title):
        return title
    base = title
    while (shorter := _SUFFIX.sub("", base)) and shorter != base:
        base = shorter
    return base


def _romanised(name: str) -> Iterator[str]:
    if _HAN.search(name) and not _KANA.search(name):
        from pypinyin import lazy_pinyin  # its phrase table takes half a second to load

        yield "".join(lazy_pinyin(simplified(name)))
    if not name.isascii():
        yield anyascii(name)
    if _KANA.search(name) and (reading := japanese_reading(name)):
        yield reading


@cache
def _kakasi() -> Any:
    try:
        import pykakasi  # extra `japanese`: GPL-3.0, so never a plain dependency
    except ImportError:
        return None
    return pykakasi.kakasi()


def japanese_reading(name: str) -> str | None:
    """Hepburn reading of kanji and kana; None without the extra `japanese`."""
    kakasi = _kakasi()
    if kakasi is None:
        return None
    return "".join(part["hepburn"] for part in kakasi.convert(name))


def _respelled(form: str, name: str) -> Iterator[str]:
    """Other spellings of one name that a request may use, as forms."""
    without_article = _ARTICLE.sub("", form)
    if without_article not in (form, "the"):
        yield without_article
    tokens = form.split(" ")
    if len(tokens) > 1 and tokens[-1] in _ROMAN:
        yield " ".join([*tokens[:-1], _ROMAN[tokens[-1]]])
    if not _MAY_BE_STYLISED.search(name):
        return
    folded = name.casefold()
    plain = _STYLISED_TOKEN.sub(lambda match: match.group().translate(_STYLISED), folded)
    if plain != folded:
        yield name_form(plain)


def key_variants(name: str) -> dict[str, KeyKind]:
    """Every key that finds `name`, each with how far it is from the name as written. The name's own key comes first."""
    form = name_form(name)
    keys: dict[str, KeyKind] = {words_to_digits(form).replace(" ", "")[:200]: "exact"}
    if name.isascii() and name.isalpha():
        return keys  # one plain word has one spelling
    for other in (base_title(name), *_respelled(form, name)):
        keys.setdefault(name_key(other), "normalised")
    if not form.isascii():
        for roman in _romanised(name):
            keys.setdefault(name_key(roman), "transliterated")
    keys.pop("", None)
    return keys
