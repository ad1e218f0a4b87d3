"""Other spellings of one name: what people write instead of it.

Two kinds of rules. The first work on a name as written, where signs, capitals and accents still stand; the second on its
normal form. Where both sides may be written either way (colour/color, IV/4/four/vier), `loosened` brings the name and the
request's words to the same spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from data.foreignnumbers import foreign_number_words, foreign_to_digits
from data.nameforms import base_title, form_key, name_form, name_key
from data.numberwords import words_to_digits

_ARTICLES = "the|a|an|les?|la|los|las|el|il|lo|gli|o|os|die|der|das|den|de|het|een|ein|eine|une?|una"
_ARTICLE = re.compile(rf"^(?:{_ARTICLES}) (?=\w)")
_ONLY_ARTICLE = re.compile(rf"(?:{_ARTICLES})")
_ARTICLE_LAST = re.compile(rf"^(?P<name>.+), (?P<article>{_ARTICLES})$", re.IGNORECASE)
_ELIDED = re.compile(r"^[lL]['’](?=\w)")
_ROMAN = {
    roman: str(value) for value, roman in enumerate("ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii".split(), 2)
}
_ROMAN_ANYWHERE = frozenset("ii iii iv vi vii viii ix".split())
"""The others are letters or words elsewhere, and count at the end of a name only."""
_NUMBERED = frozenset("part volume act chapter book number".split())
"""After these even a final `i` is a number."""
_STYLISED = str.maketrans(dict(zip("!|$€£¥@530174", "iiselyaseoita", strict=True)))
_MAY_BE_STYLISED = re.compile(r"[^\W\d_][!|$€£¥@0-9]|[!|$€£¥@0-9][^\W\d_]")
_STYLISED_TOKEN = re.compile(r"(?=\S*[^\W\d_])(?=\S*[!|$€£¥@0-9])[\w!|$€£¥@]+")
_NOT_STYLISED = re.compile(r"[!|]+$|^[!|]+|\d\d+|^\d+|(?<![a-z])\d+$")
"""Inside a token: an exclamation mark or bar at its edge, and digits that are a number rather than a letter."""
_LOOKALIKES = str.maketrans(dict(zip("ΛΞΣΔΩЯИИΠ∆λξσδωяиηπ", "AESAORNNNAaesaornnn", strict=True)))
_LATIN = re.compile(r"[A-Za-z]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_N_BETWEEN = re.compile(r"(?<=\w)\s+['’‘]?n['’‘]?\s+(?=\w)", re.IGNORECASE)
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe", "Å": "Aa"}
)
_MAY_HAVE_UMLAUT = re.compile("[äöüøåÄÖÜØÅ]")
_WRITTEN = """
colour color|colours colors|coloured colored|colouring coloring|favourite favorite|flavour flavor|honour honor|
humour humor|labour labor|neighbour neighbor|neighbours neighbors|neighbourhood neighborhood|rumour rumor|rumours rumors|
harbour harbor|armour armor|vapour vapor|saviour savior|behaviour behavior|endeavour endeavor|grey gray|greys grays|
theatre theater|centre center|metre meter|fibre fiber|sombre somber|spectre specter|lustre luster|jewellery jewelry|
catalogue catalog|dialogue dialog|programme program|pyjamas pajamas|mum mom|aeroplane airplane|defence defense|
offence offense|travelling traveling|traveller traveler|travellers travelers|marvellous marvelous|mould mold|plough plow|
doughnut donut|tonite tonight|nite night|nites nights|thru through|luv love|boyz boys|girlz girls|rnb randb|
pt part|pts parts|vol volume|mr mister|dr doctor|jr junior|sr senior|st saint|mt mount|vs versus|
1st first|2nd second|3rd third|4th fourth|5th fifth|6th sixth|7th seventh|8th eighth|9th ninth|10th tenth
"""
"""British and American, sounded-out and full, short and long; the second of each pair is the loosened one."""


@cache
def _loose_words() -> dict[str, str]:
    pairs = [pair.split() for pair in _WRITTEN.replace("\n", "").split("|")]
    return {short: full for short, full in pairs} | {roman: _ROMAN[roman] for roman in _ROMAN_ANYWHERE}


def loosened(form: str) -> str:
    """`form` in the one of its usual spellings that a key is made of: American, digits, long; unchanged where it has none."""
    tokens = form.split(" ")
    words = _loose_words()
    if not words.keys().isdisjoint(tokens):
        tokens = [words.get(token, token) for token in tokens]
    if len(tokens) > 1:
        numbered = tokens[-1] == "i" and tokens[-2] in _NUMBERED
        tokens[-1] = "1" if numbered else _ROMAN.get(tokens[-1], tokens[-1])
    if not form.isascii() or not foreign_number_words().isdisjoint(tokens):
        return foreign_to_digits(" ".join(tokens))
    return " ".join(tokens)


def respelled(name: str) -> Iterator[str]:
    """Other spellings of `name` as forms, the nearest first; a spelling may come twice."""
    form = name_form(name)
    forms = [form]
    if not (name.isascii() and name.isalpha()):
        forms += dict.fromkeys(other for written in _rewritten(name) if (other := name_form(written)) != form)
    elif _CAMEL.search(name):
        forms += _with_number(name)
    yield from forms[1:]
    for base in forms:
        yield from _forms(base, name)


def may_be_asked_otherwise(word: str) -> bool:
    """Whether a request's word alone lets `asked_as` find another spelling of the words around it."""
    form = name_form(word)
    listed = form in _ROMAN or form in _NUMBERED or form in foreign_number_words()
    return listed or bool(_MAY_HAVE_UMLAUT.search(word) or asked_as(word))


