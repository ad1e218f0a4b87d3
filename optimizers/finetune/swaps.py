"""The same requests with other names in them: a small model otherwise learns the names of a small set by heart."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data.contracts import NameKind
from optimizers.finetune.examples import Example, Marked
from optimizers.spans import plain
from program.lm.names_adapter import KINDS

_OTHER_NAME = 0.7
"""Share of the names of a changed request that are replaced (own choice)."""


@dataclass(frozen=True)
class Swaps:
    """Puts other names into requests.

    Attributes:
        labelled: by kind, names that stand in requests. held: by kind, names of a catalog. Both are drawn from at even odds.
        share: of the requests that are changed, 0..1.
    """

    labelled: Mapping[NameKind, Sequence[str]]
    held: Mapping[NameKind, Sequence[str]]
    share: float

    def __call__(self, one: Example, rng: random.Random) -> Example:
        """The request, or the same one with other names; only names in Latin letters are replaced."""
        if not one.names or rng.random() >= self.share:
            return one
        bare = one.text == plain(one.text)
        text, names, position = "", list[Marked](), 0
        for name in one.names:
            text += one.text[position : name.start]
            old = one.words(name)
            new = self._other(name.kind, rng) if old.isascii() and rng.random() < _OTHER_NAME else old
            new = plain(new) if bare and new is not old else new
            names.append(Marked(name.kind, len(text), len(text) + len(new)))
            text, position = text + new, name.end
        return Example(text + one.text[position:], tuple(names), one.source)

    def _other(self, kind: NameKind, rng: random.Random) -> str:
        pools = [pool for pool in (self.labelled[kind], self.held[kind]) if pool]
        return rng.choice(rng.choice(pools))


def swaps_of(examples: Iterable[Example], held: Mapping[NameKind, Sequence[str]], share: float) -> Swaps:
    """Swaps among the names of the examples and of a catalog."""
    labelled: dict[NameKind, list[str]] = {kind: [] for kind in KINDS}
    for one in examples:
        for name in one.names:
            if one.words(name).isascii():
                labelled[name.kind].append(one.words(name))
    return Swaps(labelled, held, share)
