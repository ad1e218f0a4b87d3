"""Years, year ranges, parts of decades and sizes in a request, as items."""

from __future__ import annotations

import re
from collections.abc import Mapping

from data.names import name_key
from data.numberwords import words_to_digits
from data.vocab.loader import load_vocabularies
from data.vocab.request_words import RequestRole, request_words
from program.grounding.items import RANGE_SCORE, Item, MinutesItem, RangeItem, SizeItem, scaled
from program.grounding.tokens import Token

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_NUMBER = re.compile(r"\d{1,3}")
_DECIMAL = re.compile(r"\d{1,2}[.,]\d|\d{4}")
_SIZE_WORDS = {"songs", "tracks", "tunes", "首", "首歌", "曲", "song", "track", "pieces", "numbers"}
_SONGS = {"songs", "tracks", "tunes"}
_CHINESE_UNITS = {"一": 1, "两": 2, "兩": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_CHINESE_NUMBER = re.compile(r"(?P<tens>[一二三四五六七八九])?(?P<ten>十)?(?P<unit>[一两兩二三四五六七八九])?")
_BELOW = {"under", "below", "less", "max", "maximum", "slower", "most"}
_ABOVE = {"over", "above", "more", "min", "minimum", "faster", "least"}
_NOTHING = {"nothing", "no", "not"}
_BPM_LINKS = {"than", "of", "at", "is", "a", "around", "about", "tempo", *_BELOW, *_ABOVE, *_NOTHING}
_AROUND_BPM = 5
_BPM_REACH = 4
_PART_OF_DECADE = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}
_JOINERS = {"to", "and", "until", "till", "through", "到", "至"}
_LONGEST_CUE = 5
_LONGEST_NUMBER = 3
_LONGEST_COUNT = 4
_DESCRIBING_WORDS = 4
MAX_SIZE = 100
MAX_MINUTES = 1440
_UNIT_MINUTES = {
    "minute": 1, "minutes": 1, "min": 1, "mins": 1, "hour": 60, "hours": 60, "hr": 60, "hrs": 60, "分钟": 1, "分鐘": 1,
    "小时": 60, "小時": 60, "钟头": 60, "鐘頭": 60,
}  # fmt: skip
_PARTS = {"a": 1.0, "an": 1.0, "half a": 0.5, "half an": 0.5, "a half": 0.5, "half": 0.5, "半": 0.5, "半个": 0.5, "半個": 0.5,
          "a couple of": 2.0, "couple of": 2.0, "a couple": 2.0}  # fmt: skip
_HALF_MORE, _HALF_MORE_CJK = " and a half", ("个半", "個半")
_BOUNDS = {
    "under",
    "below",
    "over",
    "above",
    "than",
    "shorter",
    "longer",
    "within",
    "less",
    "more",
    "least",
    "most",
    "at",
    "that",
    "are",
}


def number_items(tokens: tuple[Token, ...], request: str) -> list[Item]:
    """All items that a number starts or that a cue before a year starts."""
    items: list[Item] = []
    for position, token in enumerate(tokens):
        if _YEAR.fullmatch(token.key):
            items.extend(_year_items(tokens, position, request))
        items.extend(_part_of_decade(tokens, position, request))
        if token.key == "bpm":
            items.extend(_tempo(tokens, position))
    items.extend(_sizes(tokens, request))
    return items


def _cues(tokens: tuple[Token, ...], end: int, request: str, role: RequestRole) -> list[int]:
    """Starts of the cue phrases of `role` that end right before token `end` (fillers such as "the year" not skipped)."""
    words = request_words()
    starts = []
    for first in range(max(0, end - _LONGEST_CUE), end):
        text = request[tokens[first].start : tokens[end - 1].end]
        if role in words.get(name_key(text), ()):
            starts.append(first)
    return starts


