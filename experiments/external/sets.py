"""The external sets by name: their splits, their reader, their figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from data.errors import InputError
from experiments.external import music_ner, snips
from experiments.external.rows import LabelledRequest
from experiments.external.scoring import NAME_FIGURES, SLOT_FIGURES, Figure


@dataclass(frozen=True)
class SpanSet:
    """A set of requests with labelled names.

    Attributes:
        splits: named parts; a group name stands for several of them. default: what is scored when no split is given.
        whole_words: spans are whole words between spaces.
    """

    name: str
    splits: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    default: str
    read: Callable[[Path, str], list[LabelledRequest]]
    figures: Mapping[str, Figure]
    whole_words: bool

    def parts(self, split: str) -> tuple[str, ...]:
        """The splits that a name stands for.

        Raises:
            InputError: there is no such split.
        """
        if split in self.splits:
            return (split,)
        if split in self.groups:
            return self.groups[split]
        raise InputError(f"{self.name} has no split {split}", hint=f"one of {', '.join((*self.splits, *self.groups))}")


SPAN_SETS: Mapping[str, SpanSet] = {
    "music_ner": SpanSet(
        "music_ner", music_ner.SPLITS, {"train": music_ner.SPLITS[:2], "test": music_ner.SPLITS[2:], "all": music_ner.SPLITS},
        "all", music_ner.requests, NAME_FIGURES, whole_words=True,
    ),
    "snips": SpanSet("snips", snips.SPLITS, {}, "validate", snips.requests, SLOT_FIGURES, whole_words=False),
}  # fmt: skip
