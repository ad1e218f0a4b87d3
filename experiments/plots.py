"""The plot of a table: one panel a plotted block, a bar a row with its 95 % interval, the paper's figure as a diamond."""

from __future__ import annotations

import io
from typing import Any

from experiments.figures import Figure
from experiments.report import PAPER, Block, Line, Table

_SCALE = {"share": 100.0, "points": 100.0}
_INCHES_A_ROW, _WIDTH = 0.42, 7.5


def draw(table: Table) -> bytes | None:
    """The plot as PNG; None when the table has no block to plot."""
    panels = [block for block in table.blocks if block.plotted and _bars(block)]
    if not panels:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # slow to import, and only tables with a plot need it
    from matplotlib.figure import Figure as Canvas

    rows = [len(_bars(block)) for block in panels]
    canvas = Canvas(figsize=(_WIDTH, 1.1 * len(panels) + _INCHES_A_ROW * sum(rows)), layout="constrained")
    axes = canvas.subplots(len(panels), 1, squeeze=False, height_ratios=[count + 1 for count in rows])
    canvas.suptitle(table.title, fontsize=10)
    for block, (axis,) in zip(panels, axes, strict=True):
        _panel(axis, block)
    file = io.BytesIO()
    FigureCanvasAgg(canvas).print_figure(file, format="png", metadata={"Software": None})
    return file.getvalue()


def _bars(block: Block) -> list[tuple[Line, Figure]]:
    found = [(line, line.cells.get(block.plotted)) for line in block.lines]
    return [(line, cell) for line, cell in found if isinstance(cell, Figure) and cell.value is not None]


def _panel(axis: Any, block: Block) -> None:
    bars = _bars(block)
    column = next(column for column in block.columns if column.key == block.plotted)
    scale, at = _SCALE.get(column.unit, 1.0), range(len(bars))
    values = [scale * (cell.value or 0.0) for _, cell in bars]
    below = [scale * ((cell.value or 0.0) - (cell.lo if cell.lo is not None else cell.value or 0.0)) for _, cell in bars]
    above = [scale * ((cell.hi if cell.hi is not None else cell.value or 0.0) - (cell.value or 0.0)) for _, cell in bars]
    axis.barh(at, values, color="#5b8db8", height=0.6)
    axis.errorbar(values, at, xerr=[below, above], fmt="none", ecolor="#222222", capsize=3)
    paper = [(scale * cell, row) for row, (line, _) in enumerate(bars) if isinstance(cell := line.cells.get(PAPER), float)]
    if paper:
        axis.plot(*zip(*paper, strict=True), "D", color="#c0504d", label="paper: another catalog, another model")
        axis.legend(fontsize=7, loc="best")
    axis.axvline(0, color="#222222", linewidth=0.8)
    axis.set_yticks(list(at), [line.name for line, _ in bars], fontsize=8)
    axis.invert_yaxis()
    axis.set_title(f"{block.title}: {column.head}", fontsize=8, loc="left")
