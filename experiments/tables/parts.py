"""Blocks and readings that several tables share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from experiments.figures import Drawn
from experiments.labelled_run import Scored
from experiments.report import Block, Cell, Column, Line
from experiments.scores import MEASURES
from optimizers.records import AnswerRecord

NODES = ("understand", "plan", "execute", "reflect", "synthesize", "total")


def measures_block(
    title: str, scored: Scored, names: Iterable[str], systems: Mapping[str, str], drawn: Drawn, *, plotted: str = ""
) -> Block:
    """A line a system, a column a measure.

    Args:
        systems: name → words, in order.
    """
    wanted = tuple(names)
    columns = tuple(Column(key=name, head=f"{name} (%)", unit="share") for name in wanted)
    lines = []
    for system, words in systems.items():
        cells: dict[str, Cell] = {name: MEASURES[name].figure(scored.scores[system], drawn) for name in wanted}
        lines.append(Line(name=words, cells=cells))
    return Block(title=title, first="system", columns=columns, lines=tuple(lines), plotted=plotted)


def known_times(
    replays: Sequence[Sequence[AnswerRecord]], node: str, keep: Callable[[AnswerRecord], bool] = lambda record: True
) -> list[list[float]]:
    """Milliseconds that a node took, a list a run: of answers whose LM calls were all made at once, not remembered."""

    def own(record: AnswerRecord) -> bool:
        return node in record.timings_ms and not record.remembered and not record.waited_s and keep(record)

    return [[record.timings_ms[node] for record in run if own(record)] for run in replays]
