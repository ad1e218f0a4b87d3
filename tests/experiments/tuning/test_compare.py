"""Before and after on the same examples, with numbers that can be reckoned by hand."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.stats import mean
from experiments.tuning.compare import OBJECTIVE, compare
from optimizers.objective import Objective, Part, Table
from program.settings import Settings

OLD = Settings()
NEW = OLD.model_copy(update={"head_shortcut": False})


def _part(name: str, before: list[float], after: list[float], *, weight: float = 1.0, examples: str = "rows") -> Part:
    def rows(settings: Settings) -> Table:
        values = after if settings == NEW else before
        return np.array([[value, 1.0] for value in values])

    return Part(name, "", examples, weight, rows, mean)


def test_figures_of_each_part_and_of_the_whole() -> None:
    """The whole is the weighted mean of the parts, whatever their sizes; the examples that changed are counted."""
    large = _part("large", [0.0] * 30 + [1.0] * 10, [1.0] * 40, weight=3, examples="requests")
    small = _part("small", [1.0] * 8, [1.0] * 8)
    found = compare(Objective([large, small]), OLD, NEW, seed=0)

    assert list(found) == ["large", "small", OBJECTIVE]
    assert (found["large"].before.value, found["large"].after.value, found["large"].differ) == (0.25, 1.0, 30)
    assert (found["small"].difference.value, found["small"].differ) == (0.0, 0)
    assert found[OBJECTIVE].before.value == pytest.approx(0.75 * 0.25 + 0.25)
    assert found[OBJECTIVE].difference.value == pytest.approx(0.75 * 0.75)
    assert found[OBJECTIVE].differ == 30
    assert (found[OBJECTIVE].before.n, found["small"].before.n) == (48, 8)


@pytest.mark.parametrize(
    ("before", "after", "better"),
    [
        ([0.0] * 20, [1.0] * 10 + [0.0] * 10, True),
        ([0.0] * 20, [0.0] * 20, False),
        ([0.0] * 20, [1.0] + [0.0] * 19, False),
        ([1.0] * 10 + [0.0] * 10, [0.0] * 9 + [1.0] * 11, False),
        ([1.0] * 20, [0.0] * 20, False),
    ],
    ids=["many gains", "the same", "one gain", "gains and losses", "losses"],
)
def test_what_counts_as_better(before: list[float], after: list[float], better: bool) -> None:
    """Only a gain whose interval lies above nothing; one lucky example is none."""
    found = compare(Objective([_part("share", before, after)]), OLD, NEW, seed=0)

    assert found["share"].is_better == found[OBJECTIVE].is_better == better


def test_parts_of_the_same_examples_are_drawn_together() -> None:
    """Two parts that always agree are one part: the whole's interval is no narrower than theirs."""
    values = [0.0, 1.0] * 20
    twice = [_part(name, values, values) for name in ("one", "two")]
    found = compare(Objective(twice), OLD, NEW, seed=0)

    assert found[OBJECTIVE].before == found["one"].before


def test_parts_of_other_examples_are_drawn_apart() -> None:
    """Errors of unrelated examples even out: the whole's interval is narrower than that of either part."""
    values = [0.0, 1.0] * 20
    apart = [_part(name, values, values, examples=name) for name in ("one", "two")]
    found = compare(Objective(apart), OLD, NEW, seed=0)
    widths = {name: one.before.hi - one.before.lo for name, one in found.items()}

    assert widths[OBJECTIVE] < 0.85 * widths["one"]
