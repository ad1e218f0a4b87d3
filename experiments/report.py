"""A table of results with everything that is needed to repeat it: as text, Markdown, JSON and a plot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from data.errors import InfrastructureError
from experiments.figures import Difference, Figure

Unit = Literal["share", "points", "ms", "count", "p", "text"]
Cell = Difference | Figure | float | int | str | None
PAPER = "paper"
PAPER_NOTE = "Columns marked “paper” are the figures of the Melo paper: another catalog, another model, other requests."
_EMPTY = "–"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Column(_Part):
    """One column. points: a difference of shares, printed in percentage points."""

    key: str
    head: str
    unit: Unit = "text"


class Line(_Part):
    """One row of a block; a column that it has no cell for stays empty."""

    name: str
    cells: Mapping[str, Cell]


class Block(_Part):
    """One table under a heading. first: what the rows are."""

    title: str
    first: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    plotted: str = Field(default="", description="the column that the plot shows; empty: this block is not plotted")


class Spent(_Part):
    """What the answers of a table cost when they were made. cost_usd is None where no price is known."""

    answers: int = 0
    lm_calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None


class About(_Part):
    """Where the figures come from.

    Attributes:
        command: what makes the table. settings: hash by variant. code: hash of the program's source.
        requests: in the set; excluded: reason → qids that the table leaves out.
        crashed: reason → answers that crashed with it, all variants and runs together.
        incomplete: why not everything was asked; empty when it was.
        date: when the answers were given, first and last day.
    """

    command: str
    set: str
    split: str = ""
    requests: int
    excluded: dict[str, tuple[str, ...]] = {}
    runs: int
    temperature: float
    seed: int
    draws: int
    backbone: str
    settings: dict[str, str]
    catalog: str
    catalog_tracks: int
    code: str
    versions: dict[str, str]
    machine: dict[str, Any] = {}
    date: str = ""
    spent: Spent = Spent()
    crashed: dict[str, int] = {}
    incomplete: str = ""


class Table(_Part):
    """A result.

    Attributes:
        details: what a machine may want to read beside the blocks, such as the requests of each mistake.
        answers: a line an answer, without the request's words; kept with the run in MLflow, not in the table's own files.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = {}
    answers: tuple[Mapping[str, Any], ...] = Field(default=(), exclude=True, repr=False)
    about: About

    @property
    def stem(self) -> str:
        """The name of its files: the table, the set's part and the backbone."""
        parts = (self.name, self.about.set if self.about.set != self.name else "", self.about.split, self.about.backbone)
        return "-".join(re.sub(r"[^A-Za-z0-9._=,-]+", "_", part) for part in parts if part)


def text_lines(table: Table) -> Iterator[str]:
    """The table for a terminal."""
    yield table.title
    for block in table.blocks:
        yield ""
        yield block.title
        cells = [[block.first, *(column.head for column in block.columns)]]
        cells += [[line.name, *(cell_text(line.cells.get(c.key), c.unit) for c in block.columns)] for line in block.lines]
        widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
        for row in cells:
            yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
    yield ""
    yield from table.notes
    yield from about_lines(table.about)


def markdown(table: Table) -> str:
    """The table as a Markdown file."""
    lines = [f"# {table.title}", ""]
    for block in table.blocks:
        lines += [f"## {block.title}", "", f"| {' | '.join([block.first, *(c.head for c in block.columns)])} |"]
        lines.append(f"| --- |{' --: |' * len(block.columns)}")
        for line in block.lines:
            texts = [cell_text(line.cells.get(column.key), column.unit) for column in block.columns]
            lines.append(f"| {' | '.join([line.name, *texts])} |")
        lines.append("")
    lines += [f"- {text}" for text in (*table.notes, *about_lines(table.about))]
    return "\n".join(lines) + "\n"


def about_lines(about: About) -> Iterator[str]:
    """Where the figures come from, in words."""
    yield (
        f"{about.set}{f' {about.split}' if about.split else ''}: {about.requests} requests, {about.runs} run"
        f"{'s' if about.runs != 1 else ''} each, temperature {about.temperature:g}, backbone {about.backbone};"
        f" intervals: 95 %, bootstrap over requests (seed {about.seed}, {about.draws:,} draws);"
        " ± is one standard deviation of runs."
    )
    for reason, qids in about.excluded.items():
        yield f"Left out, {reason}: {len(qids)}."
    for reason, count in about.crashed.items():
        yield f"Crashed: {count} answers, {reason}."
    if about.incomplete:
        yield f"Incomplete: {about.incomplete}."
    versions = ", ".join(f"{name} {number}" for name, number in about.versions.items())
    settings = ", ".join(f"{name} {value}" for name, value in about.settings.items())
    yield f"Settings {settings}; catalog {about.catalog} ({about.catalog_tracks:,} tracks); code {about.code}; {versions}."
    spent = about.spent
    cost = "no price known" if spent.cost_usd is None else f"{spent.cost_usd:.4f} USD"
    tokens = f", {spent.prompt_tokens + spent.completion_tokens:,} tokens ({cost})" if spent.lm_calls else ""
    yield (
        f"Spent: {spent.answers:,} answers, {spent.seconds:,.0f} s, {spent.lm_calls:,} LM calls{tokens}. {about.date}"
    ).rstrip()
    yield f"Made by: `{about.command}`"


def cell_text(cell: Cell, unit: Unit) -> str:
    """A cell as people read it."""
    if cell is None:
        return _EMPTY
    if isinstance(cell, str):
        return cell
    if not isinstance(cell, Figure):
        return _number(float(cell), unit)
    if cell.value is None:
        return _EMPTY
    spread = f" ± {_number(cell.sd, unit)}" if cell.sd is not None else ""
    text = f"{_number(cell.value, unit, signed=unit == 'points')}{spread}"
    if cell.lo is not None and cell.hi is not None:
        text += f" [{_number(cell.lo, unit)}, {_number(cell.hi, unit)}]"
    return text


def _number(value: float, unit: Unit, *, signed: bool = False) -> str:
    if unit in ("share", "points"):
        return f"{100 * value:+.1f}" if signed else f"{100 * value:.1f}"
    if unit == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if unit == "ms":
        return f"{value:,.1f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def write_table(folder: Path, table: Table, plot: bytes | None = None) -> tuple[Path, ...]:
    """Write JSON, Markdown and, where there is one, the plot; returns their paths.

    Raises:
        InfrastructureError: a file cannot be written.
    """
    whole = orjson.dumps(table.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    files: Mapping[str, bytes | None] = {".json": whole, ".md": markdown(table).encode(), ".png": plot}
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for suffix, content in files.items():
            if content is not None:
                path = folder / f"{table.stem}{suffix}"
                path.write_bytes(content)
                written.append(path)
    except OSError as error:
        raise InfrastructureError(f"cannot write {folder}: {error.strerror}") from error
    return tuple(written)