def _year_items(tokens: tuple[Token, ...], position: int, request: str) -> list[Item]:
    year = tokens[position].key
    items: list[Item] = [RangeItem(position, position + 1, 0.9, year, year)]
    for first in _cues(tokens, position, request, "after"):
        items.append(RangeItem(first, position + 1, _range_score(first, position), _after(tokens, first, position, year), ""))
    for first in _cues(tokens, position, request, "before"):
        items.append(RangeItem(first, position + 1, _range_score(first, position), "", _before(tokens, first, year)))
    following = tokens[position + 1 : position + 3]
    if len(following) == 2 and following[0].key in _JOINERS and _YEAR.fullmatch(following[1].key):
        for first in [*_cues(tokens, position, request, "between"), position]:
            items.append(RangeItem(first, position + 3, _range_score(first, position + 2), year, following[1].key))
    elif following and _YEAR.fullmatch(following[0].key) and _dash_between(request, tokens[position], following[0]):
        for first in [*_cues(tokens, position, request, "between"), position]:
            items.append(RangeItem(first, position + 2, _range_score(first, position + 1), year, following[0].key))
    for last in range(position + 2, min(position + 4, len(tokens)) + 1):  # Chinese: the cue follows the year
        roles = request_words().get(name_key(request[tokens[position + 1].start : tokens[last - 1].end]), ())
        if "after" in roles and tokens[position + 1].cjk:
            items.append(RangeItem(position, last, _range_score(position, position + 1), year, ""))
        if "before" in roles and tokens[position + 1].cjk:
            items.append(RangeItem(position, last, _range_score(position, position + 1), "", str(int(year) - 1)))
    return items


def _range_score(first: int, year_position: int) -> float:
    return scaled(RANGE_SCORE, year_position - first + 1)


def _after(tokens: tuple[Token, ...], first: int, position: int, year: str) -> str:
    """`after 1985` and `newer than 1985` start in 1986; `since`, `from`, `nothing before` start in the year itself."""
    return str(int(year) + 1) if tokens[first].key in {"after", "newer", "later"} else year


def _before(tokens: tuple[Token, ...], first: int, year: str) -> str:
    """`before 1985` ends in 1984; `until`, `nothing after`, `up to` end in the year itself."""
    exclusive = tokens[first].key in {"before", "prior", "older", "earlier", "pre"}
    return str(int(year) - 1) if exclusive else year


def _dash_between(request: str, left: Token, right: Token) -> bool:
    return request[left.end : right.start].strip() in {"-", "–", "—", "~", "～"}


def _part_of_decade(tokens: tuple[Token, ...], position: int, request: str) -> list[Item]:
    part = _PART_OF_DECADE.get(tokens[position].key)
    if part is None:
        return []
    eras = load_vocabularies()["era"]
    items: list[Item] = []
    for last in range(position + 2, min(position + 4, len(tokens)) + 1):
        text = request[tokens[position + 1].start : tokens[last - 1].end]
        concept = eras.find(text.removeprefix("the "))
        if concept and "year_from" in eras.concepts[concept].numbers and "year_to" in eras.concepts[concept].numbers:
            start = int(eras.concepts[concept].numbers["year_from"])
            items.append(
                RangeItem(position, last, scaled(RANGE_SCORE, last - position), str(start + part[0]), str(start + part[1]))
            )
    return items


def _tempo(tokens: tuple[Token, ...], position: int) -> list[Item]:
    """One number within reach of the word bpm: "bpm under 80", "under 80 bpm", "120 bpm", "around 120 bpm"."""
    for step in (-1, 1):
        index, words = position + step, []
        while 0 <= index < len(tokens) and abs(index - position) <= _BPM_REACH and tokens[index].key in _BPM_LINKS:
            words.append(tokens[index].key)
            index += step
        if not (0 <= index < len(tokens) and _NUMBER.fullmatch(tokens[index].key)):
            continue
        between = _bpm_between(tokens, index, step)
        if between is not None:
            other, least, most = between
            first, last = min(other, index, position), max(other, index, position) + 1
            return [RangeItem(first, last, scaled(RANGE_SCORE, last - first), str(least), str(most), "tempo")]
        bpm = int(tokens[index].key)
        if step < 0:
            while index > 0 and tokens[index - 1].key in _BPM_LINKS:
                index -= 1
                words.append(tokens[index].key)
        first, last = min(index, position), max(index, position) + 1
        low, high = _bpm_bounds(bpm, set(words))
        return [RangeItem(first, last, scaled(RANGE_SCORE, last - first), low, high, "tempo")]
    return []


