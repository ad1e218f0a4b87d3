"""The tables of PLAN's stages and of monolith against split, over the tiny catalog with a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.labelled import LabelledRow
from experiments.figures import Drawn
from experiments.report import Block, Table
from experiments.tables.base import Setup
from experiments.tables.split import SplitTable, rows_of_split
from experiments.tables.stages import StagesTable, stage_settings
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import LMSettings, PlanSettings, Settings
from tests.experiments.conftest import Run
from tests.labelled import named, row
from tests.scripted import ScriptedLM, scripted_lm
from tests.tiny import TinyEmbedder

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
_BACKBONE = "openai/scripted"


def _rows(*_: object) -> tuple[LabelledRow, ...]:
    rules = [{"grade": 3, "where": [{"field": "genre", "values": ["post-punk"]}]}]
    quality = {"rules": rules, "least": 1, "size": 20}
    return (
        row("africa by toto", qid="entity-001", entities=[named("africa", "track", "toto--africa")]),
        row("post-punk that sounds like rain on a window", qid="longtail-002", set="longtail", kind="abstract_scene",
            quality=quality),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every set and split holds the same rows."""
    for module in ("tables.stages", "tables.split"):
        monkeypatch.setattr(f"experiments.{module}.rows_of", _rows)


@pytest.fixture(scope="module")
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


def _scripted(monkeypatch: pytest.MonkeyPatch, reply: Any) -> ScriptedLM:
    """Every node's model; nodes but PLAN get what does not parse, so that code takes their place."""
    lm = scripted_lm([("plan", reply), (lambda _: True, "no JSON")])
    backbone = Backbone(_BACKBONE, lm, schema=True, embedded=False)
    monkeypatch.setattr("experiments.labelled_run.replayed", lambda *_: lambda name: backbone)
    engine: ScriptedLM = lm.engine
    return engine


def _setup(lm: str = "none", **options: Any) -> Setup:
    return Setup(Settings(lm=LMSettings(name=lm)), drawn=Drawn(seed=5, draws=100), **options)


def _cells(table: Table, title: str, column: str) -> dict[str, Any]:
    block: Block = next(block for block in table.blocks if block.title.startswith(title))
    return {line.name: line.cells.get(column) for line in block.lines}


def test_without_a_model_the_stages_are_one(index: EmbeddedIndex) -> None:
    """Every difference is nothing, and nothing is spent."""
    table = StagesTable("all", "dev", index, _setup()).table()

    assert {cell.value for cell in _cells(table, "The loop minus", "difference").values()} <= {0.0, None}
    assert _cells(table, "Spent", "plan_loop")["LM calls"].value == 0.0
    assert table.details["planned"] == []


def test_stages_differ_by_what_they_ask(index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that only ever looks: the loop spends three calls and gives way, one call gives way at once."""

    def looks(prompt: str) -> dict[str, Any]:
        steps = prompt.count(" tracks") + prompt.count("it failed")
        return {"choice": [f"p{steps}"]} if "probes:" in prompt else {"routes": ["t0"]}

    _scripted(monkeypatch, looks)
    table = StagesTable("all", "dev", index, _setup(_BACKBONE)).table()
    fallbacks = _cells(table, "Answers with a fallback", "plan_loop")

    assert table.details["planned"] == ["longtail-002"]
    assert _cells(table, "Spent", "difference")["… of PLAN"].value > 0
    assert fallbacks["plan_limit"].value + fallbacks["plan_contradiction"].value == 0.5
    assert _cells(table, "Answers with a fallback", "one")["plan_limit"].value == 0.0


def test_both_stages_are_set_whatever_is_given() -> None:
    """A settings file that asks for the loop does not make both stages loops."""
    made = stage_settings(Settings(plan=PlanSettings(stage="loop", max_steps=2)))

    assert [one.plan.stage for one in made.values()] == ["one", "loop"]
    assert {one.plan.max_steps for one in made.values()} == {2}


def test_melo_alone_without_a_model(index: EmbeddedIndex) -> None:
    """There is no monolith then; of Melo's ids none is invented."""
    table = SplitTable("all", "dev", index, _setup()).table()
    bad = _cells(table, "Invented", "bad")

    assert bad == {"Melo, split": 0}
    assert _cells(table, "Invented", "ids")["Melo, split"] > 0
    assert [block.title for block in table.blocks if block.title.startswith("Selector")] == [
        "Selector, Melo: REFLECT's match score", "Selector, Melo: support of UNDERSTAND's evidence",
    ]  # fmt: skip


def test_what_the_monolith_invents(index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two distinct ids, one of them invented, in each answer; a number that nobody gave in its words."""
    fused = {
        "decision": "play", "track_ids": ["toto--africa", "toto--afrika", "toto--afrika"], "title": "Toto",
        "description": "17 songs.", "confidence": 6,
    }  # fmt: skip
    _scripted(monkeypatch, lambda prompt: fused if "tracks: " in prompt and "id | title" not in prompt else {"routes": ["t0"]})
    table = SplitTable("all", "dev", index, _setup(_BACKBONE)).table()
    name = "fused monolith"
    given = _cells(table, "Selector, fused", "given")

    assert (_cells(table, "Invented", "ids")[name], _cells(table, "Invented", "bad")[name]) == (4, 2)
    assert _cells(table, "Invented", "not_held")[name].value == 0.5
    assert _cells(table, "Invented", "with_bad")[name].value == 1.0
    assert _cells(table, "Invented", "unsupported")[name].value == 1.0
    assert (given["0.6"].value, given["0.7"].value) == (1.0, 0.0)
    assert _cells(table, "Spent", "calls")[name].value == 1.0


def test_every_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """`every` is all three, each once."""
    monkeypatch.setattr("experiments.tables.split.rows_of", lambda name, split: (split,))

    assert list(map(str, rows_of_split("all", "every"))) == ["train", "dev", "test"]
    assert list(map(str, rows_of_split("all", "dev"))) == ["dev"]


def test_answers_are_kept_and_the_model_is_never_remembered(index: EmbeddedIndex, tmp_path: Path) -> None:
    """The journal goes on where it stopped; no file of remembered LM answers is made."""
    setup = _setup(journal=tmp_path, remembered=tmp_path / "lm.sqlite", runs=2)
    first = SplitTable("all", "dev", index, setup).table()
    lines = sum(len(path.read_text().splitlines()) for path in tmp_path.glob("labelled-none-*.jsonl"))
    again = SplitTable("all", "dev", index, setup).table()

    assert lines == 4
    assert first.model_dump(exclude={"about"}) == again.model_dump(exclude={"about"})
    assert sum(len(path.read_text().splitlines()) for path in tmp_path.glob("labelled-none-*.jsonl")) == 4
    assert not (tmp_path / "lm.sqlite").exists()


@pytest.mark.parametrize(("command", "words"), [("stages", "Two stages of PLAN"), ("split", "Monolith against split")])
def test_the_command(run: Run, tmp_path: Path, command: str, words: str) -> None:
    """Each table is one command that writes its files and prints it."""
    done = run("experiment", command, "--out", tmp_path, "--no-track")

    assert done.code == 0, done.err
    assert words in done.out
    assert {path.suffix for path in tmp_path.iterdir()} >= {".md", ".json"}
