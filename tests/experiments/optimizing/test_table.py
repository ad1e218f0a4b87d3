"""The table of recipes: tuned with each seed, asked from end to end, seeds as runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments.figures import Difference, Drawn, Figure
from experiments.optimizing import session
from experiments.tables import optimizers
from experiments.tables.base import Setup
from experiments.tables.optimizers import OptimizersTable, Tuning
from optimizers.limits import Limits
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import LMSettings, Settings
from tests.optimizers.search.rows import thin_rows, writes
from tests.sessions import NAME, number_of, scripted, verdict
from tests.tiny import TinyEmbedder


def _repairs(prompt: str) -> dict[str, Any]:
    last = prompt.rsplit("user:", 1)[-1]
    return verdict("retry_relaxed", number_of(last, "Iceland"), cause="few tracks match this")


@pytest.fixture
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


def test_recipes_beside_the_start(home: Path, tmp_path: Path, index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line a recipe and the start; two seeds are two runs; the tuned program is the one that is asked."""
    lm, engine = scripted([("plan", {"routes": ["t0"]}), ("reflect", _repairs), ("synthesize", writes())])
    backbone = Backbone(NAME, lm, schema=True, embedded=False)
    monkeypatch.setattr("experiments.replays.resolve", lambda name: backbone)
    for module in (session, optimizers):
        monkeypatch.setattr(module, "rows_of", lambda name, split: thin_rows(4) if split == "train" else thin_rows(2, 4))
    tuning = Tuning(Limits(calls=30), ("labelled",), seeds=2, nodes=("synthesize",), out=tmp_path / "states")
    setup = Setup(Settings(lm=LMSettings(name=NAME)), drawn=Drawn(seed=1, draws=200))
    table = OptimizersTable("all", "dev", index, setup, tuning, resolver=lambda name: backbone).table()

    scores, gains, costs = table.blocks
    assert [line.name for line in scores.lines] == ["start", "labelled"]
    figure, gain, calls = scores.lines[1].cells["objective"], gains.lines[0].cells["objective"], costs.lines[0].cells["calls"]
    assert isinstance(figure, Figure) and (figure.n, figure.runs) == (2, 2)
    assert isinstance(gain, Difference) and gain.value == 0.0
    assert isinstance(calls, Figure) and calls.value is not None and calls.value > 0
    asked = [prompt.text for prompt in engine.prompts if prompt.node == "synthesize"][-3:]
    assert ["assistant:" in text for text in asked] == [False, True, True]
    assert len(table.details["labelled"]) == 2