def _bpm_between(tokens: tuple[Token, ...], index: int, step: int) -> tuple[int, int, int] | None:
    """A second number beside the one at `index`, maybe behind a joiner: where the span ends, and the two in order."""
    other = index + step
    if 0 <= other < len(tokens) and tokens[other].key in _JOINERS:
        other += step
    if not (0 <= other < len(tokens) and _NUMBER.fullmatch(tokens[other].key)):
        return None
    low, high = sorted((int(tokens[index].key), int(tokens[other].key)))
    end = other - 1 if step < 0 and other > 0 and tokens[other - 1].key in {"between", "from"} else other
    return end, low, high


def _bpm_bounds(bpm: int, words: set[str]) -> tuple[str, str]:
    if words & _NOTHING:
        words = (_BELOW if words & _ABOVE else _ABOVE if words & _BELOW else set()) or words
    if words & _BELOW:
        return "", str(bpm)
    if words & _ABOVE:
        return str(bpm), ""
    return str(bpm - _AROUND_BPM), str(bpm + _AROUND_BPM)


def _sizes(tokens: tuple[Token, ...], request: str) -> list[Item]:
    items: list[Item] = []
    for position, token in enumerate(tokens[:-1]):
        for last in range(position + 1, min(position + _LONGEST_NUMBER, len(tokens) - 1) + 1):
            number = words_to_digits(" ".join(part.text.casefold() for part in tokens[position:last]))
            of_them = [token.key for token in tokens[last : last + 2]] in (["of", "them"], ["of", "those"])
            if _NUMBER.fullmatch(number) and (tokens[last].key in _SIZE_WORDS or of_them) and int(number) >= 1:
                size = min(MAX_SIZE, int(number))
                end = last + 1 + of_them
                items.append(SizeItem(position, end, scaled(1.0, end - position), size))
        if _NUMBER.fullmatch(token.key) and 1 <= int(token.key) <= MAX_SIZE and _counts_songs(tokens, position):
            items.append(SizeItem(position, position + 1, 1.0, int(token.key)))
        if token.cjk:
            items.extend(_chinese_size(tokens, position))
        items.extend(_top(tokens, position))
        items.extend(_minutes(tokens, position, request))
    return items


def _minutes(tokens: tuple[Token, ...], position: int, request: str) -> list[Item]:
    """How long the list should play: "30 minutes", "an hour and a half", "1.5 hours", "two hours", "半小时"."""
    items: list[Item] = []
    units = range(position + 1, min(position + _LONGEST_COUNT + 2, len(tokens)))
    if not any(tokens[at].key in _UNIT_MINUTES or tokens[at].cjk for at in units) or _is_decimal_part(tokens, position, request):
        return items
    for last in range(position + 1, min(position + _LONGEST_COUNT, len(tokens) - 1) + 1):
        count = _count(request[tokens[position].start : tokens[last - 1].end].casefold().replace("-", " "))
        for width, unit in ((1, tokens[last].key), (2, "".join(token.key for token in tokens[last : last + 2]))):
            minutes = int(count * _UNIT_MINUTES[unit]) if count and unit in _UNIT_MINUTES else 0
            if minutes < 1 or last + width > len(tokens) or _is_of_each_song(tokens, position, last + width):
                continue
            end = last + width
            if [token.key for token in tokens[end : end + 3]] == _HALF_MORE.split():
                end, minutes = end + 3, minutes + _UNIT_MINUTES[unit] // 2
            items.append(MinutesItem(position, end, scaled(1.0, end - position), min(MAX_MINUTES, minutes)))
    return items


def _is_decimal_part(tokens: tuple[Token, ...], position: int, request: str) -> bool:
    """Whether a token is what follows the point of a number."""
    start = tokens[position].start
    return position > 0 and tokens[position - 1].text.isdigit() and request[tokens[position - 1].end : start] in (".", ",")


