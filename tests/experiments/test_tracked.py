"""A table in MLflow: parameters, figures and files; the same table again is the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import tracked
from experiments.figures import Figure
from experiments.report import About, Block, Column, Line, Table, write_table
from experiments.tracked import metrics, track

pytestmark = pytest.mark.filterwarnings("ignore")


def _table(value: float = 0.25) -> Table:
    figure = Figure(value=value, lo=0.1, hi=0.4, n=9, runs=3, sd=0.02)
    line = Line(name="full − none", cells={"share": figure, "p": 0.03, "note": "x", "nothing": None})
    about = About(
        command="melo experiment x", set="entity", split="dev", requests=9, runs=3, temperature=0.3, seed=0, draws=10,
        backbone="none", settings={"full": "abc"}, catalog="c", catalog_tracks=5, code="d", versions={"dspy": "3.4.1"},
    )  # fmt: skip
    block = Block(title="Names: all", first="pair", columns=(Column(key="share", head="share", unit="share"),), lines=(line,))
    return Table(name="x", title="A table", blocks=(block,), answers=({"qid": "q", "right": True},), about=about)


def test_names_of_metrics() -> None:
    """Figures with interval, spread and n; plain numbers; no text; only characters that MLflow takes."""
    assert dict(metrics(_table())) == {
        "Names all/full none/share": 0.25, "Names all/full none/share.lo": 0.1, "Names all/full none/share.hi": 0.4,
        "Names all/full none/share.sd": 0.02, "Names all/full none/share.n": 9.0, "Names all/full none/p": 0.03,
    }  # fmt: skip


def test_a_table_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of the same table make one run, with the latest figures and all files."""
    from mlflow.tracking import MlflowClient

    monkeypatch.setenv("MELO_HOME", str(tmp_path / "home"))
    files = write_table(tmp_path / "out", _table(), b"a picture")
    track(_table(), files)
    store = track(_table(0.5), files)
    client = MlflowClient(tracking_uri=f"sqlite:///{store}")
    experiment = client.get_experiment_by_name(tracked.EXPERIMENT)
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])

    assert len(runs) == 1
    assert runs[0].data.metrics["Names all/full none/share"] == 0.5
    assert (runs[0].data.params["settings.full"], runs[0].data.params["version.dspy"]) == ("abc", "3.4.1")
    assert runs[0].info.status == "FINISHED"
    assert {file.path for file in client.list_artifacts(runs[0].info.run_id)} == {*(path.name for path in files), "answers.jsonl"}
