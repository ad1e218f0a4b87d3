"""English number words to digits ("twenty one pilots" → "21 pilots", "nineteen ninety nine" → "1999").

Applied to names and to requests alike, so that both spellings meet on one key.
"""

from __future__ import annotations

_UNITS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
}
_TENS = {word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
NUMBER_WORDS = frozenset({*_UNITS, *_TENS, "hundred", "thousand"})
_FIRST_CENTURY_WITH_YEAR_NAMES, _LAST_CENTURY_WITH_YEAR_NAMES = 13, 20


def _below_hundred(tokens: list[str], start: int) -> tuple[int, int] | None:
    """Value and end of the number below 100 that starts at `start`, or None."""
    if start >= len(tokens):
        return None
    if tokens[start] in _UNITS:
        return _UNITS[tokens[start]], start + 1
    if tokens[start] in _TENS:
        value, end = _TENS[tokens[start]], start + 1
        if end < len(tokens) and 1 <= _UNITS.get(tokens[end], 0) <= 9:
            return value + _UNITS[tokens[end]], end + 1
        return value, end
    return None


def _number(tokens: list[str], start: int) -> tuple[int, int] | None:
    first = _below_hundred(tokens, start)
    if first is None:
        return None
    value, end = first
    if end < len(tokens) and tokens[end] in ("hundred", "thousand"):
        value, end = value * (100 if tokens[end] == "hundred" else 1000), end + 1
        rest = _number(tokens, end + 1 if tokens[end : end + 1] == ["and"] else end)
        below = 100 if tokens[end - 1] == "hundred" else 1000
        return (value + rest[0], rest[1]) if rest and rest[0] < below else (value, end)
    year = _below_hundred(tokens, end)
    if year and _FIRST_CENTURY_WITH_YEAR_NAMES <= value <= _LAST_CENTURY_WITH_YEAR_NAMES and year[0] >= 10:
        return value * 100 + year[0], year[1]
    return value, end


def _is_zero(tokens: list[str], index: int) -> bool:
    """Whether the token is an "oh" between two digits ("eight oh eight")."""
    if tokens[index] not in ("oh", "o") or not 0 < index < len(tokens) - 1:
        return False
    return all(tokens[side] in _UNITS and _UNITS[tokens[side]] <= 9 for side in (index - 1, index + 1))


def words_to_digits(form: str) -> str:
    """`form` (lower case, single spaces) with every number word run replaced by its digits."""
    tokens = form.split(" ")
    if NUMBER_WORDS.isdisjoint(tokens):
        return form
    out: list[str] = []
    index = 0
    while index < len(tokens):
        number = _number(tokens, index)
        if number:
            out.append(str(number[0]))
            index = number[1]
        else:
            out.append("0" if _is_zero(tokens, index) else tokens[index])
            index += 1
    return " ".join(out)
