"""Number words of German, French, Spanish, Italian, Portuguese, Dutch, Chinese and Japanese to digits, 0 to 100.

Unlike the English ones they are no part of a name's own key, because many of them are everyday words of another
language ("once", "sei", "vier"); they give another spelling of a name, or of what a request says.
"""

from __future__ import annotations

import re
from functools import cache

from data.nameforms import name_form

_SMALL = {
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve",
    "it": "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove",
    "pt": "zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete "
    "dezoito dezenove",
    "nl": "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien",
}  # fmt: skip
_TENS = {
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix cent",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd",
}
_FRENCH_TEENS_ON = frozenset({60, 80})
"""From these the French count on to nineteen: soixante-douze is 72."""
_MISREAD = frozenset("un um een once onze due sei elf tien nul cent cem dix six sept otto".split())
"""Words that say something else far more often: articles, and everyday words of another language."""
_HAN_DIGITS = {
    char: value
    for value, chars in enumerate(("零〇", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for char in chars
}
_HAN_NUMBER = re.compile(r"[零〇一二两兩三四五六七八九十百]+")


def _joined(language: str, tens: str, unit: str) -> str:
    """How a language says `tens` + `unit` (1 to 9)."""
    if language == "de":
        return f"{'ein' if unit == 'eins' else unit}und{tens}"
    if language == "nl":
        return f"{unit}{'ën' if unit.endswith('e') else 'en'}{tens}"
    if language == "it":
        return (tens[:-1] if unit in ("uno", "otto") else tens) + unit
    if language == "es":
        return f"veinti{unit}" if tens == "veinte" else f"{tens} y {unit}"
    if language == "pt":
        return f"{tens} e {unit}"
    return f"{tens} et un" if unit == "un" and tens != "quatre-vingt" else f"{tens}-{unit}"


def _spelt(language: str) -> dict[str, int]:
    small, tens = _SMALL[language].split(), _TENS[language].split()
    found = {word: value for value, word in enumerate(small)} | {word: 10 * value for value, word in enumerate(tens, 2)}
    for value, word in enumerate(tens[:-1], 2):
        on_to = 20 if language == "fr" and value * 10 in _FRENCH_TEENS_ON else 10
        if language != "fr" or value not in (7, 9):
            found |= {_joined(language, word, small[unit]): value * 10 + unit for unit in range(1, on_to)}
    return found


@cache
def _phrases() -> dict[str, str]:
    """Phrase in normal form → its digits; a phrase that two languages share has one value in both."""
    found: dict[str, str] = {}
    for language in _SMALL:
        for phrase, value in _spelt(language).items():
            found.setdefault(name_form(phrase), str(value))
    return {phrase: digits for phrase, digits in found.items() if phrase not in _MISREAD}


@cache
def foreign_number_words() -> frozenset[str]:
    """First words of the phrases: a form without any of them holds no such number."""
    return frozenset(phrase.split(" ")[0] for phrase in _phrases())


def foreign_to_digits(form: str) -> str:
    """`form` (normal form) with every such number replaced by its digits, the longest first; Chinese characters too."""
    if not form.isascii():
        form = _HAN_NUMBER.sub(lambda match: _han_value(match.group()), form)
    tokens = form.split(" ")
    if foreign_number_words().isdisjoint(tokens):
        return form
    out: list[str] = []
    while tokens:
        length = next((n for n in range(min(4, len(tokens)), 0, -1) if " ".join(tokens[:n]) in _phrases()), 0)
        out.append(_phrases()[" ".join(tokens[:length])] if length else tokens[0])
        del tokens[: length or 1]
    return " ".join(out)


def _han_value(text: str) -> str:
    """Digits of a Chinese number: by place where it has 十 or 百, else one by one (二零零二 is 2002)."""
    if not set(text) & {"十", "百"}:
        return "".join(str(_HAN_DIGITS[char]) for char in text)
    value, pending = 0, None
    for char in text:
        if char in _HAN_DIGITS:
            pending = _HAN_DIGITS[char]
        else:
            value += (1 if pending is None else pending) * (10 if char == "十" else 100)
            pending = None
    return str(value + (pending or 0))
