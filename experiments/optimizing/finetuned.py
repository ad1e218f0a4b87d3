"""What `melo optimize finetune` found: drafts by epoch, figures on dev before and after, what a teacher gave."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from experiments.figures import Difference, Drawn
from experiments.labelled_run import Scored
from experiments.optimizing.teaching import Taught
from experiments.scores import MEASURES, OBJECTIVE, Measure
from optimizers.recipes.finetune import NAME
from program.bundle.files import Measured, Scores

BEFORE, AFTER = "before", "after"
"""The systems: without an LM, and with the adapter."""
_SHOWN = ("misidentified", "constraint_f1", "recovery", "preservation", "success_at_n", "hallucinated", "crashed")
Metric = dict[str, float | int | None]


class Finetuned(BaseModel):
    """The whole run.

    Attributes:
        fit, chosen_by: requests. drafts: epoch → micro F1 of the names in drafts of the requests that chose.
        taught: what a teacher marked; None without one.
        before, after, gain: without an LM, with the adapter, and the paired difference, over the dev rows from end to end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: str = NAME
    lm: str
    seed: int
    fit: int
    chosen_by: int
    sources: tuple[str, ...]
    taught: Taught | None = None
    drafts: dict[str, float]
    epoch: int
    ended: str
    seconds: float
    before: dict[str, Metric]
    after: dict[str, Metric]
    gain: dict[str, Metric]
    train: str
    dev: str
    settings_hash: str
    catalog_hash: str
    code: str
    versions: dict[str, str]
    out: str
    store: str = ""
    run: str = ""


def figures(scored: Scored, system: str, drawn: Drawn) -> dict[str, Metric]:
    """One system's figures on the dev rows."""
    return {name: measure.figure(scored.scores[system], drawn).metric() for name, measure in _measures().items()}


def gains(scored: Scored, drawn: Drawn) -> dict[str, Metric]:
    """By how much they changed, paired."""
    after, before = scored.scores[AFTER], scored.scores[BEFORE]
    return {name: _plain(measure.difference(after, before, drawn)) for name, measure in _measures().items()}


def _measures() -> dict[str, Measure]:
    return {"objective": OBJECTIVE, **{name: MEASURES[name] for name in _SHOWN}}


def _plain(found: Difference) -> Metric:
    return {"value": found.value, "lo": found.lo, "hi": found.hi, "n": found.n, "runs": found.runs}


def scores_of(found: Finetuned) -> Scores:
    """The figures as a bundle keeps them."""
    shown = {f"after.{name}": one for name, one in found.after.items()}
    shown |= {f"gain.{name}": one for name, one in found.gain.items()}
    about = {"recipe": NAME, "seed": str(found.seed), "epoch": str(found.epoch), "train": found.train, "dev": found.dev}
    return Scores(measured=(Measured(set=found.dev, split="dev", figures=shown, about=about),))


def finetuned_lines(found: Finetuned) -> Iterator[str]:
    """The result for a terminal."""
    drafts = ", ".join(f"{epoch}: {score:.3f}" for epoch, score in found.drafts.items())
    yield f"{found.recipe}, LM {found.lm}, seed {found.seed}: {found.fit} requests, {found.seconds:.0f} s; {found.ended}"
    yield from found.taught.lines() if found.taught else ()
    yield f"  names in drafts, micro F1 over {found.chosen_by} requests, by epoch: {drafts}; epoch {found.epoch} was taken"
    for name, before in found.before.items():
        yield f"  {name:<14} {_shown(before)} → {_shown(found.after[name])}  {_shown(found.gain[name], signed=True)}"
    yield f"  written to {found.out}; run kept in {found.store}"


def _shown(metric: Metric, *, signed: bool = False) -> str:
    if metric["value"] is None:
        return "–"
    sign = "+" if signed else ""
    return f"{metric['value']:{sign}.3f} [{metric['lo']:{sign}.3f}, {metric['hi']:{sign}.3f}]"
