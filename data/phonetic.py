"""What a word sounds like, as a key: words that are said alike share it."""

from __future__ import annotations

import jellyfish

MIN_CHARS = 4
_MIN_SOUNDS = 2


def sound_key(word: str) -> str:
    """Metaphone of a Latin word; empty for other scripts, and where fewer than two sounds are left to tell words apart."""
    if len(word) < MIN_CHARS or not (word.isascii() and word.isalpha()):
        return ""
    key = jellyfish.metaphone(word)
    return key if len(key) >= _MIN_SOUNDS else ""
