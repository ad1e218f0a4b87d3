"""When something was liked or played, as people say it, from `periods.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources

MOST_PLAYED = "most-played"
"""Not a time, but an order by how often."""
I_PLAYED = "i-played"
"""No time either: beside one, it says that the history is meant."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@cache
def period_patterns() -> dict[str, re.Pattern[str]]:
    """Period id → what finds its words in a request, whole words of scripts with spaces, the longest first."""
    tables = tomllib.loads((resources.files("data.vocab") / "periods.toml").read_text(encoding="utf-8"))
    return {name: _pattern([word for words in table.values() for word in words]) for name, table in tables.items()}


def _pattern(words: list[str]) -> re.Pattern[str]:
    parts = [word if _CJK.search(word) else rf"\b{re.escape(word)}\b" for word in sorted(words, key=len, reverse=True)]
    return re.compile("|".join(parts), re.IGNORECASE)
