"""When an own set was liked or played: "what I listened to last week". Read before names are, and only beside such a set.

A period's words are taken out of the request before it is read, so that "yesterday" is no title there and "last night" no
time of day. The request keeps its length, so spans keep their offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from data.contracts import Intent
from data.vocab.periods import I_PLAYED, MOST_PLAYED, period_patterns
from data.vocab.request_words import request_words
from program.grounding.spans import propose
from program.grounding.tokens import tokenize

_IN_YEAR = re.compile(r"\bin\s+((?:19|20)\d{2})\b|((?:19|20)\d{2})年", re.IGNORECASE)
_MOST_WORDS = 6
_OWN = frozenset({"liked", "history"})


@dataclass(frozen=True)
class Told:
    """What a request says about time and order.

    Attributes:
        period: a period's id or a year; "" for any time.
        is_history: the words beside the time mean the history, whatever else is read.
        rest: the request with blanks in place of those words.
    """

    period: str
    most_played: bool
    is_history: bool
    rest: str

    def on(self, intent: Intent) -> Intent:
        """The intent with it; one that asks for no own set stays as it is."""
        if self.is_history:
            intent = intent.model_copy(update={"personal": "history", "kind": "personal"})
        if intent.personal == "none":
            return intent
        order = "most_played" if self.most_played and intent.personal == "history" else intent.order
        return intent.model_copy(update={"period": self.period, "order": order})


def told_period(request: str, locale: str) -> Told | None:
    """The time and order that a request for an own set names; None where it names none or asks for no own set."""
    found = {name: match for name, pattern in period_patterns().items() if (match := pattern.search(request))}
    year = _IN_YEAR.search(request)
    if not found and not year:
        return None
    most, played = found.pop(MOST_PLAYED, None), found.pop(I_PLAYED, None)
    roles = _own_sets(request, locale)
    period, when = _when(found, year if played or "history" in roles else None)
    is_history = played is not None and when is not None and not roles
    if not (roles or is_history) or not (when or most):
        return None
    rest = _blanked(request, [when, played if is_history else None])
    if most and _own_sets(blank := _blanked(rest, [most]), locale) == _own_sets(rest, locale):
        rest = blank  # not where it is a part of what names the set
    return Told(period, most is not None, is_history, rest)


def _when(found: dict[str, re.Match[str]], year: re.Match[str] | None) -> tuple[str, re.Match[str] | None]:
    """The longest period, else the year in which it was played."""
    if found:
        name = max(found, key=lambda each: len(found[each].group()))
        return name, found[name]
    return (year[1] or year[2], year) if year else ("", None)


def _own_sets(request: str, locale: str) -> frozenset[str]:
    """Which of the own sets some words of the request name."""
    words = request_words(locale)
    keys = (span.key for span in propose(request, tokenize(request), _MOST_WORDS))
    return frozenset(role for key in keys for role in words.get(key, ())) & _OWN


def _blanked(request: str, taken: list[re.Match[str] | None]) -> str:
    for match in taken:
        if match is not None:
            request = request[: match.start()] + " " * (match.end() - match.start()) + request[match.end() :]
    return request
