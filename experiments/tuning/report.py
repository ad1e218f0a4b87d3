"""What `melo tune` prints: what was searched, what it proposes, how that does on rows that it did not see, what was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict

from experiments.external.scoring import Metric
from experiments.tuning.compare import OBJECTIVE, Compared

_COLUMN = 26


class Report(BaseModel):
    """Base of what is reported: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Counted(Report):
    """Examples of one kind that were tuned on and held out; the hashes of them and of their catalog."""

    tuned: int
    held_out: int
    hash: str
    catalog_hash: str


class Changed(Report):
    """One setting. worth: what the objective loses on the tuning rows when only this one is put back."""

    before: float
    after: float
    worth: float


class Tuned(Report):
    """The result of one `melo tune`.

    Attributes:
        weights: part of the objective → its weight; they add up to 1.
        trials: done in all; resumed: of them, those that an earlier call had done. found_in: the best one's number.
        searched: the objective on the rows that were tuned on.
        held_out, test: figures on rows that nothing was tuned on; the last one is the objective.
        file: what was written; None: nothing. verdict: why.
        study: names what was searched: the same settings, rows, seed and code have the same.
    """

    objective: str
    weights: dict[str, float]
    constraints: tuple[str, ...]
    trials: int
    resumed: int
    incomplete: str
    seed: int
    found_in: int
    examples: dict[str, Counted]
    searched: dict[str, float]
    changes: dict[str, Changed]
    held_out: dict[str, Compared]
    test: dict[str, Compared] = {}
    file: str | None
    verdict: str
    base_settings_hash: str
    settings_hash: str
    versions: dict[str, str]
    seconds: float
    study: str
    store: str
    run: str


def table_lines(tuned: Tuned) -> Iterator[str]:
    """The result as text."""
    yield f"objective    {tuned.objective}"
    yield f"constraints  {'; '.join(tuned.constraints)}"
    kinds = (f"{one.tuned:,} {kind} of {one.tuned + one.held_out:,}" for kind, one in tuned.examples.items())
    yield f"tuned on     {', '.join(kinds)}; the others are held out"
    again = f", {tuned.resumed} of them by an earlier call" if tuned.resumed else ""
    stopped = f" ({tuned.incomplete})" if tuned.incomplete else ""
    yield f"trials       {tuned.trials}{again}{stopped}; the best is number {tuned.found_in}"
    yield f"on its rows  {tuned.searched['before']:.4f} before, {tuned.searched['after']:.4f} after"
    yield ""
    yield from _changes(tuned.changes)
    yield from _figures("held out", tuned.held_out)
    if tuned.test:
        yield from _figures("test", tuned.test)
    yield tuned.verdict
    hashes = " · ".join(f"catalog of {kind} {one.catalog_hash}" for kind, one in tuned.examples.items())
    yield f"seed {tuned.seed} · settings {tuned.settings_hash} (before: {tuned.base_settings_hash}) · {hashes}"
    yield f"MLflow run {tuned.run} in {tuned.store} · {tuned.seconds:.0f} s"


def _changes(changes: Mapping[str, Changed]) -> Iterator[str]:
    if changes:
        yield f"{'setting':<24}{'before':>8}{'after':>8}   worth on the rows that were tuned on"
        for name, one in changes.items():
            yield f"{name:<24}{one.before:>8g}{one.after:>8g}   {one.worth:+.4f}"
        yield ""


def _figures(title: str, figures: Mapping[str, Compared]) -> Iterator[str]:
    yield f"{title:<16}" + "".join(f"{head:<{_COLUMN}}" for head in ("before", "after", "after - before", "differ")).rstrip()
    for name, one in figures.items():
        label = f"{name} ({one.before.n:,})"
        cells = "".join(f"{_cell(cell):<{_COLUMN}}" for cell in (one.before, one.after, one.difference))
        yield f"  {label:<18}{cells}{one.differ}"
    yield ""


def _cell(metric: Metric) -> str:
    return f"{metric.value:.3f} [{metric.lo:.3f}, {metric.hi:.3f}]"


def comments(tuned: Tuned) -> Iterator[str]:
    """The head of the settings file."""
    yield "Made by `melo tune`: what differs from the defaults."
    yield f"Objective: {tuned.objective}."
    for kind, one in tuned.examples.items():
        yield f"Tuned on {one.tuned} {kind}, judged on {one.held_out} others; catalog {one.catalog_hash}."
    yield f"Seed {tuned.seed}, {tuned.trials} trials, study {tuned.study}, settings before {tuned.base_settings_hash}."
    for name, figure in tuned.held_out.items():
        before, after, difference = map(_cell, (figure.before, figure.after, figure.difference))
        yield f"Held out, {name}: {before} before, {after} after, difference {difference}."
    if not tuned.held_out[OBJECTIVE].is_better:
        yield "NOT SHOWN TO BE BETTER: written because of --force."
    for name, change in tuned.changes.items():
        yield f"{name}: {change.before:g} before."
