"""`melo tune` as it is called: it finds the better setting, judges it on other rows, writes, keeps the trials, goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from mlflow.tracking import MlflowClient

from experiments.tracking import TrackedRun
from experiments.tuning import session
from experiments.tuning.compare import Compared, compare
from optimizers.objective import Objective
from optimizers.thresholds import Trial
from program.settings import Settings
from tests.experiments.conftest import Done, Run

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

STRICT = "[grounding]\nfuzzy_max_spans = 0\n"
"""Settings under which no misspelt name is found: the search has something to find."""


@pytest.fixture
def strict(tmp_path: Path) -> Path:
    """A settings file to start from."""
    file = tmp_path / "strict.toml"
    file.write_text(STRICT)
    return file


@pytest.fixture
def tune(run: Run, home: Path, rows: Path, strict: Path, tmp_path: Path) -> Callable[..., Done]:
    """Runs `melo tune` on the rows, from the strict settings, into `tuned.toml`."""

    def call(*arguments: object) -> Done:
        return run("tune", "--rows", rows, "--settings", strict, "--out", tmp_path / "tuned.toml", *arguments)

    return call


def test_it_writes_what_is_better(tune: Callable[..., Done], tmp_path: Path) -> None:
    """Only the setting that helps is changed; the file loads, and says what it was tuned on and what it gained."""
    done = tune("--trials", 6, "--json")
    found = json.loads(done.out)
    file = tmp_path / "tuned.toml"

    assert done.code == 0
    assert list(found["changes"]) == ["fuzzy_max_spans"]
    assert found["held_out"]["field"]["difference"]["lo"] > 0
    assert found["held_out"]["field"]["before"].keys() == {"value", "lo", "hi", "n", "runs"}
    assert found["file"] == str(file)
    loaded = Settings.load(file)
    assert loaded.hash() == found["settings_hash"]
    assert loaded.grounding.fuzzy_max_spans == found["changes"]["fuzzy_max_spans"]["after"] > 0
    head = [line for line in file.read_text().splitlines() if line.startswith("#")]
    for told in (found["examples"]["rows"]["catalog_hash"], "Seed 0, 6 trials", "Held out, field", "fuzzy_max_spans: 0 before"):
        assert any(told in line for line in head), told


def test_rows_that_judge_are_not_those_that_were_tuned_on(tune: Callable[..., Done]) -> None:
    """Both kinds are counted, and together they are all rows."""
    counted = json.loads(tune("--trials", 1, "--json").out)["examples"]["rows"]

    assert counted["tuned"] + counted["held_out"] == 11
    assert min(counted["tuned"], counted["held_out"]) > 1


def test_trials_are_kept(tune: Callable[..., Done], home: Path) -> None:
    """One run with everything that is needed to repeat it, and a run below it for each trial."""
    found = json.loads(tune("--trials", 3, "--json").out)
    client = MlflowClient(tracking_uri=f"sqlite:///{home / 'mlflow' / 'mlflow.db'}")
    kept = client.get_run(found["run"])
    below = client.search_runs([kept.info.experiment_id], f"tags.`mlflow.parentRunId` = '{found['run']}'")
    first = next(run for run in below if run.info.run_name == "trial-0")

    assert {run.info.run_name for run in below} == {"trial-0", "trial-1", "trial-2"}
    assert {"seed", "settings_hash", "catalog_hash.rows", "objective", "code", "weight.field"} <= kept.data.params.keys()
    assert kept.data.metrics["held_out.field.before.value"] == found["held_out"]["field"]["before"]["value"]
    assert kept.info.status == "FINISHED"
    assert first.data.params["fuzzy_max_spans"] == "0"
    assert first.data.metrics.keys() == {"score", "field"}


def test_a_second_call_goes_on(tune: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted call loses nothing: the next one does the rest and comes to the same as a call in one go."""
    real = session._log
    logged: list[int] = []

    def stopping(run: TrackedRun, trial: Trial) -> None:
        real(run, trial)
        logged.append(trial.number)
        if trial.number == 1:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(session, "_log", stopping)
        stopped = tune("--trials", 4, "--json")
    found = json.loads(tune("--trials", 4, "--json").out)
    again = json.loads(tune("--trials", 4, "--force", "--json").out)

    assert (stopped.code, stopped.out) == (130, "")
    assert logged == [0, 1]
    assert (found["trials"], found["resumed"]) == (4, 2)
    assert again["resumed"] == 4
    same = ("changes", "held_out", "searched", "found_in", "study", "run", "settings_hash")
    assert {name: again[name] for name in same} == {name: found[name] for name in same}


def test_no_time_is_told(tune: Callable[..., Done]) -> None:
    """Without time for a trial the base alone is tried, which changes nothing; the result says that trials are missing."""
    found = json.loads(tune("--trials", 5, "--seconds", 0, "--json").out)

    assert (found["trials"], found["changes"], found["file"]) == (1, {}, None)
    assert "of 5" in found["incomplete"]


