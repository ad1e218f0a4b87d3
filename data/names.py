"""Names as people write them: forms, keys, and every key that finds a name.

A name is found by its own key, by those of its other spellings, and by those of its letters in another script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from anyascii import anyascii

from data.nameforms import base_title, form_key, has_cjk, joined_key, name_form, name_key, simplified
from data.numberwords import words_to_digits
from data.respelling import respelled

__all__ = [
    "KeyKind",
    "base_title",
    "form_key",
    "has_cjk",
    "japanese_reading",
    "joined_key",
    "key_variants",
    "name_form",
    "name_key",
    "simplified",
]

_TWICE = re.compile(r"(.+?)\s*[(（]([^()（）]+)[)）]")
_REMARK = re.compile(
    r"\b(?:live|remix|mix|version|ver|feat|ft|edit|acoustic|remaster(?:ed)?|demo|cover|karaoke|instrumental|ost|from|theme)\b"
    r"|[现現][场場]|版|伴奏|主题曲|主題曲|翻唱|插曲"
)
KeyKind = Literal["exact", "normalised", "transliterated"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")


def key_variants(name: str) -> dict[str, KeyKind]:
    """Every key that finds `name`, each with how far it is from the name as written. The name's own key comes first."""
    form = name_form(name)
    keys: dict[str, KeyKind] = {name_key(name): "exact"}
    for other in (form, *respelled(name)):
        keys.setdefault(form_key(words_to_digits(other)), "normalised")
        keys.setdefault(form_key(other), "normalised")
    if not form.isascii():
        for roman in _romanised(name):
            keys.setdefault(name_key(roman), "transliterated")
        for part in _in_two_scripts(name):
            keys.setdefault(name_key(part), "normalised")
    keys.pop("", None)
    return keys


def _in_two_scripts(name: str) -> Iterator[str]:
    """Both parts of a name that says itself again in brackets and another script ("Teresa Teng (鄧麗君)")."""
    match = _TWICE.fullmatch(name.strip())
    if match and has_cjk(match[1]) != has_cjk(match[2]) and not _REMARK.search(name.casefold()):
        yield from match.groups()


def _romanised(name: str) -> Iterator[str]:
    if _HAN.search(name) and not _KANA.search(name):
        from pypinyin import lazy_pinyin  # its phrase table takes half a second to load

        yield "".join(lazy_pinyin(simplified(name)))
    if not name.isascii() and any(char.isalpha() for char in name):
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
