"""The words that say what a request does with the names in it, by role, from `request_words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

from data.commonwords import zipf
from data.names import name_key

RequestRole = Literal[
    "command", "ask", "head", "filler", "negation", "similar", "only", "by", "liked", "history",
    "album_word", "track_word", "artist_word", "after", "before", "between", "greeting", "place",
    "own_list", "alike", "correction", "others", "times", "ruled_out",
]  # fmt: skip

_OPENING_ROLES = ("command", "head", "negation", "similar")
_ENGLISH = 4.5
"""Zipf frequency from which a word is so common in English that it speaks for no other language."""
ALWAYS = ("en", "zh")
"""Languages whose words count in every request; the others' only in a request of theirs."""


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((resources.files("data.vocab") / "request_words.toml").read_text(encoding="utf-8"))


@cache
def request_words(locale: str = "en") -> dict[str, tuple[RequestRole, ...]]:
    """Name key of each word or phrase → its roles, in the order of the file.

    Args:
        locale: ISO 639-1; adds the words of that language.
    """
    found: dict[str, list[RequestRole]] = {}
    for role in get_args(RequestRole):
        for word in _words(role, locale):
            roles = found.setdefault(name_key(word), [])
            if role not in roles:
                roles.append(role)
    return {key: tuple(roles) for key, roles in found.items()}


@cache
def opening_words() -> dict[str, str]:
    """Name key of a word that opens a request → the one language that says it so; English ones are left out."""
    languages = _languages(_OPENING_ROLES)
    return {key: min(spoken) for key, spoken in languages.items() if "en" not in spoken and len(spoken) == 1}


@cache
def asking_words() -> dict[str, frozenset[str]]:
    """Name key of a word that requests are made of → the languages that have it; words that English uses too are left out."""
    known = _languages(get_args(RequestRole))
    return {key: frozenset(spoken) for key, spoken in known.items() if "en" not in spoken and zipf(key) < _ENGLISH}


def _languages(roles: tuple[str, ...]) -> dict[str, set[str]]:
    """Name key → languages in whose lists of these roles it stands."""
    found: dict[str, set[str]] = {}
    for role in roles:
        for language, words in _tables()[role].items():
            for word in words:
                found.setdefault(name_key(word), set()).add(language)
    return found


def _words(role: str, locale: str) -> Iterator[str]:
    table = _tables()[role]
    for language in dict.fromkeys((*ALWAYS, locale)):
        yield from table.get(language, [])
    if role == "place":
        yield from _places(table)


def _places(table: dict[str, list[str]]) -> Iterator[str]:
    """Such as "in the kitchen", "on the kitchen speaker" and "on my headphones"."""
    for room in table["rooms"]:
        yield from (f"in the {room}", f"in my {room}")
        yield from (f"on the {room} {device}" for device in ("speaker", "speakers", "stereo", "tv"))
    for service in table["services"]:
        yield from (service, f"{service} service", f"the {service} service")
        yield from (f"{link} {service}" for link in ("on", "from", "off", "using", "via", "through"))
    for device in table["devices"]:
        yield from (f"on the {device}", f"on my {device}", f"through the {device}", f"over the {device}")
