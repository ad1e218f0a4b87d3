"""How good an adapter's drafts are: asked of llama.cpp as the product asks, before the catalog has said anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import dspy
from dspy.utils.exceptions import AdapterParseError

from optimizers.finetune.examples import Example
from optimizers.spans import NamedSpan, f1, tallies
from program.lm.embedded import embedded_lm
from program.lm.names_adapter import NamesAdapter, asked
from program.lm.slots import asking
from signatures.understand import DraftNames

Drafter = Callable[[str], list[str]]
_MOST_TOKENS = 90


def drafter(brain: str, adapter: Path) -> Drafter:
    """What drafts the names of a request with an adapter; an unreadable draft names nothing."""
    lm, laid = embedded_lm(brain, _MOST_TOKENS, str(adapter)), NamesAdapter()
    predict = dspy.Predict(DraftNames)

    def draft(text: str) -> list[str]:
        with dspy.context(lm=lm, adapter=laid, disable_history=True), asking("understand"):
            try:
                return list(predict(request=text).names)
            except AdapterParseError:
                return []

    return draft


def draft_f1(examples: Sequence[Example], draft: Drafter, watch: Callable[[int], None] = lambda done: None) -> float:
    """Strict micro F1 over (words, kind), 0..1."""
    found: list[list[NamedSpan]] = []
    for number, one in enumerate(examples, 1):
        found.append([_span(*name.split(": ", 1)) for name in draft(one.text)])
        watch(number)
    gold = [[_span(name.kind, asked(one.words(name))) for name in one.names] for one in examples]
    return float(f1(tallies(gold, found).sum(axis=0)))


def _span(kind: str, words: str) -> NamedSpan:
    return NamedSpan(text=words, type=kind)