def asked_as(surface: str) -> list[str]:
    """Keys of other spellings of a request's words, without their own key; none for most words."""
    form = name_form(surface)
    forms = [loosened(form)]
    if _MAY_HAVE_UMLAUT.search(surface):
        forms.append(name_form(surface.translate(_UMLAUTS)))
    keys = dict.fromkeys([*(form_key(words_to_digits(other)) for other in forms), form_key(form)])
    keys.pop(name_key(surface), None)
    return list(keys)


def _rewritten(name: str) -> Iterator[str]:
    """Spellings of the name as written: without a remark, its article first, its signs as letters, its words apart."""
    base = base_title(name)
    if base != name:
        yield base
    if "," in base and (found := _ARTICLE_LAST.match(base)):
        yield f"{found['article']} {found['name']}"
    if _ELIDED.match(base):
        yield base[2:]
    if _MAY_BE_STYLISED.search(base):
        yield _STYLISED_TOKEN.sub(lambda match: _as_letters(match.group()), base.casefold())
    if _CAMEL.search(base):
        yield from _with_number(base)
    if _N_BETWEEN.search(base):
        yield _N_BETWEEN.sub("n", base)
    if not base.isascii():
        yield from _from_letters(base)


def _with_number(name: str) -> Iterator[str]:
    """The words that capitals set apart, where one of them is a number ("OneRepublic")."""
    apart = name_form(_CAMEL.sub(" ", name))
    if words_to_digits(apart) != apart:
        yield apart


def _from_letters(name: str) -> Iterator[str]:
    if _MAY_HAVE_UMLAUT.search(name):
        yield name.translate(_UMLAUTS)
    if _LATIN.search(name) and (plain := name.translate(_LOOKALIKES)) != name:
        yield plain


def _as_letters(token: str) -> str:
    """A stylised token with letters for its signs: "ke$ha" → "kesha"; "wham!" and "sum41" stay."""
    kept = {at for match in _NOT_STYLISED.finditer(token) for at in range(*match.span())}
    letters = token.translate(_STYLISED)
    return "".join(token[at] if at in kept else letters[at] for at in range(len(token)))


def _forms(form: str, name: str) -> Iterator[str]:
    """Spellings of a normal form: loosened, and either without its article and without its `and`."""
    loose = loosened(form)
    if loose != form:
        yield loose
    for other in dict.fromkeys((form, loose)):
        without = _ARTICLE.sub("", other)
        if without != other and not _ONLY_ARTICLE.fullmatch(without) and (other[1] != " " or name[1:2].isspace()):
            yield without  # a letter that a sign cut off ("A$AP") is no article
        if " and " in other:
            yield other.replace(" and ", " ")
