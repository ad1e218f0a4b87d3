"""Requests with their names marked: what an adapter learns from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from data.contracts import NameKind
from data.labelled import LabelledRow
from program.lm.names_adapter import answer, asked


@dataclass(frozen=True)
class Marked:
    """A name in a request: characters [start, end)."""

    kind: NameKind
    start: int
    end: int


@dataclass(frozen=True)
class Example:
    """One request. names: left to right, without overlaps. source: the data set that it is from."""

    text: str
    names: tuple[Marked, ...]
    source: str

    def words(self, name: Marked) -> str:
        """The name as it stands in the request."""
        return self.text[name.start : name.end]

    @property
    def prompt(self) -> str:
        """What the model is asked."""
        return asked(self.text)

    @property
    def answer(self) -> str:
        """What the model should write."""
        return answer([(name.kind, asked(self.words(name))) for name in self.names])


def example(text: str, names: Iterable[Marked], source: str) -> Example:
    """An example of names in any order; of two that overlap the longer one is kept."""
    kept: list[Marked] = []
    for name in sorted(names, key=lambda one: (one.start - one.end, one.start)):
        if all(name.end <= other.start or other.end <= name.start for other in kept):
            kept.append(name)
    return Example(text, tuple(sorted(kept, key=lambda one: one.start)), source)


def of_rows(rows: Sequence[LabelledRow], source: str) -> list[Example]:
    """Labelled rows as examples. Rows with an absent name are left out: what kind of name it is, is not labelled."""
    return [example(row.request, _marked(row), source) for row in rows if not row.absent]


def _marked(row: LabelledRow) -> list[Marked]:
    """The names of a row; of one that cannot be told apart the first reading."""
    first = row.ambiguity.readings[0] if row.ambiguity else ()
    found: list[Marked] = []
    for entity in (*row.entities, *first):
        start = row.request.find(entity.surface)
        kind: NameKind = "artist" if entity.entity_type == "artist" else "work"
        found.append(Marked(kind, start, start + len(entity.surface)))
    return found
