"""The field table: right and wrong per variant, and what the command line makes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.contracts import Intent, Playlist
from experiments.external.field_catalog import Shelf
from experiments.external.field_checks import answer_faults
from experiments.external.field_rows import Want
from experiments.figures import Difference, Drawn, Figure
from experiments.plots import draw
from experiments.report import Table, cell_text, markdown
from experiments.tables.base import Setup
from experiments.tables.field import VARIANTS, FieldTable
from program.settings import Settings
from tests.experiments.conftest import Run
from tests.tiny import TinyEmbedder

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def _table(rows: Path, **options: object) -> FieldTable:
    setup = Setup(Settings(), drawn=Drawn(seed=1, draws=200), command="melo experiment field", **options)  # type: ignore[arg-type]
    return FieldTable(rows, setup, embedder=TinyEmbedder())


@pytest.fixture(scope="module")
def table(field_rows: Path) -> Table:
    """The table of the rows."""
    return _table(field_rows).table()


def test_right_per_variant(table: Table) -> None:
    """Two of three are right with every defence; without a guard nothing else differs here."""
    right = {line.name: line.cells["right"] for line in table.blocks[0].lines}
    full = right["full defence"]

    assert isinstance(full, Figure)
    assert full.value == pytest.approx(2 / 3, abs=1e-6)
    assert (full.n, full.runs) == (3, 1)
    assert list(table.details["full"]["wrong"]) == ["c"]
    assert table.details["full"]["crashed"] == {}
    assert [line.name for line in table.blocks[3].lines] == ["exact"]


def test_layers_add_up(table: Table) -> None:
    """The shares of the three layers sum to the difference of full to none."""
    layers = [line.cells["difference"] for line in table.blocks[2].lines]
    whole = table.blocks[1].lines[-1].cells["difference"]

    assert isinstance(whole, Difference)
    assert sum(one.value or 0 for one in layers if isinstance(one, Difference)) == pytest.approx(whole.value, abs=1e-5)


def test_two_runs_are_identical(table: Table, field_rows: Path) -> None:
    """Blocks and details of two runs with one seed are the same to the last digit."""
    again = _table(field_rows).table()

    assert table.model_dump(include={"blocks", "details", "notes"}) == again.model_dump(include={"blocks", "details", "notes"})


def test_what_it_carries(table: Table) -> None:
    """Hashes, versions, seed and the command; each variant's settings have a hash of their own."""
    about = table.about

    assert (about.requests, about.runs, about.seed, about.backbone) == (3, 1, 1, "none")
    assert set(about.settings) == set(VARIANTS)
    assert len(set(about.settings.values())) == len(VARIANTS)
    assert about.code
    assert about.catalog
    assert about.versions["dspy"]


def test_kept_answers_serve_again(field_rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second table asks nothing: it comes from the journal, and is the same."""
    first = _table(field_rows, journal=tmp_path / "journal").table()
    monkeypatch.setattr("experiments.external.field.FieldBench.score", lambda *_: pytest.fail("asked again"))
    second = _table(field_rows, journal=tmp_path / "journal").table()

    assert first.blocks == second.blocks


def test_a_crash_is_told_apart(field_rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts as not right, under its reason, and not as a wrong answer."""

    def broken(want: Want, shelf: Shelf, playlist: Playlist, intent: Intent | None) -> tuple[str, ...]:
        if playlist.tracks and playlist.tracks[0].title == "Hello":
            raise ZeroDivisionError("no such thing")
        return answer_faults(want, shelf, playlist, intent)

    monkeypatch.setattr("experiments.external.field.answer_faults", broken)
    table = _table(field_rows).table()

    assert table.details["full"]["crashed"] == {"b": ["ZeroDivisionError: no such thing"]}
    assert "b" not in table.details["full"]["wrong"]


def test_the_plot_is_a_picture(table: Table) -> None:
    """A PNG, the same for the same table."""
    picture = draw(table)

    assert picture is not None
    assert picture.startswith(b"\x89PNG")
    assert picture == draw(table)


def test_command(run: Run, field_rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One command: files, JSON on stdout with the same figures, the command in the Markdown."""
    monkeypatch.setattr("experiments.tables.field.packaged_embedder", TinyEmbedder)
    done = run("experiment", "field", "--rows", field_rows, "--out", tmp_path / "out", "--json", "--no-track")
    printed = json.loads(done.out)
    written = json.loads((tmp_path / "out" / "field-none.json").read_text())

    assert done.code == 0
    assert printed == written
    assert printed["about"]["command"].startswith("melo experiment field --rows")
    assert "full defence" in (tmp_path / "out" / "field-none.md").read_text()
    assert (tmp_path / "out" / "field-none.png").read_bytes().startswith(b"\x89PNG")


def test_bad_usage_is_one_line(run: Run, tmp_path: Path) -> None:
    """No folder, no rows: exit code 2 and the reason."""
    done = run("experiment", "field", "--rows", tmp_path / "nowhere")

    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize(
    ("unit", "told"),
    [("share", "50.0 ± 1.0 [40.0, 60.0]"), ("points", "+50.0 ± 1.0 [40.0, 60.0]"), ("count", "0.50 ± 0.01 [0.40, 0.60]")],
)
def test_cells(unit: str, told: str) -> None:
    """Shares are printed in percent, differences with their sign."""
    figure = Figure(value=0.5, lo=0.4, hi=0.6, n=9, runs=3, sd=0.01)

    assert cell_text(figure, unit) == told  # type: ignore[arg-type]
    assert cell_text(Figure(value=None, lo=None, hi=None, n=0, runs=1), unit) == "–"  # type: ignore[arg-type]


def test_markdown_has_every_cell(table: Table) -> None:
    """Every line of every block is a row of a table with as many cells as its head."""
    rows = [line for line in markdown(table).splitlines() if line.startswith("|")]

    for block in table.blocks:
        found = [row for row in rows if any(row.startswith(f"| {line.name} |") for line in block.lines)]
        assert found
    assert all(row.count("|") >= 3 for row in rows)
