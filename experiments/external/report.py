"""What an evaluation prints and writes: the scores of each split with all that is needed to repeat them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

from data.errors import InfrastructureError
from experiments.external.rows import LabelledRequest
from experiments.external.scoring import Answered, Metric

Metrics = dict[str, Metric]
_COLUMN = 24


class SplitScores(BaseModel):
    """The figures of Melo on one split, of each baseline, and by how much Melo is ahead (paired)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    split: str
    metrics: Metrics
    baselines: dict[str, Metrics] = {}
    differences: dict[str, Metrics] = {}


class Evaluation(SplitScores):
    """A whole evaluation.

    Attributes:
        by_split: the same of each part, when the split has several.
        unit: what an interval's n counts. requests: how many were asked.
        limit: only the first so many rows of each part were read; None: all.
        ms_per_request: mean time of reading one request.
    """

    set: str
    unit: str = "requests"
    requests: int
    lm: str
    by_split: tuple[SplitScores, ...] = ()
    limit: int | None = None
    seed: int
    draws: int
    settings_hash: str
    catalog_hash: str
    catalog_tracks: int
    versions: dict[str, str]
    ms_per_request: float


def table_lines(evaluation: Evaluation) -> Iterator[str]:
    """The evaluation as text: a line a figure, value with 95 % interval, Melo, baselines and the difference side by side."""
    for scores in (*evaluation.by_split, evaluation):
        n = next(iter(scores.metrics.values())).n
        heads = ["melo", *scores.baselines, *(f"melo - {name}" for name in scores.differences)]
        yield f"{evaluation.set} {scores.split} ({n:,} {evaluation.unit})"
        yield f"  {'':<16}" + "".join(f"{head:<{_COLUMN}}" for head in heads).rstrip()
        for name, metric in scores.metrics.items():
            others = [columns[name] for columns in (*scores.baselines.values(), *scores.differences.values()) if name in columns]
            yield f"  {name:<16}" + "".join(f"{_cell(one):<{_COLUMN}}" for one in (metric, *others)).rstrip()
        yield ""
    yield (
        f"LM {evaluation.lm} · {evaluation.requests:,} requests, {evaluation.ms_per_request:.1f} ms each · seed {evaluation.seed}"
        f" · settings {evaluation.settings_hash} · catalog {evaluation.catalog_hash} ({evaluation.catalog_tracks:,} tracks)"
    )


def _cell(metric: Metric) -> str:
    return f"{metric.value:.3f} [{metric.lo:.3f}, {metric.hi:.3f}]"


def write_answers(folder: Path, evaluation: Evaluation, requests: Sequence[LabelledRequest], answers: Sequence[Answered]) -> None:
    """Write `evaluation.json`, and `predictions.jsonl`: a line a request with its number and spans, without its words.

    Raises:
        InfrastructureError: a file cannot be written.
    """
    rows = [_row(request, answer) for request, answer in zip(requests, answers, strict=True)]
    write_files(folder, evaluation, rows)


def write_files(folder: Path, evaluation: BaseModel, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write an evaluation and its rows.

    Raises:
        InfrastructureError: a file cannot be written.
    """
    whole = orjson.dumps(evaluation.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "evaluation.json").write_bytes(whole)
        (folder / "predictions.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    except OSError as error:
        raise InfrastructureError(f"cannot write {folder}: {error.strerror}") from error


def _row(request: LabelledRequest, answer: Answered) -> dict[str, Any]:
    gold = [{"start": span.start, "end": span.end, "type": span.type} for span in request.gold]
    found = [{"start": span.start, "end": span.end, "type": span.type, "source": span.source} for span in answer.found]
    return {"split": request.split, "index": request.index, "gold": gold, "pred": found}
