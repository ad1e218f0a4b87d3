"""The field rows under each defence: requests that real assistants got wrong, right or wrong as a whole."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.bench.machine import content
from experiments.external.field import FieldBench
from experiments.external.field_rows import COMMON, FieldRow, load_common, load_rows
from experiments.figures import Difference, shares
from experiments.lm_cache import Tally
from experiments.replays import replayed
from experiments.report import Block, Cell, Column, Line, Table
from experiments.runner import Run, Task
from experiments.tables.base import LAYER_WORDS, LAYERS, Asking, Setup, about, comparison
from optimizers.records import Asked, outage_of, total_usage
from program.graph import Melo
from program.index.embedder import TextEmbedder, packaged_embedder
from program.index.protocol import CatalogIndex, Vector
from program.lm.backbones import Backbone
from program.settings import Settings

NAME = "field"
VARIANTS = ("full", "no_l3", "l1_only", "none")
VARIANT_WORDS = {"full": "full defence", "no_l3": "without L3", "l1_only": "L1 only", "none": "no defence"}
DIFFERENCE_COLUMNS = (
    Column(key="difference", head="difference (points)", unit="points"),
    Column(key="only_first", head="right only with", unit="count"),
    Column(key="only_second", head="right only without", unit="count"),
    Column(key="p", head="McNemar p", unit="p"),
)
_NOTE = (
    "A row is right when everything that it wants holds of the answer (tests/field/README.md). The catalogs tempt on purpose, so"
    " these are no rates of everyday requests."
)
_CASE_LINES = {"rows with a public report": True, "rows of our own": False}


class FieldAnswer(Asked):
    """faults: what is wrong with the answer, in words; empty when it is right."""

    faults: tuple[str, ...] = ()
    status: str = ""

    @property
    def right(self) -> bool:
        """Whether the answer is what the row wants."""
        return not self.faults and not self.error


class FieldTable:
    """Asks every row under every variant.

    Args:
        folder: of the rows.
        embedder: the packaged one when None.
        kinds: only rows of these; empty: all.
    """

    def __init__(self, folder: Path, setup: Setup, *, embedder: TextEmbedder | None = None, kinds: Sequence[str] = ()) -> None:
        self._folder = folder
        self._setup = setup
        self._embedder = embedder
        self._rows = {row.id: row for row in load_rows(folder) if not kinds or row.kind in kinds}

    def table(self) -> Table:
        """Ask and reckon."""
        setup = self._setup
        variants = setup.variants(VARIANTS)
        texts = {qid: row.model_dump_json() for qid, row in self._rows.items()}
        common = content([self._folder / COMMON])
        tasks = setup.tasks(variants, texts, dict.fromkeys(texts, common))
        with tempfile.TemporaryDirectory(prefix="melo-field-") as work, setup.store() as store:
            asker = _Asker(self._bench(Path(work)), self._rows, variants, lambda n, t: replayed(n, setup.temperature, store, t))
            run = setup.run(NAME, FieldAnswer, tasks, asker)
        return self._reckoned(run, variants)

    def _bench(self, work: Path) -> FieldBench:
        return FieldBench(load_common(self._folder), work, _OneByOne(self._embedder or packaged_embedder()))

    def _reckoned(self, run: Run[FieldAnswer], variants: Mapping[str, Settings]) -> Table:
        setup = self._setup
        qids = run.whole(VARIANTS, tuple(self._rows), setup.runs)
        right = {name: [[answer.right for answer in replay] for replay in run.of(name, qids, setup.runs)] for name in VARIANTS}
        tracks = sum(len(row.catalog.tracks) for row in self._rows.values()) + len(load_common(self._folder).tracks)
        asking = Asking(NAME, "", len(qids), content(sorted(self._folder.glob("*.json*"))), tracks)
        return Table(
            name=NAME,
            title="Requests that real assistants got wrong: rows answered right",
            blocks=(
                self._right(right, [self._rows[qid] for qid in qids]),
                self._differences(right),
                self._layers(right),
                _by_kind(right, [self._rows[qid] for qid in qids], setup.runs),
            ),
            notes=(_NOTE,),
            details={name: _mistakes(qids, run.of(name, qids, setup.runs)) for name in VARIANTS},
            answers=_answer_rows(qids, run, setup.runs),
            about=about(setup, asking, variants, run),
        )  # fmt: skip

    def _right(self, right: Mapping[str, Sequence[Sequence[bool]]], rows: Sequence[FieldRow]) -> Block:
        columns = [Column(key="right", head="right (%)", unit="share")]
        columns += [Column(key=name, head=f"{name} (%)", unit="share") for name in _CASE_LINES]
        lines = []
        for name, replays in right.items():
            cells: dict[str, Cell] = {"right": self._setup.drawn.figure(shares(replays))}
            for title, reported in _CASE_LINES.items():
                part = [[one for one, row in zip(run, rows, strict=True) if bool(row.case) == reported] for run in replays]
                cells[title] = self._setup.drawn.figure(shares(part))
            lines.append(Line(name=VARIANT_WORDS[name], cells=cells))
        return Block(title="Right", first="variant", columns=tuple(columns), lines=tuple(lines), plotted="right")

    def _differences(self, right: Mapping[str, Sequence[Sequence[bool]]]) -> Block:
        lines = [comparison(f"full − {VARIANT_WORDS[name]}", self._tested(right, "full", name)) for name in VARIANTS[1:]]
        return Block(
            title="Full defence against each other variant", first="pair", columns=DIFFERENCE_COLUMNS, lines=tuple(lines)
        )

    def _layers(self, right: Mapping[str, Sequence[Sequence[bool]]]) -> Block:
        lines = [comparison(LAYER_WORDS[layer], self._tested(right, *pair)) for layer, pair in LAYERS.items()]
        return Block(
            title="What each layer adds", first="layer", columns=DIFFERENCE_COLUMNS, lines=tuple(lines), plotted="difference"
        )

    def _tested(self, right: Mapping[str, Sequence[Sequence[bool]]], first: str, second: str) -> Difference:
        return self._setup.drawn.tested(right[first], right[second])


def _answer_rows(qids: Sequence[str], run: Run[FieldAnswer], runs: int) -> tuple[dict[str, Any], ...]:
    """A line an answer."""
    return tuple(
        {"variant": name, "replay": replay, "id": qid, "right": answer.right, "status": answer.status, "faults": answer.faults}
        for name in VARIANTS
        for replay, answers in enumerate(run.of(name, qids, runs))
        for qid, answer in zip(qids, answers, strict=True)
    )


def _mistakes(qids: Sequence[str], replays: Sequence[Sequence[FieldAnswer]]) -> dict[str, dict[str, list[str]]]:
    """What was wrong in any run, by row; crashes apart."""
    found: dict[str, dict[str, list[str]]] = {"wrong": {}, "crashed": {}}
    for answers in replays:
        for qid, answer in zip(qids, answers, strict=True):
            if not answer.right:
                reasons = [answer.error] if answer.error else list(answer.faults)
                found["crashed" if answer.error else "wrong"].setdefault(qid, []).extend(reasons)
    return found


class _OneByOne:
    """Embeds each text once and alone: the rows share most of their tracks, and a text's vector depends on no neighbour."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    def embed(self, texts: list[str]) -> Vector:
        """Vectors, shape (len(texts), dimensions)."""
        for text in texts:
            if text not in self._known:
                self._known[text] = self._embedder.embed([text])[0]
        return np.stack([self._known[text] for text in texts])


