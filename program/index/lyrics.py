"""Lyrics as index terms, and the line of them that comes nearest to words somebody remembers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rapidfuzz import fuzz

from data.names import has_cjk, name_form
from program.index.protocol import CatalogIndex, Filter

MOST_READ = 50
"""Tracks of which the lyrics are read line by line; the index has ranked them by shared words."""
_MOST_TERMS = 64
_SAME_WORD = 80.0
"""Likeness (0..100) above which a word of a line passes for a remembered one."""
_QUOTED_WORDS, _QUOTED_CHARS = 12, 80
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_RUNS = re.compile(rf"[{_CJK}]+|[^\s{_CJK}]+")


def _form(text: str) -> str:
    """`name_form` past its memory: a text as long as a lyric would push a thousand names out of it."""
    return name_form.__wrapped__(text)


def lyric_terms(text: str) -> list[str]:
    """Each word and each pair of neighbouring words once; Chinese, Japanese and Korean as pairs of characters."""
    words: list[str] = []
    for run in _RUNS.findall(_form(text)):
        if has_cjk(run) and len(run) > 1:
            words.extend(first + second for first, second in pairwise(run))
        else:
            words.append(run)
    pairs = (f"{first}_{second}" for first, second in pairwise(words) if not has_cjk(first) and not has_cjk(second))
    return list(dict.fromkeys([*words, *pairs]))


def asked_terms(text: str) -> list[str]:
    """The terms that remembered words are searched by, at most 64."""
    return lyric_terms(text)[:_MOST_TERMS]


def nearest_line(lyrics: str, remembered: str) -> tuple[float, str]:
    """How near the lyrics come to the remembered words (0..1), and the line where they do; deterministic.

    Half of it is the likeness of the letters, half the share of the words that are there in a like spelling.
    """
    wanted = _form(remembered)
    best, best_line = 0.0, ""
    for line, own, passage in _passages(lyrics, len(wanted)):
        score = _likeness(wanted, passage, own)
        if score > best:
            best, best_line = score, line
    return round(best, 4), shortened(best_line)


def _passages(lyrics: str, least: int) -> Iterator[tuple[str, int, str]]:
    """Each line, the length of its normal form, and that form with the lines after it, `least` letters more."""
    lines = [line.strip() for line in lyrics.splitlines() if line.strip()]
    forms = [_form(line) for line in lines]
    for at, line in enumerate(lines):
        passage, after = forms[at], at + 1
        while len(passage) < len(forms[at]) + least and after < len(forms):
            passage, after = f"{passage} {forms[after]}", after + 1
        yield line, len(forms[at]), passage


def _likeness(wanted: str, passage: str, own: int) -> float:
    """0..1; 0 where the likest stretch of a passage begins after its own line, of `own` letters."""
    start, end, letters = 0, len(passage), fuzz.ratio(wanted, passage)
    if len(passage) >= len(wanted):  # else the end of the lyrics: what is missing counts
        aligned = fuzz.partial_ratio_alignment(wanted, passage)
        if aligned is None or aligned.dest_start > own:
            return 0.0
        start, end, letters = aligned.dest_start, aligned.dest_end, aligned.score
    around = len(wanted) // 2
    words, held = _words(wanted), _words(passage[max(0, start - around) : end + around])
    there = sum(len(word) for word in words if any(_same(word, other) for other in held))
    return (letters / 100 + there / max(1, sum(map(len, words)))) / 2


def _same(word: str, other: str) -> bool:
    return word == other or (len(word) > 2 and fuzz.ratio(word, other) > _SAME_WORD)


def _words(form: str) -> list[str]:
    """Words, and characters of Chinese, Japanese and Korean."""
    return [part for run in _RUNS.findall(form) for part in (run if has_cjk(run) else (run,))]


def shortened(line: str) -> str:
    """At most a dozen words of a line: enough to know it by."""
    words = line.split()
    cut = " ".join(words[:_QUOTED_WORDS])[:_QUOTED_CHARS]
    return cut if cut == " ".join(words) else f"{cut} …"


def remembered_in(index: CatalogIndex, text: str, where: Filter, floor: float) -> list[tuple[int, float, str]]:
    """(row, likeness, line) of the tracks whose lyrics come near to `text`, nearest first, the better known among equals.

    Args:
        floor: least likeness, 0..1.
    """
    found = []
    for row in index.sung(text, where, MOST_READ):
        entry = index.track(row)
        score, line = nearest_line(entry.track.lyrics or "", text)
        if score >= floor:
            found.append((-score, -entry.popularity, row, line))
    return [(row, -score, line) for score, _, row, line in sorted(found)]
