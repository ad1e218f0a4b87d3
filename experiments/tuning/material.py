"""What a catalog is tuned on: labelled requests, field rows, or both, each with a share that the search does not see."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from data.errors import InputError
from data.names import name_key
from experiments.commands.bar import bar
from experiments.commands.places import open_index
from experiments.external.catalogs import open_catalog
from experiments.external.evaluation import read_requests
from experiments.external.field_rows import FieldRow, load_common, load_rows
from experiments.external.rows import LabelledRequest
from experiments.external.sets import SPAN_SETS
from experiments.stats import mean
from experiments.tuning.field_asked import FieldRows, field_embedder, shelved
from experiments.tuning.held_out import divided
from experiments.tuning.span_rows import ASKED, SpanRows
from optimizers.objective import Objective, Part
from optimizers.spans import f1
from program.index.protocol import CatalogIndex

SET = SPAN_SETS["music_ner"]
TRAIN, TEST = "train", "test"
REQUESTS, ROWS = "requests", "rows"
HELD_OUT_REQUESTS, HELD_OUT_ROWS = 0.3, 0.5
WEIGHTS: Mapping[str, float] = {"names": 1.0, "shortcut": 0.25, "field": 1.0}
"""Part → its weight (own choice). The shortcut counts for less: names are what an answer stands on."""

_OF = {"names": REQUESTS, "shortcut": REQUESTS, "field": ROWS}
_NEEDS = {REQUESTS: "--data", ROWS: "--rows"}


@dataclass(frozen=True)
class Sources:
    """What the caller has.

    Attributes:
        data: the folder of music_ner. catalog: an index to read its requests against; None: the set's own.
        rows: the folder of field rows.
        weights: of parts, where they are not as in `WEIGHTS`; 0 leaves a part out.
        test: also open the test split, which nothing is tuned on or chosen by.
    """

    data: Path | None
    rows: Path | None
    catalog: Path | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    test: bool = False

    def weight(self, name: str) -> float:
        """The weight of a part; 0 for one that there is nothing for."""
        given = {REQUESTS: self.data, ROWS: self.rows}[_OF[name]]
        return self.weights.get(name, WEIGHTS[name]) if given else 0.0

    def check(self) -> None:
        """Raises InputError: nothing to tune on, or a weight that means nothing."""
        for name, weight in self.weights.items():
            if name not in WEIGHTS:
                raise InputError(f"the objective has no part {name}", hint=f"one of {', '.join(WEIGHTS)}")
            if not 0 <= weight < math.inf:
                raise InputError(f"the weight of {name} is {weight:g}, not a number from 0 on")
            if weight and not self.weight(name):
                raise InputError(f"{name} has a weight and nothing to rest on", hint=f"give {_NEEDS[_OF[name]]} DIR")
        if not self.data and not self.rows:
            raise InputError("nothing to tune on", hint="give --data DIR (music_ner), --rows DIR (field rows), or both")
        if not any(self.weight(name) for name in WEIGHTS):
            raise InputError("every part of the objective has the weight 0")
        if (self.test or self.catalog) and not self.data:
            raise InputError("--test and --catalog belong to the requests of music_ner", hint="give --data DIR")


@dataclass(frozen=True)
class Examples:
    """How many there are of one kind, and a hash over them all."""

    tuned: int
    held_out: int
    hash: str


@dataclass(frozen=True)
class Material:
    """Objectives over the same parts and other examples.

    Attributes:
        test: over the test split; None where it was not asked for.
        catalogs: kind of example → hash of what its requests are read against.
    """

    tuned: Objective
    held_out: Objective
    test: Objective | None
    examples: Mapping[str, Examples]
    catalogs: Mapping[str, str]


@contextmanager
def material(sources: Sources, seed: int) -> Iterator[Material]:
    """Read and divide what there is; closes the index at the end.

    Raises:
        InputError: there is nothing, too little, or a file of it cannot be used.
    """
    sources.check()
    if sources.data is None:
        yield _material(sources, seed, None)
        return
    with closing(open_index(sources.catalog) if sources.catalog else open_catalog(SET.name, sources.data)) as index:
        yield _material(sources, seed, index)


def _material(sources: Sources, seed: int, index: CatalogIndex | None) -> Material:
    tuned, held_out, test = list[Part](), list[Part](), list[Part]()
    examples, catalogs = dict[str, Examples](), dict[str, str]()
    if sources.data and index is not None:
        requests = divided(
            read_requests(SET, sources.data, TRAIN, None), lambda one: name_key(one.text), HELD_OUT_REQUESTS, seed, REQUESTS
        )
        tuned += _span_parts(requests.tuned, index, sources)
        held_out += _span_parts(requests.held_out, index, sources)
        if sources.test:
            test += _span_parts(read_requests(SET, sources.data, TEST, None), index, sources)
        examples[REQUESTS] = _examples(requests.tuned, requests.held_out)
        catalogs[REQUESTS] = index.info.content_hash[:16]
    if sources.rows:
        rows = divided(load_rows(sources.rows), lambda row: row.case or row.id, HELD_OUT_ROWS, seed, "field rows")
        field_tuned, field_held_out = _field_parts(rows.tuned, rows.held_out, sources)
        tuned += field_tuned
        held_out += field_held_out
        examples[ROWS] = _examples(rows.tuned, rows.held_out)
        catalogs[ROWS] = _hash([load_common(sources.rows)])
    return Material(Objective(tuned), Objective(held_out), Objective(test) if test else None, examples, catalogs)


def _span_parts(requests: Sequence[LabelledRequest], index: CatalogIndex, sources: Sources) -> list[Part]:
    rows = SpanRows(SET, requests, index)
    parts = [
        Part("names", f"micro F1 of names in {SET.name}", REQUESTS, sources.weight("names"), rows.names, f1),
        Part(
            "shortcut", f"1 answered right without an LM, {ASKED:g} left to it, 0 wrong", REQUESTS, sources.weight("shortcut"),
            rows.shortcut, mean,
        ),
    ]  # fmt: skip
    return [part for part in parts if part.weight]


def _field_parts(tuned: Sequence[FieldRow], held_out: Sequence[FieldRow], sources: Sources) -> tuple[list[Part], list[Part]]:
    weight = sources.weight("field")
    if not weight or sources.rows is None:
        return [], []
    embedder = field_embedder()
    with bar("melo tune") as progress:
        ready = shelved([*tuned, *held_out], load_common(sources.rows), embedder, progress)
    parts = [
        [Part("field", "share of field rows right", ROWS, weight, FieldRows(part, embedder).right, mean)]
        for part in (ready[: len(tuned)], ready[len(tuned) :])
    ]
    return parts[0], parts[1]


def _examples(tuned: Sequence[BaseModel], held_out: Sequence[BaseModel]) -> Examples:
    return Examples(len(tuned), len(held_out), _hash([*tuned, *held_out]))


def _hash(models: Sequence[BaseModel]) -> str:
    digest = hashlib.sha256()
    for model in models:
        digest.update(model.model_dump_json().encode() + b"\n")
    return digest.hexdigest()[:16]
