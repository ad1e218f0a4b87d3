"""The objective: figures of parts, weighted."""

from __future__ import annotations

import numpy as np
import pytest

from optimizers.objective import Objective, Part, Table
from program.settings import Settings


def _share(sums: Table) -> Table:
    return np.asarray(sums[..., 0] / sums[..., 1])


def _part(name: str, weight: float, values: list[float]) -> Part:
    table = np.array([[value, 1.0] for value in values])
    return Part(name, f"share of {name}", name, weight, lambda settings: table, _share)


def test_the_score_is_a_weighted_mean() -> None:
    """Weights are relative; each figure is that of its own examples, however many they are."""
    objective = Objective([_part("few", 3, [1.0, 0.0]), _part("many", 1, [1.0] * 6)])
    figures = objective.figures(Settings())

    assert figures == {"few": 0.5, "many": 1.0}
    assert objective.shares == {"few": 0.75, "many": 0.25}
    assert objective.score(figures) == pytest.approx(0.625)
    assert objective.words() == "0.75 × few (share of few) + 0.25 × many (share of many)"


def test_settings_reach_the_rows() -> None:
    """Each part is asked with the settings that are judged."""
    part = Part("p_hi", "", "rows", 1, lambda settings: np.array([[settings.grounding.p_hi, 1.0]]), _share)

    assert Objective([part]).figures(Settings())["p_hi"] == Settings().grounding.p_hi


@pytest.mark.parametrize("weights", [[], [0.0], [1.0, -1.0]])
def test_parts_need_weights(weights: list[float]) -> None:
    """Nothing to maximise, or a part that counts against itself, is no objective."""
    with pytest.raises(ValueError, match="needs parts"):
        Objective([_part(str(number), weight, [1.0]) for number, weight in enumerate(weights)])
