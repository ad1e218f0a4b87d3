"""What people ask assistants for that is no music from a catalog, by topic, from `other_tasks.toml`."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_SIGNS = re.compile(r"[^\w\s*+%/.,]")
_POINTS = re.compile(r"[.,/](?!\d)")


@dataclass(frozen=True)
class Topic:
    """One topic. is_made: it makes something new of whatever is named, so a word for music beside it changes nothing."""

    name: str
    opening: re.Pattern[str]
    within: re.Pattern[str] | None
    is_made: bool


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((resources.files("data.vocab") / "other_tasks.toml").read_text(encoding="utf-8"))


@cache
def topics() -> tuple[Topic, ...]:
    """Every topic, in the order of the file."""
    tables = _tables()
    polite = f"(?:(?:{'|'.join(tables['politeness']['words'])}) )*"
    found = []
    for name, table in tables.items():
        if "opening" not in table:
            continue
        opening = re.compile(rf"{polite}(?P<task>{'|'.join(table['opening'])})")
        within = re.compile(rf"(?P<task>{'|'.join(table['within'])})") if "within" in table else None
        found.append(Topic(name, opening, within, name in tables["made"]))
    return tuple(found)


@cache
def music_words() -> re.Pattern[str]:
    """Words that say that a request is about music; Chinese characters stand anywhere."""
    table = _tables()["music"]
    return re.compile(rf"\b(?:{'|'.join(table['words'])})\b|[{table['characters']}]")


def out_of_scope_message(locale: str) -> str:
    """What to say to such a request, in its language where there are words for it."""
    messages = _tables()["message"]
    return str(messages.get(locale, messages["en"]))


def plain(request: str) -> str:
    """A request as the patterns read it: casefolded, no accents, signs as blanks, one blank between words."""
    decomposed = unicodedata.normalize("NFKD", request.casefold())
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(_POINTS.sub(" ", _SIGNS.sub(" ", bare)).split())
