"""The words that say what a request does with the names in it, by role, from `request_words.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Literal, get_args

from data.names import name_key

RequestRole = Literal[
    "command", "ask", "head", "filler", "negation", "similar", "only", "by", "liked", "history",
    "album_word", "track_word", "artist_word", "after", "before", "between", "greeting",
]  # fmt: skip


@cache
def request_words() -> dict[str, tuple[RequestRole, ...]]:
    """Name key of each word or phrase → its roles, in the order of the file."""
    tables = tomllib.loads((resources.files("data.vocab") / "request_words.toml").read_text(encoding="utf-8"))
    found: dict[str, list[RequestRole]] = {}
    for role in get_args(RequestRole):
        for language in ("en", "zh"):
            for word in tables[role].get(language, []):
                roles = found.setdefault(name_key(word), [])
                if role not in roles:
                    roles.append(role)
    return {key: tuple(roles) for key, roles in found.items()}
