"""What in a text speaks to a machine instead of about music. Detection only: nothing is ever obeyed, whatever is found."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from data.vocab.guard_words import instruction_phrases, instructions

Marker = Literal["field", "template", "role", "tool_call", "json", "instruction", "address", "markup", "command", "hidden"]
STEERING: frozenset[Marker] = frozenset({"field", "template", "role", "tool_call", "instruction"})
"""Markers that somebody writes to steer a model; the others may be an accident (a link that was pasted)."""

_SIGNS = re.compile(r"[<>\[\]{}$`;/\\#:|&＜＞［］｜]")
_PATTERNS: tuple[tuple[Marker, re.Pattern[str]], ...] = (
    ("field", re.compile(
        r"\[\[\s*##|##\s*\]\]|custom-type-(?:start|end)-identifier"
        r"|[\n\x85\u2028\u2029]\s*(?:[rextf]\d{1,3}|title|description|rout(?:es|ing)|reading|correction|cause|action)\s*:"
    )),
    ("template", re.compile(
        r"<\|[^<>\n]{0,60}\|>|</?s>|<<\s*/?sys\s*>>|\[/?inst\]|<(?:start|end)_of_turn>|</?(?:bos|eos|pad|think|system)>"
        r"|<｜[^<>\n]{0,60}｜>|\[/?(?:tool_calls|tool_results|available_tools|system_prompt)\]"
    )),
    ("role", re.compile(
        r"(?:^|\n|[.!?]\s)\s*(?:#{1,4}\s*)?(?:system|assistant|developer|instruction)\s*(?:message|prompt)?\s*:"
        r"|\n\s*(?:#{1,4}\s*)?(?:human|user|response)\s*:"
    )),
    ("tool_call", re.compile(
        r"</?(?:tool|function)_?(?:call|response|result)?s?\b[^<>\n]{0,200}>|\"?(?:tool_calls?|function_call|arguments)\"?\s*:"
    )),
    ("json", re.compile(r"[{\[,]\s*\"\w{1,40}\"\s*:|\"\s*}\s*,?\s*[{\]]|\"\s*}\s*$")),
    ("address", re.compile(r"\b(?:https?|ftp|file|javascript|data|vbscript):(?://|\w)|\bwww\.\w")),
    ("markup", re.compile(r"</?(?:script|iframe|img|svg|style|object|a|b|body|html|form|input|link|meta)\b[^<>]{0,300}>"
                          r"|!?\[[^\]\n]{0,200}\]\([^)\n]{1,300}\)|```")),
    ("command", re.compile(
        r"\$\([^)]{1,200}\)|\brm\s+-rf\b|\b(?:drop|alter|truncate)\s+table\b|;\s*--|(?:\.\./){2,}|/etc/(?:passwd|shadow)\b"
        r"|&&\s*\w+|\|\s*(?:sh|bash)\b|`[^`\n]{1,200}`"
        r"|\$\{[^}\n]{0,200}\}|\{\{[^}\n]{0,200}\}\}"
    )),
)  # fmt: skip
_HIDDEN = re.compile("[\x1b\u202a-\u202e\U000e0000-\U000e007f]")
"""Escapes, overrides of the direction of text, and tags: nobody types them. Isolates and marks come with pasted names."""
_LOOK_ALIKES = str.maketrans("аеорсухіјѕԁһոցքѵοαερνικτ", "aeopcyxijsdhnggvoaepvikt")


def markers(text: str) -> tuple[Marker, ...]:
    """The kinds of markers in a text, in the order of the table; invisible and look-alike letters do not hide one."""
    plain = _plain(text)
    found = [kind for kind, pattern in _PATTERNS if pattern.search(plain)] if _SIGNS.search(plain) else []
    if instructs(plain) or (not plain.isascii() and instructs(plain.translate(_LOOK_ALIKES))):
        found.append("instruction")
    if _HIDDEN.search(text):
        found.append("hidden")
    return tuple(found)


def instructs(text: str) -> bool:
    """Whether a casefolded text tells a model what to do, in any of the languages known."""
    known = any(one.verb.search(text) and one.whole.search(text) for one in instructions())
    return known or instruction_phrases().search(text) is not None


def struck(text: str) -> str:
    """`text`, each line of it with instructions to a model taken out; what else stands in the line is kept."""
    return "\n".join(map(_struck_line, text.split("\n"))) if "instruction" in markers(text) else text


def _struck_line(line: str) -> str:
    plain = _plain(line)
    if "instruction" not in markers(line):
        return line
    if len(plain) != len(line):  # letters were hidden or folded: the place in the line is lost
        return "(…)"
    for pattern in (*(one.whole for one in instructions()), instruction_phrases()):
        while match := pattern.search(plain):
            start, end = match.span()
            plain, line = f"{plain[:start]}(…){plain[end:]}", f"{line[:start]}(…){line[end:]}"
    return "(…)" if "instruction" in markers(line) else line


def _plain(text: str) -> str:
    """Casefolded, compatibility forms resolved, invisible characters gone."""
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if unicodedata.category(char) != "Cf")
