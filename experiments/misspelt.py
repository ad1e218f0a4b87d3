"""Slips of the pen and of the ear, drawn by a seed: what misspelt names are made of for the measure in `spelling.py`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from data.names import name_form

KINDS = ("keyboard", "swapped", "dropped", "doubled", "undoubled", "sound", "two sounds", "joined", "joined and slip", "split")
_BESIDE = dict(
    pair.split("=")
    for pair in (
        "q=wa w=qes e=wrd r=etf t=ryg y=tuh u=yij i=uok o=ipl p=ol a=qsz s=awdx d=sefc f=drgv g=fthb h=gyjn j=hukm k=jil l=ko "
        "z=asx x=zsdc c=xdfv v=cfgb b=vghn n=bhjm m=njk"
    ).split()
)
"""Letter → its neighbours on the keyboard."""
_SOUNDS = [
    pair.split("=")
    for pair in (
        "ph=f f=ph ck=k c=k k=c ee=ea ea=ee ie=ei ei=ie y=i i=y z=s s=z qu=kw x=ks oo=u ou=ow wh=w kn=n th=t ch=sh sh=ch "
        "tion=shun er=ar ar=er or=er j=g g=j v=w ai=ay a=e e=a o=u"
    ).split()
]
"""Letters → others that are said much the same."""
_SHORTEST, _SHORTEST_SPLIT = 5, 6


def misspelt(rng: Random, name: str, kind: str) -> str | None:
    """The name in normal form with a slip of that kind in its longest word; None where it has no place for one."""
    words = name_form(name).split(" ")
    if kind.startswith("joined"):
        if len(words) < 2:
            return None
        at = rng.randrange(len(words) - 1)
        joined = " ".join([*words[:at], words[at] + words[at + 1], *words[at + 2 :]])
        return misspelt(rng, joined, "keyboard") if kind == "joined and slip" else joined
    least = _SHORTEST_SPLIT if kind == "split" else _SHORTEST
    longest = max(range(len(words)), key=lambda position: len(words[position]))
    word = words[longest]
    if len(word) < least or not (word.isascii() and word.isalpha()):
        return None
    wrong = _SLIPS[kind](rng, word)
    return None if wrong == word else " ".join([*words[:longest], wrong, *words[longest + 1 :]])


def _keyboard(rng: Random, word: str) -> str:
    at = rng.randrange(len(word))
    return word[:at] + rng.choice(_BESIDE[word[at]]) + word[at + 1 :]


def _swapped(rng: Random, word: str) -> str:
    at = rng.randrange(len(word) - 1)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _dropped(rng: Random, word: str) -> str:
    at = rng.randrange(len(word))
    return word[:at] + word[at + 1 :]


def _doubled(rng: Random, word: str) -> str:
    at = rng.randrange(len(word))
    return word[: at + 1] + word[at:]


def _undoubled(rng: Random, word: str) -> str:
    twice = [at for at in range(len(word) - 1) if word[at] == word[at + 1]]
    return _cut(word, rng.choice(twice)) if twice else word


def _cut(word: str, at: int) -> str:
    return word[:at] + word[at + 1 :]


def _sound(rng: Random, word: str) -> str:
    said, written = rng.choice([pair for pair in _SOUNDS if pair[0] in word] or [["", ""]])
    return word.replace(said, written, 1) if said else word


def _split(rng: Random, word: str) -> str:
    at = rng.randrange(2, len(word) - 1)
    return f"{word[:at]} {word[at:]}"


_SLIPS: dict[str, Callable[[Random, str], str]] = {
    "keyboard": _keyboard,
    "swapped": _swapped,
    "dropped": _dropped,
    "doubled": _doubled,
    "undoubled": _undoubled,
    "sound": _sound,
    "two sounds": lambda rng, word: _sound(rng, _sound(rng, word)),
    "split": _split,
}
