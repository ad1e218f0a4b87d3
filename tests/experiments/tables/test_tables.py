"""The tables of the paper from the command line, over the tiny catalog: that they repeat, carry their source and say no."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.errors import InfrastructureError
from data.labelled import LabelledRow
from experiments.figures import Difference, Drawn, Figure
from experiments.plots import draw
from experiments.report import PAPER, Block, Table
from experiments.tables.base import Setup
from experiments.tables.baselines import BaselinesTable
from experiments.tables.grounding import GroundingTable
from experiments.tables.latency import LatencyTable
from experiments.tables.retry import RetryTable
from program.index.engine import EmbeddedIndex
from program.settings import LMSettings, Settings
from tests.experiments.conftest import Run
from tests.labelled import ADELE, LIONEL, named, row
from tests.tiny import TinyEmbedder

_DRAWN = Drawn(seed=5, draws=100)
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def _rows(*_: object) -> tuple[LabelledRow, ...]:
    core = [
        {"facet": "genre", "op": "is", "values": ["post-punk"], "strength": "core", "relaxable": False},
        {"facet": "region", "op": "is", "values": ["IS"]},
        {"facet": "popularity", "op": "is", "values": ["niche"]},
    ]
    rules = [{"grade": 3, "where": [{"field": "genre", "values": ["post-punk"]}]}]
    readings = [[named("hello", "track", ADELE)], [named("hello", "track", LIONEL)]]
    return (
        row("africa by toto", qid="entity-001", entities=[named("africa", "track", "toto--africa")]),
        row("play 1999", qid="entity-002", entities=[named("1999", "track", "nobody--nothing")]),
        row("play hello", qid="entity-003", ambiguity={"readings": readings, "answers": ["ask"]}, retry=["clarify"]),
        row("niche Icelandic post-punk", qid="longtail-004", set="longtail", kind="multi_constraint", constraints=core,
            retry=["relaxed"], quality={"rules": rules, "least": 10, "size": 20}),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every set holds the same four rows."""
    for module in ("labelled_run", "evaluation", "tables.grounding", "tables.retry", "tables.latency", "tables.baselines"):
        monkeypatch.setattr(f"experiments.{module}.rows_of", _rows)


@pytest.fixture(scope="module")
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


def _cells(block: Block, column: str) -> dict[str, Any]:
    return {line.name: line.cells.get(column) for line in block.lines}


def _setup(**options: Any) -> Setup:
    return Setup(Settings(), drawn=_DRAWN, **options)


def _same(one: Table, other: Table) -> bool:
    return one.model_dump(exclude={"about"}) == other.model_dump(exclude={"about"})


def test_grounding(index: EmbeddedIndex) -> None:
    """One of two named things is found with full defence; the rest is left out and said so; the paper stands beside."""
    table = GroundingTable("entity", "dev", index, _setup()).table()
    full = _cells(table.blocks[0], "misidentified")["full defence"]

    assert isinstance(full, Figure)
    assert (full.value, full.n) == (0.5, 2)
    assert _cells(table.blocks[0], PAPER)["full defence"] == 0.096
    assert table.about.excluded == {"they name nothing": ("longtail-004",), "ambiguous": ("entity-003",)}
    assert table.details["full"] == {"wrong": ["entity-002"]}


def test_layers_add_up_to_the_whole(index: EmbeddedIndex) -> None:
    """L1, L2 and L3 avoid together what full defence avoids against none."""
    table = GroundingTable("entity", "dev", index, _setup()).table()
    whole = _cells(table.blocks[1], "avoided")["full against no defence"]
    layers = list(_cells(table.blocks[2], "avoided").values())

    assert isinstance(whole, Difference)
    assert sum(one.value for one in layers) == pytest.approx(whole.value)


def test_retry(index: EmbeddedIndex) -> None:
    """One of four sessions is repaired, told, and returns more tracks than without."""
    table = RetryTable("all", "dev", index, _setup()).table()
    shares, disclosure = _cells(table.blocks[0], "share"), _cells(table.blocks[1], "undisclosed")
    paired = _cells(table.blocks[2], "difference")

    assert shares["a retry was triggered"].value == 0.25
    assert shares["of triggered: relaxed first"].value == 1.0
    assert disclosure["all runs"] == 0
    assert paired["tracks returned"].value > 0
    assert table.details["triggered"].keys() == {"longtail-004"}


@pytest.mark.parametrize("kind", [GroundingTable, RetryTable])
def test_two_runs_are_identical(index: EmbeddedIndex, kind: Any) -> None:
    """The same seed gives the same table to the last digit; another seed other intervals."""
    one, other = (kind("entity", "dev", index, _setup()).table() for _ in range(2))

    assert _same(one, other)
    assert draw(one) == draw(other)


