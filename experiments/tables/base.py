"""What every table is given, and the parts that tables share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

from experiments.bench.machine import code, machine, versions
from experiments.figures import Difference, Drawn
from experiments.journal import Journal, remove_old
from experiments.lm_cache import AnswerStore, Patience
from experiments.replays import temperature_of
from experiments.report import About, Cell, Line, Spent
from experiments.runner import Progress, Run, Runner, Task
from experiments.variants import variant
from optimizers.limits import Limits
from optimizers.records import Asked
from program.lm.embedded import PREFIX
from program.settings import Settings

_A = TypeVar("_A", bound=Asked)
PROGRAM = "melo"
_SOURCES = ("data", "signatures", "program")
LAYERS = {"L3": ("full", "no_l3"), "L2": ("no_l3", "l1_only"), "L1": ("l1_only", "none")}
"""Layer → the variants with and without it, all else equal. Source: Melo, Table 2."""
LAYER_WORDS = {"L3": "L3, guards on the plan", "L2": "L2, rules of use", "L1": "L1, look-up in the catalog"}


@dataclass(frozen=True)
class Setup:
    """How a table is made.

    Attributes:
        settings: of the full system, with the backbone in them. runs: replays of every request.
        journal: folder of the answers that are kept; None keeps none. fresh: ask again what is kept.
        remembered: file of LM answers; None asks the LM always.
        command: what made it, for the record.
        workers: requests that are asked at the same time. partial: keep what was answered when the backbone fails.
        patience: how a limit on the rate of calls is waited for.
    """

    settings: Settings
    runs: int = 1
    drawn: Drawn = field(default_factory=Drawn)
    limits: Limits = field(default_factory=Limits)
    journal: Path | None = None
    fresh: bool = False
    remembered: Path | None = None
    progress: Progress = lambda stage, done, total: None
    command: str = ""
    workers: int = 1
    partial: bool = False
    patience: Patience | None = None

    @property
    def backbone(self) -> str:
        """Its name, or those of the nodes."""
        return self.settings.lm.label

    @property
    def free(self) -> bool:
        """Whether no backbone of it costs money."""
        names = {part.rpartition("=")[2] for part in self.backbone.split(",")}
        return all(name == "none" or name.startswith(PREFIX) for name in names)

    @property
    def temperature(self) -> float:
        """Of the LMs; 0 without one."""
        return temperature_of(self.runs) if self.backbone != "none" else 0.0

    def variants(self, names: Iterable[str]) -> dict[str, Settings]:
        """Name → settings."""
        return {name: variant(name, self.settings) for name in names}

    @contextmanager
    def store(self) -> Iterator[AnswerStore | None]:
        """The LM answers, opened; nothing to remember without an LM."""
        store = AnswerStore(self.remembered) if self.remembered and self.backbone != "none" else None
        try:
            yield store
        finally:
            if store is not None:
                store.close()

    def run(self, name: str, kind: type[_A], tasks: Sequence[Task], ask: Callable[[Task], _A]) -> Run[_A]:
        """Ask the tasks.

        Args:
            name: of the journal's file.
        """
        path = None
        if self.journal:
            stem = f"{name}-{file_part(self.backbone)}"
            path = self.journal / f"{stem}-{source_code()}.jsonl"
            remove_old(self.journal, f"{stem}-*.jsonl")
        runner = Runner(
            ask, lambda reason: kind(error=reason), Journal(path, kind, fresh=self.fresh),
            limits=self.limits, progress=self.progress, free=self.free, workers=self.workers, partial=self.partial,
        )  # fmt: skip
        return runner.run(tasks)

    def tasks(
        self,
        variants: Mapping[str, Settings],
        texts: Mapping[str, str],
        catalog: Mapping[str, str],
        *,
        programs: Mapping[str, str] | None = None,
    ) -> list[Task]:
        """Every request under every variant in every replay; a run that breaks off has whole requests.

        Args:
            texts: qid → what the answer depends on beside settings and catalog. catalog: qid → its hash.
            programs: variant → what is asked, where that is not the product itself.
        """
        made = (("backbone", self.backbone), ("temperature", self.temperature), ("code", source_code()))
        named = programs or {}
        return [
            Task(name, qid, replay, text, (
                *made, ("settings", settings.hash()), ("program", named.get(name, PROGRAM)), ("catalog", catalog[qid])
            ))
            for replay in range(self.runs)
            for qid, text in texts.items()
            for name, settings in variants.items()
        ]  # fmt: skip


@dataclass(frozen=True)
class Asking:
    """What the table's set was, for `about`."""

    set: str
    split: str
    requests: int
    catalog: str
    catalog_tracks: int
    excluded: Mapping[str, Sequence[str]] = field(default_factory=dict)


def about(setup: Setup, asking: Asking, variants: Mapping[str, Settings], run: Run[_A]) -> About:
    """Where a table's figures come from."""
    answers = list(run.answers.values())
    days = sorted({answer.asked_on for answer in answers if answer.asked_on})
    return About(
        command=setup.command, set=asking.set, split=asking.split, requests=asking.requests,
        excluded={reason: tuple(qids) for reason, qids in asking.excluded.items() if qids},
        runs=setup.runs, temperature=setup.temperature, seed=setup.drawn.seed, draws=setup.drawn.draws,
        backbone=setup.backbone, settings={name: settings.hash() for name, settings in variants.items()},
        catalog=asking.catalog, catalog_tracks=asking.catalog_tracks, code=source_code(), versions=versions(),
        machine=machine(), date=" to ".join(dict.fromkeys((days[0], days[-1]))) if days else "",
        spent=_spent(answers), crashed=dict(Counter(answer.error for answer in answers if answer.error).most_common()),
        incomplete=run.incomplete,
    )  # fmt: skip


def _spent(answers: Sequence[Asked]) -> Spent:
    usages = [answer.usage for answer in answers if answer.usage.calls]
    costs = [usage.cost_usd for usage in usages]
    return Spent(
        answers=len(answers),
        lm_calls=sum(usage.calls for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        cached_tokens=sum(usage.cached_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        seconds=round(sum(answer.seconds for answer in answers), 1),
        cost_usd=None if None in costs else round(sum(cost for cost in costs if cost is not None), 6),
    )


@cache
def source_code() -> str:
    """A hash of everything that decides an answer."""
    return code(*_SOURCES)


def file_part(text: str) -> str:
    """A name as part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._=,-]+", "_", text)


def comparison(name: str, found: Difference) -> Line:
    """A line of a block of differences; see `DIFFERENCE_COLUMNS`."""
    cells: dict[str, Cell] = {"difference": found, "only_first": found.only_first, "only_second": found.only_second, "p": found.p}
    return Line(name=name, cells=cells)
