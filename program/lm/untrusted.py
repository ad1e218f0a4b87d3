"""Text from outside (requests, catalog names) made harmless before it enters a prompt."""

import re
import unicodedata

_DSPY_FIELD = re.compile(r"\[\[(?=\s*##)|(?<=##)(\s*)\]\]")
_DSPY_TYPE = re.compile(r"<<(?=/?CUSTOM-TYPE-)|(?<=-IDENTIFIER)>>")
_TEMPLATE_TAG = re.compile(
    r"<(?:\|[^<>\n]{0,60}\||｜[^<>\n]{0,60}｜|/?[A-Za-z][A-Za-z_]{0,30}\d{0,6})>|</?s>|<<(/?)SYS>>"
    r"|\[/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]"
)
_PAIRS = str.maketrans({"<": "\u2039", ">": "\u203a", "[": "(", "]": ")"})
_KEPT_CONTROLS = frozenset("\n\t")
_KEPT_FORMATS = frozenset("\u200c\u200d")


def neutralise(text: str) -> str:
    """Defuse what an LM or DSPy would read as markup; the length stays the same, so spans keep their offsets.

    Touched are DSPy's field and custom-type markers, tokens of chat templates (`<|im_start|>`, `<start_of_turn>`,
    `[INST]`, `<｜User｜>`), control and invisible format characters (joiners stay: scripts need them) and lone surrogates.
    """
    text = _clean(text)
    for pattern in (_DSPY_FIELD, _DSPY_TYPE, _TEMPLATE_TAG):
        text = pattern.sub(lambda match: match.group().translate(_PAIRS), text)
    return text


def defuse_template(text: str) -> str:
    """Only the tokens of chat templates; for text that this program wrote itself."""
    return _TEMPLATE_TAG.sub(lambda match: match.group().translate(_PAIRS), text)


def _clean(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_clean_character, text))


def _clean_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category == "Cc" and character not in _KEPT_CONTROLS:
        return " "
    if category == "Cf" and character not in _KEPT_FORMATS:
        return " "
    return character