class _Asker:
    """Answers one task."""

    def __init__(
        self,
        bench: FieldBench,
        rows: Mapping[str, FieldRow],
        variants: Mapping[str, Settings],
        resolver: Callable[[int, Tally], Callable[[str], Backbone]],
    ) -> None:
        self._bench, self._rows, self._variants, self._resolver = bench, rows, variants, resolver

    def __call__(self, task: Task) -> FieldAnswer:
        tally = Tally()
        backbones = self._resolver(task.replay, tally)

        def program(index: CatalogIndex, settings: Settings) -> Melo:
            return Melo(index, settings, backbones=backbones)

        result = self._bench.score(self._rows[task.qid], self._variants[task.variant], program)
        outage = outage_of(result.playlist.fallback)
        usage = total_usage(result.playlist.usage)
        if usage.calls:
            usage = usage.model_copy(update={"cost_usd": tally.cost_usd})
        return FieldAnswer(
            outage=outage, usage=usage, remembered=tally.remembered, asked_on=datetime.date.today().isoformat(),
            seconds=result.playlist.timings_ms.get("total", 0.0) / 1000, faults=result.faults, status=result.playlist.status,
        )  # fmt: skip


def _by_kind(right: Mapping[str, Sequence[Sequence[bool]]], rows: Sequence[FieldRow], runs: int) -> Block:
    columns = [Column(key="rows", head="rows", unit="count")]
    columns += [Column(key=name, head=VARIANT_WORDS[name], unit="count") for name in right]
    lines = []
    for kind in sorted({row.kind for row in rows}):
        here = [at for at, row in enumerate(rows) if row.kind == kind]
        counts = {name: sum(run[at] for run in replays for at in here) / runs for name, replays in right.items()}
        lines.append(Line(name=kind, cells={"rows": len(here), **counts}))
    return Block(title="Rows right by kind (mean of the runs)", first="kind", columns=tuple(columns), lines=tuple(lines))