def test_what_is_not_better_is_not_written(run: Run, home: Path, rows: Path, tmp_path: Path) -> None:
    """From good settings there is nothing to gain: no file, exit code 0, and it says why."""
    out = tmp_path / "tuned.toml"
    done = run("tune", "--rows", rows, "--trials", 2, "--out", out)

    assert done.code == 0
    assert not out.exists()
    assert any(line.startswith("Nothing was written") for line in done.lines)


def test_unproven_settings_are_written_by_force_only(
    tune: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gain on the tuned rows that the held-out rows do not show is written only when that is asked for, and marked."""

    def unclear(objective: Objective, before: Settings, after: Settings, *, seed: int) -> dict[str, Compared]:
        found = compare(objective, before, after, seed=seed)
        return {name: one.model_copy(update={"is_better": False}) for name, one in found.items()}

    monkeypatch.setattr(session, "compare", unclear)
    file = tmp_path / "tuned.toml"
    kept = tune("--trials", 5)
    there = file.exists()
    forced = tune("--trials", 5, "--force")

    assert not there
    assert "not shown to be better" in kept.out
    assert "--force" in forced.out
    assert "NOT SHOWN TO BE BETTER" in file.read_text()
    assert Settings.load(file).grounding.fuzzy_max_spans > 0


def test_a_file_that_is_there_stays(tune: Callable[..., Done], tmp_path: Path) -> None:
    """Told before any work is done."""
    (tmp_path / "tuned.toml").write_text("mine")
    done = tune("--trials", 2)

    assert (done.code, done.out) == (2, "")
    assert "is there already" in done.err
    assert (tmp_path / "tuned.toml").read_text() == "mine"


def test_requests_and_rows_together(run: Run, home: Path, data: Path, rows: Path, strict: Path, tmp_path: Path) -> None:
    """Both kinds count with their weights; the test split is scored only when asked for, and counts for nothing else."""
    arguments = ("tune", "--data", data, "--rows", rows, "--settings", strict, "--trials", 4, "--json", "--weight", "shortcut=0")
    plain = json.loads(run(*arguments, "--out", tmp_path / "a.toml", "--weight", "field=3").out)
    tested = json.loads(run(*arguments, "--out", tmp_path / "b.toml", "--weight", "field=3", "--test").out)

    assert plain["weights"] == {"names": 0.25, "field": 0.75}
    assert plain["examples"]["requests"]["tuned"] + plain["examples"]["requests"]["held_out"] == 17
    assert (plain["test"], list(tested["test"])) == ({}, ["names", "objective"])
    assert tested["test"]["names"]["after"]["n"] == 2
    assert tested["study"] == plain["study"]
    assert tested["changes"] == plain["changes"]


def test_another_catalog(run: Run, home: Path, data: Path, tiny_catalog: Path, tmp_path: Path) -> None:
    """The same requests can be read against an index of one's own; that is another study."""
    arguments = ("tune", "--data", data, "--trials", 1, "--json", "--out", tmp_path / "tuned.toml")
    own, other = (json.loads(run(*arguments, *more).out) for more in ((), ("--catalog", tiny_catalog)))

    assert own["examples"]["requests"]["hash"] == other["examples"]["requests"]["hash"]
    assert own["examples"]["requests"]["catalog_hash"] != other["examples"]["requests"]["catalog_hash"]
    assert own["study"] != other["study"]


def test_a_person_reads_a_table(tune: Callable[..., Done]) -> None:
    """Objective and constraints, the changes with their worth, before and after with intervals, and what was done."""
    done = tune("--trials", 6)

    assert done.lines[0].startswith("objective    1.00 × field")
    assert done.lines[1] == "constraints  p_lo < p_hi; fuzzy_min_chars < fuzzy_two_edits_chars"
    assert any(line.startswith("fuzzy_max_spans") and "+" in line for line in done.lines)
    assert any(re.match(r"  field \(\d+\)  +\d\.\d{3} \[", line) for line in done.lines)
    assert any(line.startswith("Written to") for line in done.lines)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "nothing to tune on"),
        (("--data", "nowhere"), "nowhere"),
        (("--rows", "nowhere"), "nowhere"),
        (("--rows", "ROWS", "--weight", "names=1"), "--data"),
        (("--rows", "ROWS", "--weight", "noise=1"), "no part noise"),
        (("--rows", "ROWS", "--weight", "field"), "not a weight"),
        (("--rows", "ROWS", "--weight", "field=-1"), "-1"),
        (("--rows", "ROWS", "--weight", "field=nan"), "nan"),
        (("--rows", "ROWS", "--weight", "field=0"), "weight 0"),
        (("--rows", "ROWS", "--test"), "--test"),
        (("--rows", "ROWS", "--settings", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_bad_usage_is_one_line(run: Run, home: Path, rows: Path, arguments: tuple[str, ...], told: str) -> None:
    """Exit code 2, nothing on stdout, one line that says what is wrong, and no trial is begun."""
    done = run("tune", *(rows if word == "ROWS" else word for word in arguments))

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert not (home / "tuning").exists()