def _is_of_each_song(tokens: tuple[Token, ...], first: int, last: int) -> bool:
    """Whether a time is how long one song may be ("3 minute songs", "songs under 3 minutes"), not how long the list plays."""
    if tokens[last - 1].key == "minute" and last < len(tokens) and tokens[last].key in _SONGS:
        return True
    bounds = first
    while bounds and tokens[bounds - 1].key in _BOUNDS:
        bounds -= 1
    return bounds < first and bounds > 0 and tokens[bounds - 1].key in _SONGS


def _count(text: str) -> float | None:
    """A count before a unit of time, "half a" included."""
    if text in _PARTS:
        return _PARTS[text]
    for ending in (_HALF_MORE, *_HALF_MORE_CJK):
        if text.endswith(ending) and text != ending:
            return (_count(text.removesuffix(ending)) or 0.0) + 0.5
    if _DECIMAL.fullmatch(text):
        return float(text.replace(",", "."))
    number = words_to_digits(text)
    return float(number) if _NUMBER.fullmatch(number) else float(chinese_number(text.removesuffix("个").removesuffix("個")) or 0)


def _top(tokens: tuple[Token, ...], position: int) -> list[Item]:
    """A number of the best known: "top 20", "top-20", "top twenty"."""
    if tokens[position].key != "top":
        return []
    number = words_to_digits(tokens[position + 1].text.casefold())
    whole = _NUMBER.fullmatch(number) and 1 <= int(number) <= MAX_SIZE
    return [SizeItem(position, position + 2, scaled(1.0, 2), int(number))] if whole else []


def _counts_songs(tokens: tuple[Token, ...], position: int) -> bool:
    """Whether a plural of songs follows the number in its clause, with a few describing words between."""
    if tokens[position + 1].key in _UNIT_MINUTES:
        return False
    near = tokens[position + 2 : position + 2 + _DESCRIBING_WORDS]
    return any(token.key in _SONGS and token.clause == tokens[position].clause for token in near)


def _chinese_size(tokens: tuple[Token, ...], position: int) -> list[Item]:
    for last in range(min(position + _LONGEST_NUMBER, len(tokens) - 1), position, -1):
        size = chinese_number("".join(part.text for part in tokens[position:last]))
        if size is not None and size > 1 and tokens[last].text == "首":
            return [SizeItem(position, last + 1, 1.4, size)]
    return []


def chinese_number(text: str) -> int | None:
    """A number below 100 in Chinese numerals ("二十五" → 25), or None."""
    match = _CHINESE_NUMBER.fullmatch(text)
    if not text or match is None:
        return None
    tens, ten, unit = match["tens"], match["ten"], match["unit"]
    if ten is None:
        return None if tens and unit else _CHINESE_UNITS[tens or unit]
    return 10 * _CHINESE_UNITS.get(tens or "一", 1) + (_CHINESE_UNITS[unit] if unit else 0)


def era_ranges(tokens: tuple[Token, ...], facets: Mapping[tuple[int, int], tuple[tuple[str, str], ...]]) -> list[Item]:
    """Two decades with a joiner between are one range: "from the 70s to the 90s"."""
    eras = load_vocabularies()["era"].concepts
    decades = [
        (span, eras[concept_id].numbers)
        for span, concepts in facets.items()
        for facet, concept_id in concepts
        if facet == "era" and {"year_from", "year_to"} <= set(eras[concept_id].numbers)
    ]
    items: list[Item] = []
    for (first, middle), low in decades:
        for (start, last), high in decades:
            between = [token.key for token in tokens[middle:start]]
            if start <= middle or not between or not set(between) <= {*_JOINERS, "the"} or high["year_to"] <= low["year_to"]:
                continue
            opening = first - 1 if first and tokens[first - 1].key == "the" else first
            cued = opening > 0 and tokens[opening - 1].key in {"from", "between"}
            if between[0] == "and" and not (cued and tokens[opening - 1].key == "between"):
                continue
            begin = opening - 1 if cued else first
            score = scaled(RANGE_SCORE, last - begin)
            items.append(RangeItem(begin, last, score, str(int(low["year_from"])), str(int(high["year_to"]))))
    return items
