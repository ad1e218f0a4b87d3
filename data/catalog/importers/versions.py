"""Which kind of recording a title's remarks say it is: "Purple Rain (Live)" → live."""

from __future__ import annotations

import re

from data.catalog.schema import VersionKind

_REMARK = re.compile(r"(?!^)[(\[（【]([^()\[\]（）【】]*)|(?<=\S)\s[-–—/]\s+([^()\[\]（）【】]*)")
_BREAK = re.compile(r"\s[-–—/]\s")
_ANYWHERE = re.compile(r"originally performed by|\bkaraoke (?:version|track)\b|\bin the style of\b.*\bkaraoke\b")
_BY_ANOTHER = re.compile(r"originally performed|(?:made|as) (?:famous|popular) by|\bin the style of\b")
_KARAOKE = re.compile(
    r"\bkaraoke\b|\bbacking tracks?\b|\bsing[- ]?along version\b|\b(?:no|without|minus) (?:lead|vocals?|background)\b"
    r"|カラオケ|伴奏"
)
_INSTRUMENTAL = re.compile(r"\binstrumental\b|纯音乐|純音樂|インスト")
_KINDS: tuple[tuple[VersionKind, re.Pattern[str]], ...] = (
    (
        "remix",
        re.compile(
            r"\b(?:remix(?:ed)?|rmx|rework|mash-?up|nightcore|sped up|slowed)\b|混音|リミックス"
            r"|^(?!.*\b(?:original|mono|stereo|radio|single|album|extended|long|short|main|final|rough|continuous|clean"
            r"|anniversary|vocal|new|atmos|\d{4}|\d{2}) mix\b).+\bmix$"
        ),
    ),
    (
        "live",
        re.compile(
            r"^live(?:$|[ ,:/@-]+(?:at|@|from|in|on|with|version|session|acoustic|performance|recording|edit|mix|take"
            r"|medley|\W|\d))"
            r"|^(?!.*\b(?:long|to|i|we|you|they|let|and|both|can|never) live$).*\blive$"
            r"|\blive ?@|\blive\b.*\b(?:19|20)\d\d\b"
            r"|\b(?:recorded live|live (?:at|version|session|from)|in concert|en vivo|en directo|ao vivo|en concert)\b"
            r"|现场|現場|演唱会|演唱會|ライブ|ライヴ"
        ),
    ),
    ("re-recording", re.compile(r"\bre-?record(?:ed|ing)\b|\btaylor[’']?s version\b|重录|重錄|再録")),
    ("acoustic", re.compile(r"\bacoustic\b|\bunplugged\b|\bstripped\b|不插电|不插電|アコースティック")),
    (
        "cover",
        re.compile(
            r"\bcover(?:ed)?(?: version| by .*)?$|\btribute (?:to|version)\b|\bcast version\b|\b8[- ]?bit\b"
            r"|\blullaby (?:version|rendition)\b|翻唱|カバー|カヴァー"
        ),
    ),
    ("demo", re.compile(r"\bdemo\b|デモ|小样")),
    ("instrumental", _INSTRUMENTAL),
    ("remaster", re.compile(r"\bremaster(?:ed|isé|izado)?\b|重制|重製|リマスター")),
)


def remarks(title: str) -> list[str]:
    """What stands in brackets or behind a spaced dash after a title's first words, lower case, in order."""
    texts = (remark.group(1) or remark.group(2) or "" for remark in _REMARK.finditer(title))
    found = (part for text in texts for part in _BREAK.split(text))
    return [part.strip().casefold() for part in found if part.strip()]


def version_of(title: str) -> VersionKind:
    """The kind of recording that `title` (clean text) says it is; `original` when it says nothing.

    Karaoke goes before every other kind, and so does a backing track of somebody else's song; a song "originally
    performed by" another artist, sung, is a cover. Source: own, read off the titles of CPCD.
    """
    said = remarks(title) if any(mark in title for mark in "([（【-–—/") else []
    folded = title.casefold() if "erformed by" in title or "araoke" in title else ""
    if folded and _ANYWHERE.search(folded):
        said.append(folded)
    if not said:
        return "original"
    by_another = any(_BY_ANOTHER.search(remark) for remark in said)
    if any(_KARAOKE.search(remark) or (by_another and _INSTRUMENTAL.search(remark)) for remark in said):
        return "karaoke"
    for kind, pattern in _KINDS:
        if any(pattern.search(remark) for remark in said):
            return kind
    return "cover" if by_another else "original"
