"""How like two writings of one key are: a code that fits into a posting, and its comparison."""

from __future__ import annotations

import unicodedata
from zlib import crc32

_HALF = 16
_LOW = (1 << _HALF) - 1
_APOSTROPHES = str.maketrans("’‘ʼ`´ʻ", "''''''")


def surface_code(text: str) -> int:
    """32 bits: a hash of the text as written, and below it one of the same text in lower case.

    White space and the shape of apostrophes do not count; accents and signs do.
    """
    written = " ".join(text.split()).translate(_APOSTROPHES)
    if not written.isascii():
        written = unicodedata.normalize("NFC", written)
    return (_hash(written) << _HALF) | _hash(written.casefold())


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass")) & _LOW


def likeness(first: int, second: int) -> int:
    """2: written the same; 1: the same but for capitals; 0: written otherwise (same key, or another key of one name)."""
    if first == second:
        return 2
    return int((first ^ second) & _LOW == 0)
