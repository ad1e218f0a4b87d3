"""One labelled set under one setting: every measure, by kind and by facet, with all that is needed to repeat it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict

from experiments.bundles import system_of
from experiments.figures import Figure
from experiments.labelled_run import LabelledRun, Scored, rows_of
from experiments.report import About, about_lines
from experiments.scores import MEASURES, by_facet, figures
from experiments.tables.base import Setup, about
from experiments.tables.parts import NODES, known_times
from experiments.variants import variant
from program.bundle.files import Bundle
from program.index.protocol import CatalogIndex

Metrics = dict[str, dict[str, float | int | None]]
_KIND_MEASURES = ("misidentified", "success_at_n", "ndcg_at_20", "action_right", "crashed")
_QUANTILES = {"p50": 0.5, "p99": 0.99}


class SetEvaluation(BaseModel):
    """What `melo evaluate` prints for a set of the project.

    Attributes:
        metrics: by name. sd: their spread over runs; empty for one run.
        by_kind: kind → some of the measures. by_facet: constraint F1 of each facet and polarity.
        latency_ms: node → P50 and P99. tokens: per answer, prompt, cached and completion.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    set: str
    split: str
    variant: str
    lm: str
    requests: int
    runs: int
    metrics: Metrics
    sd: dict[str, float]
    by_kind: dict[str, Metrics]
    by_facet: Metrics
    latency_ms: dict[str, Metrics]
    tokens: dict[str, float]
    seed: int
    settings_hash: str
    catalog_hash: str
    about: About


def evaluate_set(
    name: str,
    split: str,
    index: CatalogIndex,
    setup: Setup,
    *,
    chosen: str = "full",
    limit: int | None = None,
    bundle: Bundle | None = None,
) -> tuple[SetEvaluation, Scored]:
    """Ask a set and score it.

    Args:
        chosen: name of the settings variant. limit: only the first rows. bundle: the compiled program to ask.

    Raises:
        InputError: there is no such set or split.
        SettingsError: there is no such variant.
    """
    settings = variant(chosen, setup.settings)
    run = LabelledRun(rows_of(name, split)[:limit], index, setup)
    scored = run.scored({chosen: system_of(bundle, settings)})
    found = figures(scored.scores[chosen], setup.drawn)
    asking = run.asking(name, split, len(scored.rows))
    evaluation = SetEvaluation(
        set=name, split=split, variant=chosen, lm=setup.backbone, requests=len(scored.rows), runs=setup.runs,
        metrics=_metrics(found), sd={key: figure.sd for key, figure in found.items() if figure.sd is not None},
        by_kind=_by_kind(scored, chosen, setup), by_facet=_metrics(by_facet(scored.scores[chosen], setup.drawn)),
        latency_ms=_latency(scored, chosen, setup), tokens=_tokens(scored, chosen), seed=setup.drawn.seed,
        settings_hash=settings.hash(), catalog_hash=asking.catalog, about=about(setup, asking, {chosen: settings}, scored.run),
    )  # fmt: skip
    return evaluation, scored


def _metrics(found: Mapping[str, Figure]) -> Metrics:
    return {name: figure.metric() for name, figure in found.items()}


def _by_kind(scored: Scored, chosen: str, setup: Setup) -> dict[str, Metrics]:
    found = {}
    for kind in dict.fromkeys(row.kind for row in scored.rows):
        part = scored.only(lambda row, kind=kind: row.kind == kind)  # type: ignore[misc]
        found[str(kind)] = _metrics(
            {name: MEASURES[name].figure(part.scores[chosen], setup.drawn) for name in _KIND_MEASURES}
        )  # fmt: skip
    return found


def _latency(scored: Scored, chosen: str, setup: Setup) -> dict[str, Metrics]:
    times = {node: known_times(scored.records[chosen], node) for node in NODES}
    return {
        node: _metrics({name: setup.drawn.quantile(known, level) for name, level in _QUANTILES.items()})
        for node, known in times.items()
    }


def _tokens(scored: Scored, chosen: str) -> dict[str, float]:
    """Per answer, over all runs."""
    usages = [record.usage for run in scored.records[chosen] for record in run]
    names = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens")
    return {name: round(sum(getattr(one, name) for one in usages) / len(usages), 2) for name in names} if usages else {}


def evaluation_lines(evaluation: SetEvaluation) -> Iterator[str]:
    """The evaluation for a terminal."""
    yield f"{evaluation.set} {evaluation.split}, {evaluation.variant}, LM {evaluation.lm}"
    for name, metric in evaluation.metrics.items():
        yield f"  {name:<18}{_cell(metric):<24}{MEASURES[name].words}"
    yield ""
    for kind, metrics in evaluation.by_kind.items():
        cells = "  ".join(f"{name} {_cell(metric)}" for name, metric in metrics.items() if metric["n"])
        yield f"  {kind:<18}{cells}"
    yield ""
    for node, quantiles in evaluation.latency_ms.items():
        if quantiles["p50"]["n"]:
            yield f"  {node:<18}P50 {quantiles['p50']['value']:,.1f} ms, P99 {quantiles['p99']['value']:,.1f} ms"
    yield ""
    yield from about_lines(evaluation.about)


def _cell(metric: Mapping[str, float | int | None]) -> str:
    if metric["value"] is None:
        return "–"
    return f"{metric['value']:.3f} [{metric['lo']:.3f}, {metric['hi']:.3f}] {metric['n']}"
