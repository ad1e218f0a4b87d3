"""Every span of a request that could be a name: word runs, character runs for CJK, possessives split off."""

from __future__ import annotations

import re
from dataclasses import dataclass

from data.names import name_key
from program.grounding.tokens import Token

MAX_CJK_TOKENS = 14
_POSSESSIVE = re.compile(r"['’](?:s|S|[nN]?[ıiuüIİUÜ][nN]|[dtDT][aeAE][nN])?$")
"""Possessive endings of English and Turkish names ("Toto's", "Tarkan'ın", "Tarkan'dan")."""
_PARTICLE = re.compile(
    r"(?<=[가-힣A-Za-z0-9])(?:은|는|이|가|을|를|도|만|와|과|랑|이랑|로|으로|의|에|에서|까지|부터|(?<=[는한은운])데)$"
)
"""Korean particles, which are written together with the word that they belong to."""


@dataclass(frozen=True, slots=True)
class SpanKey:
    """Tokens [first, last) of the request under one name key.

    Attributes:
        possessive: a trailing 's was left out of the key ("Toto's" → toto).
        particle: so was a Korean particle ("재즈는" → 재즈).
    """

    first: int
    last: int
    key: str
    surface: str
    possessive: bool = False
    particle: bool = False


def _adds_nothing(tokens: tuple[Token, ...], first: int, last: int, key: str) -> bool:
    """Whether the span is a shorter one with a sign at its edge ("play !!!" has the key of "play")."""
    if last - first < 2:
        return False
    edges = (tokens[first], tokens[last - 1])
    return any(not token.key[:1].isalnum() and token.key not in key for token in edges)


def propose(request: str, tokens: tuple[Token, ...], max_tokens: int) -> list[SpanKey]:
    """All spans of up to `max_tokens` words (up to 14 CJK characters), shortest first from each start."""
    spans: list[SpanKey] = []
    for first in range(len(tokens)):
        words = 0
        for last in range(first + 1, min(first + MAX_CJK_TOKENS, len(tokens)) + 1):
            words += 0 if tokens[last - 1].cjk else 1
            if words > max_tokens:
                break
            surface = request[tokens[first].start : tokens[last - 1].end]
            key = name_key(surface)
            if key and not _adds_nothing(tokens, first, last, key):
                spans.append(SpanKey(first, last, key, surface))
            stripped = _POSSESSIVE.sub("", surface)
            if stripped != surface and (bare := name_key(stripped)):
                spans.append(SpanKey(first, last, bare, stripped, possessive=True))
            stem = _PARTICLE.sub("", surface)
            if stem != surface and (bare := name_key(stem)):
                spans.append(SpanKey(first, last, bare, stem, particle=True))
    return spans