def test_latency(index: EmbeddedIndex) -> None:
    """Sessions with a retry are counted apart, and only answers that reached a node count for it."""
    table = LatencyTable("all", "dev", index, _setup()).table()
    usual, retried = (_cells(block, "n") for block in table.blocks)

    assert (usual["end to end"], usual["SYNTHESIZE"]) == (3, 2)
    assert retried["end to end"] == 1
    assert _cells(table.blocks[0], "paper_p50")["UNDERSTAND"] == 8000
    assert _cells(table.blocks[0], "p50")["end to end"].value > 0


def test_backbone_that_does_not_answer(index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table named after a backbone is not filled with answers that it had no part in: the outage is on the record."""
    from experiments.labelled_run import LabelledRun, System
    from program.lm.backbones import Backbone
    from tests.scripted import dead_lm

    settings = Settings(lm=LMSettings(name="openai/dead"), head_shortcut=False)
    monkeypatch.setattr(
        "experiments.labelled_run.replayed",
        lambda *_: lambda name: Backbone(name, dead_lm(), schema=True, embedded=False),
    )
    setup = Setup(settings, drawn=_DRAWN)
    scored = LabelledRun(_rows(), index, setup).scored({"full": System(settings)})

    assert all("dead/server: no connection" in record.outage for record in scored.records["full"][0])


@pytest.mark.parametrize("table", ["grounding", "retry", "latency", "baselines"])
def test_commands(run: Run, tmp_path: Path, table: str) -> None:
    """Each table from one command: three files and the same object on stdout."""
    done = run("experiment", table, "--out", tmp_path / "out", "--json", "--no-track")
    printed = json.loads(done.out)
    files = sorted(path.suffix for path in (tmp_path / "out").iterdir())

    assert done.code == 0
    assert (printed["name"], printed["about"]["backbone"], files) == (table, "none", [".json", ".md", ".png"])
    assert printed["about"]["command"] == f"melo experiment {table} --out {tmp_path / 'out'} --json --no-track"


def test_a_broken_store_takes_no_table_with_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table comes, and one line says that it is not kept."""
    monkeypatch.setattr("experiments.tracked.Tracker.open", _broken)
    done = run("experiment", "retry", "--out", tmp_path)

    assert done.code == 0
    assert any("not kept in MLflow" in line for line in done.err.splitlines())
    assert done.lines[0].startswith("Tables 3 and 4")


def _broken(name: str) -> None:
    raise InfrastructureError(f"no store for {name}")


@pytest.mark.parametrize("table", ["field", "grounding", "retry", "latency", "baselines"])
def test_help_has_an_example(run: Run, table: str) -> None:
    """Every command says how it is used."""
    done = run("experiment", table, "--help")

    assert done.code == 0
    assert f"melo experiment {table}" in done.out


def test_evaluate(run: Run, tmp_path: Path) -> None:
    """One object with the promised shape of every metric; the rows beside it hold scores and no words."""
    done = run("evaluate", "entity", "--split", "dev", "--runs", 2, "--json", "--out", tmp_path)
    found = json.loads(done.out)
    rows = [json.loads(line) for line in (tmp_path / "predictions.jsonl").read_text().splitlines()]

    assert done.code == 0
    assert all(metric.keys() == {"value", "lo", "hi", "n", "runs"} for metric in found["metrics"].values())
    assert (found["metrics"]["misidentified"]["n"], found["metrics"]["misidentified"]["runs"]) == (3, 2)
    assert found["metrics"]["misidentified"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["sd"]["misidentified"] == 0.0
    assert (found["set"], found["split"], found["lm"], found["requests"], found["runs"]) == ("entity", "dev", "none", 4, 2)
    assert len(rows) == 8
    assert "africa" not in json.dumps(rows)


def test_evaluate_text_and_variant(run: Run) -> None:
    """A line a measure; another variant is another setting."""
    full, none = (run("evaluate", "entity", "--variant", name) for name in ("full", "none"))

    assert any(line.split()[0] == "misidentified" for line in full.lines if line.strip())
    assert full.lines[0] == "entity dev, full, LM none"
    assert full.lines != none.lines


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("evaluate", "entity", "--variant", "half"), "unknown variant: half"),
        (("evaluate", "music_ner"), "say where: --data DIR"),
        (("experiment", "grounding", "--lm", "embedded/nobody"), "no backbone is called"),
    ],
)
def test_bad_usage_is_one_line(run: Run, arguments: tuple[str, ...], told: str) -> None:
    """Exit code 2 and the reason; no table."""
    done = run(*arguments)

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1


def test_baselines(index: EmbeddedIndex) -> None:
    """Without a model three systems are left; the popular list finds nothing that was asked for."""
    table = BaselinesTable("all", "dev", index, _setup()).table()
    collapse = _cells(table.blocks[0], "collapse")

    assert list(collapse) == ["Melo", "single-step router", "popular list"]
    assert collapse["popular list"].value > collapse["Melo"].value
    assert _cells(table.blocks[2], "calls")["Melo"].value == 0
    assert _same(table, BaselinesTable("all", "dev", index, _setup()).table())
