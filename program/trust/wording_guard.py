"""Checks on words before they are shown: their form, their script, and claims that no text about music may make."""

from __future__ import annotations

import re
import unicodedata

from data.contracts import ReplyContract
from data.vocab.guard_words import risky_claims
from program.trust.markers import markers

_KEPT = frozenset("\u200c\u200d")
_SCRIPTS = {
    "zh": re.compile(r"[\u3400-\u9fff]"), "ja": re.compile(r"[\u3040-\u30ff\u3400-\u9fff]"), "ko": re.compile(r"[\uac00-\ud7a3]"),
    "ru": re.compile(r"[\u0400-\u04ff]"), "el": re.compile(r"[\u0370-\u03ff]"), "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"), "th": re.compile(r"[\u0e00-\u0e7f]"), "hi": re.compile(r"[\u0900-\u097f]"),
}  # fmt: skip
_OTHER_SCRIPT = re.compile(
    r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_MARKUP = {"markup": "markup", "address": "a web address", "template": "markup", "field": "markup", "tool_call": "a tool call",
           "json": "JSON", "command": "a command", "instruction": "instructions", "role": "a role",
           "hidden": "hidden characters"}  # fmt: skip


def shown(text: str) -> str:
    """`text` without what a terminal or a page would act on: controls, escapes, invisible and reordering characters.

    Joiners stay, as do all visible characters: a name is shown as it is.
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, _ESCAPE.sub("", text))).strip()


def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "" if category in ("Cf", "Cs") and char not in _KEPT else char


def form_faults(text: str, contract: ReplyContract) -> list[str]:
    """What in a model's words is not plain text: markup, addresses, JSON, commands, several lines, hidden characters."""
    found = [_MARKUP[kind] for kind in markers(without_names(text, contract))]
    if shown(text) != text.strip() or "\n" in text:
        found.append("hidden characters or several lines")
    return list(dict.fromkeys(found))


def risk_faults(text: str, contract: ReplyContract) -> list[str]:
    """Claims and demands in a model's words; names of the contract are no claims ("The Cure")."""
    match = risky_claims().search(without_names(text, contract).casefold())
    return [f"the words “{match.group().strip()}”"] if match else []


def script_faults(text: str, contract: ReplyContract) -> list[str]:
    """Whether a model's words are in another script than the listener's language; names are in any."""
    words = without_names(text, contract)
    script = _SCRIPTS.get(contract.locale)
    if script is None:
        return ["another script"] if _OTHER_SCRIPT.search(words) else []
    return [] if script.search(text) else ["another script"]


def without_names(text: str, contract: ReplyContract) -> str:
    """`text` without the names that the contract holds, the longest first."""
    names = {*contract.task.names, *(name for track in contract.tracks for name in (track.title, *track.artists))}
    for name in sorted(filter(None, names), key=len, reverse=True):
        if name in text:
            text = text.replace(name, " ")
    return text
