"""`melo compare`: several backbones over one set, a row each; one that cannot be asked is a row that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.backbones.plot import Point
from experiments.bundles import default_bundle, system_of
from experiments.chosen import with_lm
from experiments.figures import Difference, Figure, shares
from experiments.labelled_run import LabelledRun, Scored, answer_rows, rows_of
from experiments.report import Block, Cell, Column, Line, Table
from experiments.runner import Run
from experiments.scores import MEASURES, OBJECTIVE
from experiments.tables.base import Setup, about
from experiments.tables.parts import known_times
from optimizers.metrics import RowScores
from optimizers.records import AnswerRecord
from program.bundle.files import Bundle
from program.index.protocol import CatalogIndex
from program.lm.auto import DevScore
from program.lm.backbones import probe, resolve
from program.settings import Settings

NAME = "backbones"
PROBE_S = 20.0
_QUALITY = ("misidentified", "constraint_f1", "recovery", "preservation", "success_at_n", "hallucinated", "crashed")
NOTES = (
    "The same requests, in the same order, with the same seeds and the same budget a request (LM calls, tokens, seconds) on"
    " each backbone. A backbone that fails in mid-run keeps the answers that it gave; differences are over the requests that"
    " both answered.",
    "objective: the mean, by request, of names right, constraint F1, a valid plan, recovery that keeps the core, and enough"
    " good tracks, as far as the request speaks of them. Times leave out answers that were remembered or that waited for a"
    " limit on the rate of calls.",
)


@dataclass(frozen=True)
class Contestant:
    """One backbone, or a mix of them.

    Attributes:
        bundle: its compiled program; None for the program as it is written.
        unusable: why it cannot be asked; empty when it can.
    """

    name: str
    settings: Settings
    bundle: Bundle | None = None
    unusable: str = ""


@dataclass(frozen=True)
class Asked:
    """What came of a backbone."""

    contestant: Contestant
    scored: Scored | None = None

    @property
    def run(self) -> Run[AnswerRecord]:
        """Its run; empty when it was not asked."""
        return Run() if self.scored is None else self.scored.run

    @property
    def records(self) -> list[list[AnswerRecord]]:
        """A list a run."""
        return [] if self.scored is None else self.scored.records[self.contestant.name]

    @property
    def scores(self) -> list[list[RowScores]]:
        """A list a run."""
        return [] if self.scored is None else self.scored.scores[self.contestant.name]


def contestant(name: str, settings: Settings, *, probing: Callable[[str], str | None] | None = None) -> Contestant:
    """The backbone of this name, probed with one word.

    Raises:
        BackboneError: the text cannot be read as names of backbones.
        BundleError: its default program cannot be believed.
    """
    chosen = with_lm(settings, name)
    label = chosen.lm.label
    names = dict.fromkeys(part.rpartition("=")[2] for part in label.split(","))
    reasons = (reason for one in names if (reason := (probing or _probe)(one)))
    bundle = default_bundle(label)
    own = bundle.settings if bundle is not None and settings == Settings() else chosen
    return Contestant(label, own, bundle, next(reasons, ""))


def _probe(name: str) -> str | None:
    from data.errors import BackboneError

    try:
        return probe(resolve(name), PROBE_S)
    except BackboneError as error:
        return error.one_line()


class BackbonesTable:
    """Asks a set of every backbone.

    Args:
        setup: its backbone and settings are taken from each contestant.
        limit: only the first rows. workers: by name, how many requests at the same time; embedded ones take one.
    """

    def __init__(
        self, name: str, split: str, index: CatalogIndex, setup: Setup, contestants: Sequence[Contestant], *,
        limit: int | None = None, workers: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        self._name, self._split, self._index, self._setup = name, split, index, setup
        self._rows = rows_of(name, split)[:limit]
        self._contestants = tuple(contestants)
        self._workers = workers or {}
        self.asked: tuple[Asked, ...] = ()

    def table(self) -> Table:
        """Ask and reckon."""
        self.asked = tuple(map(self._ask, self._contestants))
        setup = replace(self._setup, settings=self._contestants[0].settings)
        run = LabelledRun(self._rows, self._index, setup)
        whole: Run[AnswerRecord] = Run(
            {key: answer for one in self.asked for key, answer in one.run.answers.items()},
            incomplete="; ".join(one.run.incomplete for one in self.asked if one.run.incomplete),
        )
        settings = {one.name: one.settings for one in self._contestants}
        told = about(setup, run.asking(self._name, self._split, len(self._rows)), settings, whole)
        names = "+".join(one.name for one in self._contestants)
        return Table(
            name=NAME, title=f"Backbones beside each other ({self._name}, {self._split})",
            blocks=(self._quality(), self._cost(), self._failures(), self._against_first()), notes=NOTES,
            answers=tuple(row for one in self.asked if one.scored for row in answer_rows(one.scored)),
            about=told.model_copy(update={"backbone": names}),
        )  # fmt: skip

    def broken(self) -> tuple[str, ...]:
        """Why backbones were given up in mid-run."""
        return tuple(one.run.broken for one in self.asked if one.run.broken)

    def points(self) -> tuple[Point, ...]:
        """For the plot: quality against latency and cost."""
        found = []
        for one in self.asked:
            quality, p50 = self._objective(one), self._p(one, 0.5)
            if quality.value is not None and p50.value is not None:
                found.append(Point(one.contestant.name, quality, p50.value, _cost_per_thousand(one)))
        return tuple(found)

    def dev_scores(self) -> tuple[DevScore, ...]:
        """Rows for `--lm auto`: of every backbone that answered everything; the cheaper of equal ones first."""
        rows = []
        for one in sorted(self.asked, key=lambda each: self._p(each, 0.5).value or 0.0):
            found = self._objective(one)
            if found.value is None or found.lo is None or found.hi is None or found.n < len(self._rows):
                continue
            made = one.contestant
            days = sorted({record.asked_on for run in one.records for record in run})
            rows.append(DevScore(
                lm=made.name, score=found.value, lo=found.lo, hi=found.hi, n=found.n, set=self._name,
                p50_ms=self._p(one, 0.5).value, program=made.bundle.program_hash if made.bundle and made.bundle.state else "",
                settings=made.settings.hash(), catalog=self._index.info.content_hash[:16], code=self._code(), measured=days[-1],
            ))  # fmt: skip
        return tuple(rows)

    def _code(self) -> str:
        from experiments.tables.base import source_code

        return source_code()

    def _ask(self, one: Contestant) -> Asked:
        if one.unusable:
            return Asked(one)
        setup = replace(
            self._setup, settings=one.settings, partial=True,
            workers=1 if "embedded/" in one.name else self._workers.get(one.name, 1),
        )  # fmt: skip
        run = LabelledRun(self._rows, self._index, setup)
        return Asked(one, run.scored({one.name: system_of(one.bundle, one.settings)}))

    def _objective(self, one: Asked) -> Figure:
        return OBJECTIVE.figure(one.scores, self._setup.drawn) if one.scores else _nothing()

    def _p(self, one: Asked, level: float) -> Figure:
        return self._setup.drawn.quantile(known_times(one.records, "total"), level) if one.records else _nothing()

    def _quality(self) -> Block:
        columns = [Column(key="state", head="state"), Column(key="objective", head="objective (%)", unit="share")]
        columns += [Column(key=name, head=f"{name} (%)", unit="share") for name in _QUALITY]
        lines = []
        for one in self.asked:
            cells: dict[str, Cell] = {"state": self._state(one), "objective": self._objective(one)}
            if one.scores:
                cells |= {name: MEASURES[name].figure(one.scores, self._setup.drawn) for name in _QUALITY}
            lines.append(Line(name=one.contestant.name, cells=cells))
        return Block(title="Quality", first="backbone", columns=tuple(columns), lines=tuple(lines), plotted="objective")

    def _state(self, one: Asked) -> str:
        if one.contestant.unusable:
            return f"not asked: {one.contestant.unusable}"
        asked = sum(map(len, one.records))
        wanted = len(self._rows) * self._setup.runs
        program = f", {one.contestant.bundle.name}" if one.contestant.bundle and one.contestant.bundle.state else ""
        if one.run.broken:
            return f"lm_unavailable after {asked} of {wanted}: {one.run.broken}"
        return f"answered{program}" if asked == wanted else f"{asked} of {wanted}{program}: {one.run.incomplete}"

    def _cost(self) -> Block:
        heads = {
            "p50": ("P50 (ms)", "ms"), "p99": ("P99 (ms)", "ms"), "calls": ("LM calls", "count"),
            "prompt": ("prompt tokens", "count"), "completion": ("completion tokens", "count"),
            "cached": ("cached (%)", "share"), "usd": ("USD per 1,000 requests", "count"), "waited": ("waited (s)", "count"),
        }  # fmt: skip
        columns = tuple(Column(key=key, head=head, unit=unit) for key, (head, unit) in heads.items())  # type: ignore[arg-type]
        lines = [Line(name=one.contestant.name, cells=self._spent(one)) for one in self.asked]
        return Block(title="Latency and cost, a request", first="backbone", columns=columns, lines=tuple(lines))

    def _spent(self, one: Asked) -> dict[str, Cell]:
        records = [record for run in one.records for record in run]
        if not records:
            return {}
        prompt = sum(record.usage.prompt_tokens for record in records)
        cached = sum(record.usage.cached_tokens for record in records)
        return {
            "p50": self._p(one, 0.5), "p99": self._p(one, 0.99),
            "calls": self._mean(one, lambda record: record.usage.calls),
            "prompt": self._mean(one, lambda record: record.usage.prompt_tokens),
            "completion": self._mean(one, lambda record: record.usage.completion_tokens),
            "cached": cached / prompt if prompt else None, "usd": _cost_per_thousand(one),
            "waited": round(sum(record.waited_s for record in records), 1),
        }  # fmt: skip

    def _mean(self, one: Asked, value: Callable[[AnswerRecord], float]) -> Figure:
        return self._setup.drawn.figure(shares([[float(value(record)) for record in run] for run in one.records]))

    def _failures(self) -> Block:
        counts = {one.contestant.name: failures(record for run in one.records for record in run) for one in self.asked}
        for one in self.asked:
            if one.run.outages:
                counts[one.contestant.name]["infrastructure: lm_unavailable"] += one.run.outages
        kinds = sorted({kind for count in counts.values() for kind in count})
        columns = tuple(Column(key=kind, head=kind, unit="count") for kind in kinds)
        lines = tuple(Line(name=name, cells={kind: count[kind] for kind in kinds}) for name, count in counts.items())
        return Block(title="Failures by kind (answers)", first="backbone", columns=columns, lines=lines)

    def _against_first(self) -> Block:
        columns = (
            Column(key="difference", head="objective (points)", unit="points"), Column(key="both", head="requests", unit="count")
        )  # fmt: skip
        first, lines = self.asked[0], []
        for other in self.asked[1:]:
            one, two = _common(other, first)
            found = OBJECTIVE.difference(one, two, self._setup.drawn) if one and one[0] else None
            cells: dict[str, Cell] = {"difference": found, "both": len(one[0]) if one else 0}
            lines.append(Line(name=f"{other.contestant.name} − {first.contestant.name}", cells=cells))
        return Block(title="Against the first, paired", first="pair", columns=columns, lines=tuple(lines))


def failures(records: Iterable[AnswerRecord]) -> Counter[str]:
    """Answers in which something failed, by its kind and code; an answer counts once for each."""
    found: Counter[str] = Counter()
    for record in records:
        kinds = {f"{fault.kind}: {fault.code}" for fault in record.fallbacks}
        if record.error:
            kinds.add(f"crashed: {record.error.split(':', 1)[0]}")
        found.update(kinds)
    return found


def _common(one: Asked, other: Asked) -> tuple[list[list[RowScores]], list[list[RowScores]]]:
    """The scores of both over the requests that both answered in every run."""
    if one.scored is None or other.scored is None:
        return [], []
    both = {row.qid for row in one.scored.rows} & {row.qid for row in other.scored.rows}
    pick = [each.scored.only(lambda row: row.qid in both) for each in (one, other) if each.scored is not None]
    return pick[0].scores[one.contestant.name], pick[1].scores[other.contestant.name]


def _cost_per_thousand(one: Asked) -> float | None:
    """What a thousand requests cost if nothing is remembered; None where no price is known."""
    records = [record for run in one.records for record in run]
    asked = [record for record in records if not record.remembered]
    if not records or any(record.usage.calls and record.usage.cost_usd is None for record in asked):
        return 0.0 if records and "embedded/" in one.contestant.name else None
    return round(1000 * sum(record.usage.cost_usd or 0.0 for record in asked) / len(asked), 4) if asked else None


def _nothing() -> Difference:
    return Difference(value=None, lo=None, hi=None, n=0, runs=0)
