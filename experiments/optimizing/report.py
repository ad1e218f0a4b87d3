"""What `melo optimize` found: scores per node before and after, what was spent, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict

from experiments.figures import Difference, Drawn, Figure, shares
from optimizers.search.board import Proposal
from optimizers.search.purse import Purse
from optimizers.search.tuner import NodeRun

Metric = dict[str, float | int | None]


class NodeReport(BaseModel):
    """One node.

    Attributes:
        start, best, gain: mean scores over the dev cases, and their paired difference; higher is better. None: not known.
        parts: part of the score → before and after. failed: assertions that failed with the best text.
        proposals: texts that were asked anything. ended: why the search ended.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    node: str
    train: int
    dev: int
    labels: int
    start: Metric | None
    best: Metric | None
    gain: Metric | None
    parts: dict[str, tuple[float | None, float | None]]
    failed: dict[str, int]
    proposals: int
    improved: bool
    demos: int
    ended: str


class Optimized(BaseModel):
    """The whole run.

    Attributes:
        spent: calls (remembered ones counted), tokens, seconds, USD; by_lm: calls by backbone.
        resumed: answers of an interrupted run that were played back.
        out: the folder of `program.json`. study: the same for a call that goes on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: str
    lm: str
    teacher: str
    reflection_lm: str
    seed: int
    nodes: tuple[NodeReport, ...]
    spent: dict[str, float | int]
    by_lm: dict[str, int]
    limits: dict[str, float | int | None]
    resumed: int
    settings_hash: str
    catalog_hash: str
    code: str
    versions: dict[str, str]
    train: str
    dev: str
    study: str
    out: str
    store: str = ""
    run: str = ""
    verdict: str = ""


def node_report(run: NodeRun, drawn: Drawn) -> NodeReport:
    """One node's figures."""
    start, best, ids = run.start, run.best, run.board.dev
    known = start is not None and start.mean(ids) is not None
    before = shares([_scores(start, ids)]) if known and start else None
    after = shares([_scores(best, ids)]) if best else None
    gain = drawn.difference(after, before) if before is not None and after is not None else None
    parts = {
        name: (start.parts(ids).get(name) if start else None, best.parts(ids).get(name) if best else None)
        for name in sorted({*(start.parts(ids) if start else ()), *(best.parts(ids) if best else ())})
    }
    return NodeReport(
        node=run.node, train=len(run.train), dev=len(run.dev), labels=run.labels,
        start=_metric(drawn.figure(before)) if before is not None else None,
        best=_metric(drawn.figure(after)) if after is not None else None,
        gain=_metric(gain) if gain else None, parts=parts, failed=best.failed(ids) if best else {},
        proposals=len(run.board.proposals), improved=run.improved, demos=len(best.state.demos) if best else 0, ended=run.ended,
    )  # fmt: skip


def spent_of(purse: Purse) -> dict[str, float | int]:
    """The purse as figures."""
    return {
        "calls": purse.calls, "remembered": purse.remembered, "prompt_tokens": purse.prompt_tokens,
        "cached_tokens": purse.cached_tokens, "completion_tokens": purse.completion_tokens,
        "seconds": round(purse.seconds, 1), "usd": round(purse.usd, 6),
    }  # fmt: skip


def verdict_of(nodes: Sequence[NodeReport]) -> str:
    """One sentence: what is better now."""
    better = [node.node for node in nodes if node.improved]
    if not better:
        return "Nothing better than the start was found on dev; the state written is the start."
    sure = [node.node for node in nodes if node.gain and (node.gain["lo"] or 0) > 0]
    shown = f"with an interval above zero: {', '.join(sure)}" if sure else "no interval is above zero"
    return f"Better on dev: {', '.join(better)} ({shown}). Dev was chosen by; only test can judge it."


def report_lines(found: Optimized) -> Iterator[str]:
    """The result for a terminal."""
    yield f"{found.recipe}, LM {found.lm}, seed {found.seed}"
    for node in found.nodes:
        yield (
            f"  {node.node:<11} {_shown(node.start)} → {_shown(node.best)}  gain {_shown(node.gain, signed=True)}"
            f"  (dev {node.dev}, proposals {node.proposals}, demos {node.demos}; {node.ended})"
        )
        for name, (before, after) in node.parts.items():
            yield f"    {name:<20} {_number(before)} → {_number(after)}"
        if node.failed:
            yield "    failed: " + ", ".join(f"{name} {count}" for name, count in node.failed.items())
    spent = found.spent
    yield (
        f"  spent {spent['calls']} calls ({spent['remembered']} played back), {spent['prompt_tokens']} prompt and "
        f"{spent['completion_tokens']} completion tokens, {spent['seconds']} s, {spent['usd']} USD"
    )
    yield f"  {found.verdict}"
    yield f"  written to {found.out}; run kept in {found.store}"


def _scores(proposal: Proposal | None, ids: Sequence[str]) -> list[float]:
    return [proposal.scores[case_id].score for case_id in ids] if proposal else []


def _metric(figure: Figure | Difference) -> Metric:
    return {"value": figure.value, "lo": figure.lo, "hi": figure.hi, "n": figure.n, "runs": figure.runs}


def _shown(metric: Metric | None, *, signed: bool = False) -> str:
    if metric is None or metric["value"] is None:
        return "–"
    sign = "+" if signed else ""
    return f"{metric['value']:{sign}.3f} [{metric['lo']:{sign}.3f}, {metric['hi']:{sign}.3f}]"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
