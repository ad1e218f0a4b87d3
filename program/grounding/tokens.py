"""A request's tokens with their character offsets: words of alphabetic scripts, single characters of CJK."""

from __future__ import annotations

import re
from dataclasses import dataclass

from data.names import name_key

_HAN_KANA = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTER = rf"[^\W_{_HAN_KANA}]"
_STUCK = "말고|빼고|제외하고|없는|없이|같은|처럼|비슷한|노래|음악|인데"
"""Korean words that are often written together with the one before them, and that a name rarely ends with ("재즈말고")."""
_TOKEN = re.compile(
    rf"[{_HAN_KANA}]"  # one Chinese or Japanese character
    rf"|[가-힣A-Za-z0-9]+?(?=(?:{_STUCK})(?:[은는을를로만도]|으로)?(?!{_LETTER}))"  # the word before one of those
    rf"|(?:{_LETTER}\.){{2,}}{_LETTER}?(?!{_LETTER})"  # an acronym with its dots
    rf"|{_LETTER}+(?:['’$!@]+{_LETTER}+)*\$*(?:['’](?!\w))?"  # a word with the signs inside it
    r"|[!?+÷=&()/*$@#%-]+"  # signs, which may be a name when they stand alone
)
_ABBREVIATIONS = frozenset({"mr", "mrs", "ms", "dr", "st", "vs", "feat", "ft", "jr", "sr", "no", "vol"})
_CLAUSE_END = re.compile(r"[,.;:!?|，。；：！？、\n]")
_QUOTED = re.compile(r"[\"“«《「『](?P<text>[^\"”»》」』]{1,120})[\"”»》」』]")


@dataclass(frozen=True, slots=True)
class Token:
    """One token; start, end: character offsets [start, end) into the request. key: its name key.

    Attributes:
        clause: number of the clause it stands in, counted from 0.
        cjk: whether it is a single CJK character.
    """

    text: str
    start: int
    end: int
    key: str
    clause: int
    cjk: bool


def tokenize(request: str) -> tuple[Token, ...]:
    """All tokens in order. Signs that only end a clause are not tokens."""
    tokens: list[Token] = []
    clause = 0
    previous_end = 0
    for match in _TOKEN.finditer(request):
        text = match.group()
        sign_only = not any(char.isalnum() for char in text)
        gap = request[previous_end : match.start()]
        if tokens and _ends_clause(gap, tokens[-1]):
            clause += 1
        if sign_only and _is_punctuation(request, match):
            if _CLAUSE_END.search(text):
                clause += 1
            previous_end = match.end()
            continue
        cjk = bool(re.fullmatch(f"[{_HAN_KANA}]", text))
        tokens.append(Token(text, match.start(), match.end(), name_key(text), clause, cjk))
        previous_end = match.end()
    return tuple(tokens)


def _ends_clause(gap: str, before: Token) -> bool:
    if not _CLAUSE_END.search(gap):
        return False
    abbreviated = before.key in _ABBREVIATIONS or len(before.key) == 1 or "." in before.text
    return not (gap.strip() == "." and abbreviated)


def _is_punctuation(request: str, match: re.Match[str]) -> bool:
    """Signs stuck to a word are punctuation; standing alone, `&` and runs of signs may be (part of) a name."""
    before = request[match.start() - 1 : match.start()]
    alone = (not before or before.isspace()) and not request[match.end() : match.end() + 1].strip()
    return not alone or (len(match.group()) < 2 and match.group() not in "&÷+")


def quoted_spans(request: str) -> list[tuple[int, int]]:
    """Character spans of quoted text, quotes left out."""
    return [match.span("text") for match in _QUOTED.finditer(request)]
