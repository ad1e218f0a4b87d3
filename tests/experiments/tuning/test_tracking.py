"""The store of runs: embedded, private, and one run for one key."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from mlflow.tracking import MlflowClient

from data.errors import InfrastructureError
from experiments.tracking import Tracker, user_data


def _client(home: Path) -> MlflowClient:
    return MlflowClient(tracking_uri=f"sqlite:///{home / 'mlflow' / 'mlflow.db'}")


def test_a_run_with_figures_children_and_a_file(home: Path) -> None:
    """What was logged is there under MLflow's own names."""
    tracker = Tracker.open("tests")
    run = tracker.run("key", "a run", {"seed": 3})
    run.log({"score": 0.25}, step=1)
    run.log({"score": 0.5}, step=2)
    run.child("trial-0", {"score": 0.25}, {"p_hi": 0.6})
    run.text("settings.toml", "# nothing")
    run.end(finished=True)
    client = _client(home)
    kept = client.get_run(run.run_id)
    (child,) = client.search_runs([kept.info.experiment_id], f"tags.`mlflow.parentRunId` = '{run.run_id}'")

    assert (kept.info.status, kept.data.params, kept.data.metrics) == ("FINISHED", {"seed": "3"}, {"score": 0.5})
    assert [metric.value for metric in client.get_metric_history(run.run_id, "score")] == [0.25, 0.5]
    assert (child.info.status, child.data.params, child.data.metrics) == ("FINISHED", {"p_hi": "0.6"}, {"score": 0.25})
    assert run.children() == {"trial-0"}
    assert [path.read_text() for path in (home / "mlflow" / "artifacts").rglob("settings.toml")] == ["# nothing"]


def test_the_same_key_is_the_same_run(home: Path) -> None:
    """A run that was stopped goes on; another key is another run."""
    first = Tracker.open("tests").run("key", "a run", {"seed": 3})
    first.child("trial-0", {}, {})
    first.end(finished=False)
    again = Tracker.open("tests").run("key", "a run", {"seed": 3})
    other = Tracker.open("tests").run("other", "a run", {})

    assert again.run_id == first.run_id
    assert again.children() == {"trial-0"}
    assert other.run_id != first.run_id
    assert not other.children()
    assert _client(home).get_run(first.run_id).info.status == "RUNNING"


def test_nothing_tells_who_and_where(home: Path) -> None:
    """No run says the user's name, the machine's or the code's origin, and only the owner may look into the folder."""
    Tracker.open("tests").run("key", "a run", {})
    with sqlite3.connect(home / "mlflow" / "mlflow.db") as database:
        tags = {key for (key,) in database.execute("select key from tags")}
        users = {user for (user,) in database.execute("select user_id from runs")}
    database.close()

    assert tags == {"melo.key", "mlflow.runName"}
    assert users == {"unknown"}
    assert (home / "mlflow").stat().st_mode & 0o077 == 0


def test_another_store(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, used_home: Path) -> None:
    """MLflow's own variable names it; its address is not shown."""
    there = tmp_path / "there.db"
    there.write_bytes((used_home / "mlflow" / "mlflow.db").read_bytes())
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{there}")
    tracker = Tracker.open("tests")
    run = tracker.run("key", "a run", {})

    assert str(there) not in tracker.store
    assert MlflowClient(tracking_uri=f"sqlite:///{there}").get_run(run.run_id)
    assert not _client(home).search_experiments(filter_string="name = 'tests'")


def test_a_store_that_cannot_be_used(home: Path) -> None:
    """One error that says what it is about, and how to use another."""
    (home / "mlflow" / "mlflow.db").write_text("this is no database, only words " * 40)

    with pytest.raises(InfrastructureError, match="MLflow store cannot be used") as told:
        Tracker.open("tests")
    assert "MLFLOW_TRACKING_URI" in told.value.hint


def test_where_data_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the home folder that is set, else in the user's data folder, which is not the cache."""
    monkeypatch.setenv("MELO_HOME", str(tmp_path))
    assert user_data() == tmp_path

    monkeypatch.delenv("MELO_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert user_data() == tmp_path / "data" / "melo"
