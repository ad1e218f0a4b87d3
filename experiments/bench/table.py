"""The results as text: a line a figure, its targets beside it, and what stands below the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from experiments.bench.machine import load, machine
from experiments.bench.results import Result
from experiments.bench.targets import TARGET_TRACKS

_HEAD = ("part", "catalog", "figure", "n", "min", "P50", "P99", "unit", "target")
_RIGHT = frozenset({"n", "min", "P50", "P99"})
Row = tuple[str, ...]


def lines(results: Sequence[Result]) -> Iterator[str]:
    """The whole report."""
    rows = [row for result in results for row in _rows(result)]
    widths = [max(len(row[column]) for row in [_HEAD, *rows]) for column in range(len(_HEAD))]
    for row in (_HEAD, tuple("─" * width for width in widths), *rows):
        yield "  ".join(_cell(*item) for item in zip(row, widths, _HEAD, strict=True)).rstrip()
    yield ""
    yield from _nodes(results)
    yield from _notes(results)


def _cell(text: str, width: int, column: str) -> str:
    return text.rjust(width) if column in _RIGHT else text.ljust(width)


def _rows(result: Result) -> Iterator[Row]:
    catalog = result.what.removeprefix(f"{result.part}-").removesuffix("-quick")
    if result.measured is None:
        yield (result.part, catalog, f"{result.state}: {result.reason}", *[""] * 6)
        return
    judged = result.verdicts()
    for number, figure in enumerate(result.measured.figures):
        values = [figure.text(value) for value in (figure.minimum, figure.p50, figure.p99)]
        targets = "; ".join(verdict.text() for verdict in judged.get(figure.name, ()))
        names = (result.part, catalog) if number == 0 else ("", "")
        yield (*names, figure.name, f"{figure.n:,}", *values, figure.unit, targets)


def _nodes(results: Sequence[Result]) -> Iterator[str]:
    """What each node spent on the language model: medians over the answers in which it asked."""
    for result in results:
        nodes = result.measured.detail.get("nodes") if result.measured else None
        if nodes:
            yield f"{'LM use a node':<14}{'answers':>8}{'calls':>7}{'prompt':>8}{'cached':>8}{'written':>9}{'LM s':>7}"
            for name, use in nodes.items():
                tokens = f"{use['prompt_tokens']:>8.0f}{use['cached_tokens']:>8.0f}{use['completion_tokens']:>9.0f}"
                yield f"{name:<14}{use['answers']:>8}{use['calls']:>7.1f}{tokens}{use['seconds']:>7.2f}"
            yield ""


def _notes(results: Sequence[Result]) -> Iterator[str]:
    found = [verdict for result in results for several in result.verdicts().values() for verdict in several]
    if any(not verdict.at_scale for verdict in found):
        yield f"* the target is for {TARGET_TRACKS:,} tracks"
    if found:
        yield f"{sum(verdict.met for verdict in found)} of {len(found)} targets met"
    here = machine()
    busy = load()[0]
    yield f"{here['cores']} cores of {here['cpu']}, {here['memory_gb']} GB; load average now {busy:g}"
    if busy > here["cores"]:
        yield "other work is running on this machine: the figures are higher than on a quiet one"
