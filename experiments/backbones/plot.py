"""Quality against latency and against cost: one point a backbone, with the quality's 95 % interval."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from experiments.figures import Figure


@dataclass(frozen=True)
class Point:
    """One backbone. p50_ms: of an answer; usd: per 1,000 requests, None where no price is known."""

    name: str
    quality: Figure
    p50_ms: float
    usd: float | None


def scatter(points: Sequence[Point], title: str) -> bytes | None:
    """The plot as PNG; None without any point."""
    if not points:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # slow to import, and only this needs it
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(9.0, 4.2), layout="constrained")
    left, right = canvas.subplots(1, 2, sharey=True)
    canvas.suptitle(title, fontsize=10)
    _panel(left, [(point, point.p50_ms) for point in points], "P50 of an answer (ms)")
    left.set_xscale("log")
    left.set_ylabel("objective (%)", fontsize=8)
    _panel(right, [(point, point.usd) for point in points if point.usd is not None], "USD per 1,000 requests")
    file = io.BytesIO()
    FigureCanvasAgg(canvas).print_figure(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _panel(axis: Any, points: Sequence[tuple[Point, float]], label: str) -> None:
    axis.set_xlabel(label, fontsize=8)
    axis.grid(alpha=0.3)
    for point, at in points:
        value, lo, hi = point.quality.value or 0.0, point.quality.lo, point.quality.hi
        below, above = value - (value if lo is None else lo), (value if hi is None else hi) - value
        axis.errorbar([at], [100 * value], yerr=[[100 * below], [100 * above]], fmt="o", capsize=3)
        axis.annotate(point.name, (at, 100 * value), textcoords="offset points", xytext=(6, 4), fontsize=7)
