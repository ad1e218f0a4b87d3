"""Words that somebody remembers of a song: quoted, after a word such as "goes", or the whole request.

They become a lyric reading only when lyrics of the catalog hold them, as a name must be held to become an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from data.contracts import Evidence, Intent, Span
from data.vocab.request_words import request_words
from program.grounding.compose import Reading
from program.index.lyrics import remembered_in
from program.index.protocol import CatalogIndex, Filter
from program.settings import Settings

_QUOTED = re.compile(r"[\"“”«»「『](.{2,200}?)[\"”“»«」』]")
_CUES = (
    r"(?:that|which|it) goes", r"goes(?: like(?: this)?)?", r"(?:with|has) the (?:lyrics?|words|line)",
    r"the lyrics?(?: are| is| go)?", r"lyrics?:", r"they sing", r"sings something like",
    r"(?:mit|und) der (?:text)?zeile", r"mit dem text", r"(?:que|donde) dice", r"con la letra", r"qui dit",
    r"avec les paroles", r"que diz", r"com a letra",
)  # fmt: skip
_CUES_CJK = (r"(?:歌词|歌詞)(?:是|里有|有)?", r"有一句(?:是|叫)?")
_BEFORE = re.compile(
    rf"\b(?:{'|'.join(_CUES)})\b[\s:,]*(?:something like|like)?[\s:,.…]*|(?:{'|'.join(_CUES_CJK)})[：:，,\s]*", re.IGNORECASE
)
_AFTER = re.compile(r"\s*(?:\bin (?:the|its|their) (?:lyrics?|words|chorus)\b|\bas lyrics\b)", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,.;!?。，！？…]+(?:\s|$)|\s(?:by|from)\s|\s[-–—]\s")
_LEAST_WORDS, _LEAST_CHARACTERS = 4, 5
_LONG_QUOTE = 3
_COVERED = 0.5
"""Without a cue the remembered words are at least this share of the request."""
_THEME_WORDS = 2
"""Up to here what is remembered is a theme ("rain in the lyrics"), of which a list is wanted, not one song."""


@dataclass(frozen=True)
class Remembered:
    """A passage of the request that may be lyrics. cued: the request says so, by quotes or in words."""

    span: Span
    text: str
    cued: bool

    @property
    def size(self) -> int:
        """Words; characters of Chinese, Japanese and Korean count as half a word."""
        return _size(self.text)


def _size(text: str) -> int:
    return max(len(text.split()), len(re.findall(r"[\u3040-\u9fff\uac00-\ud7a3]", text)) // 2)


def passages(request: str, reading: Reading) -> list[Remembered]:
    """What may be lyrics, cued passages first; a name that is held as quoted is none."""
    held = {item.span for item in reading.evidence}
    found = [Remembered(m.span(1), m[1].strip(), True) for m in _QUOTED.finditer(request) if m.span(1) not in held]
    found = [passage for passage in found if passage.size >= _LONG_QUOTE]
    found += [passage for m in _BEFORE.finditer(request) for passage in _rest(request, m.end(), cued=True)]
    if (after := _AFTER.search(request)) and (start := _theme(request, after.start())) is not None:
        found.append(Remembered((start, after.start()), request[start : after.start()].strip(), True))
    if not reading.complete or reading.intent.absent:
        found += _rest(request, 0, cued=False)
    return [passage for passage in dict.fromkeys(found) if passage.text and (passage.cued or _is_long(passage))]


def _rest(request: str, start: int, *, cued: bool) -> Iterator[Remembered]:
    """What follows up to the end, and up to the end of its first clause."""
    text = request[start:].strip()
    begin = start + len(request[start:]) - len(request[start:].lstrip())
    if end := _CLAUSE_END.search(text):
        first = text[: end.start()].strip()
        if first and len(first) >= _COVERED * len(text):
            yield Remembered((begin, begin + len(first)), first, cued)
    if text:
        yield Remembered((begin, len(request)), text, cued)


def _theme(request: str, end: int) -> int | None:
    """Where the words before "in the lyrics" begin, the ones that requests are made of left out."""
    words = list(re.finditer(r"[^\s,.;!?]+", request[:end]))
    asked = request_words()
    start = None
    for word in reversed(words):
        if word[0].casefold() in asked:
            break
        start = word.start()
    return start


def _is_long(passage: Remembered) -> bool:
    return len(passage.text.split()) >= _LEAST_WORDS or passage.size * 2 >= _LEAST_CHARACTERS


def lyric_reading(request: str, best: Reading, index: CatalogIndex, settings: Settings) -> Reading | None:
    """The reading by which the request quotes lyrics that the catalog holds; None when it holds none that are near."""
    if not index.info.lyrics:
        return None
    scored = []
    for order, passage in enumerate(passages(request, best)):
        floor = settings.execute.lyric_floor if passage.cued else settings.grounding.lyric_sure
        near = remembered_in(index, passage.text, Filter(), floor)
        if near:
            scored.append((near[0][1], -order, passage))
    if not scored:
        return None
    score, _, passage = max(scored, key=lambda item: item[:2])
    apart = best.intent.model_copy(
        update={"absent": tuple(name for name in best.intent.absent if _is_apart(name, request, passage))}
    )
    intent, kept = _outside(apart, best, passage, settings.retry.list_size)
    return Reading(intent, kept, best.score + score, complete=True)


def _is_apart(name: str, request: str, passage: Remembered) -> bool:
    """Whether an absent name does not run into the remembered words ("mit dem text | promised you …")."""
    start = request.find(name)
    return start + len(name) <= passage.span[0] or passage.span[1] <= start


def _outside(intent: Intent, best: Reading, passage: Remembered, list_size: int) -> tuple[Intent, tuple[Evidence, ...]]:
    """The intent with the passage as its remembered words; names and conditions inside of it are none."""
    start, end = passage.span

    def outside(span: Span) -> bool:
        return span[1] <= start or end <= span[0]

    kept = tuple(item for item in best.evidence if outside(item.span))
    ids = {item.evidence_id for item in kept}
    unsaid = intent.size in (list_size, len(intent.by_role("target")))
    absent = tuple(name for name in intent.absent if name not in passage.text and passage.text not in name)
    changed = {
        "kind": "lyric",
        "entities": tuple(entity for entity in intent.entities if entity.evidence_id in ids),
        "constraints": tuple(c for c in intent.constraints if c.span == (0, 0) or outside(c.span)),
        "absent": absent if passage.cued else (),
        "free_text": passage.text,
        "size": 1 if unsaid and passage.size > _THEME_WORDS else list_size if unsaid else intent.size,
        "ambiguity": (),
    }
    return intent.model_copy(update=changed), kept


def says_lyrics(request: str, best: Reading) -> bool:
    """Whether the request says that it quotes words of a song."""
    return any(passage.cued for passage in passages(request, best))


def asks_for_a_line(request: str, best: Reading) -> bool:
    """Whether the request wants nothing but the song with a line that it says it quotes.

    One or two words are a theme that many songs may have, and what is held as a name is no line.
    """
    lines = [passage for passage in passages(request, best) if passage.cued and passage.size > _THEME_WORDS]
    if not lines or best.intent.entities or best.intent.personal != "none":
        return False
    intent, _ = _outside(best.intent, best, max(lines, key=lambda line: line.size), best.intent.size)
    return not intent.constraints
