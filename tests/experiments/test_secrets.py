"""Keys in the environment, in headers and in settings reach a model, and nothing that is written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dspy
import pytest
from dspy import lm15

from data.labelled import LabelledRow
from program.bundle.files import Bundle, save_bundle
from program.bundle.state import NodeText
from program.lm.backbones import Backbone
from program.settings import LMSettings, Settings
from tests.experiments.conftest import Run
from tests.labelled import named, row
from tests.scripted import ScriptedLM

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.timeout(400),
]
_IN_ENVIRONMENT, _IN_HEADER, _IN_SETTINGS = "planted-env-77c1e2", "planted-header-91b0d4", "planted-settings-5f3a8b"
_PLANTED = (_IN_ENVIRONMENT, _IN_HEADER, _IN_SETTINGS)
_HOST = "planted-host.example"


def _rows(*_: object) -> tuple[LabelledRow, ...]:
    words = ("qqzx", "vvzx")
    return tuple(
        row(f"africa by toto {word}", qid=f"entity-00{number}", entities=[named("africa", "track", "toto--africa")])
        for number, word in enumerate(words)
    )


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> list[dspy.LM]:
    """Models that hold keys and headers, and whose failures repeat them, as servers do."""
    monkeypatch.setenv("PLANTED_API_KEY", _IN_ENVIRONMENT)
    made: list[dspy.LM] = []

    def refused(prompt: str) -> dict[str, Any]:
        raise lm15.AuthError(f"key {_IN_ENVIRONMENT} with header {_IN_HEADER} was refused by {_HOST}")

    def resolve(name: str) -> Backbone:
        engine = ScriptedLM(
            [("understand", {"reading": "r0", "add": [], "drop": [], "unsure": [], "name": ""}), ("plan", refused)]
        )
        lm = dspy.LM(
            name, engine=engine, temperature=0.0, max_tokens=200, cache=False, num_retries=0,
            extra_headers={"Authorization": f"Bearer {_IN_HEADER}"},
        )  # fmt: skip
        made.append(lm)
        return Backbone(name, lm, schema=True, embedded=False)

    monkeypatch.setattr("experiments.replays.resolve", resolve)
    monkeypatch.setattr("experiments.backbones.table.resolve", resolve)
    monkeypatch.setattr("experiments.backbones.table.probe", lambda backbone, timeout_s: None)
    monkeypatch.setattr("experiments.backbones.table.rows_of", _rows)
    return made


def _written(*folders: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
    }


def _found(written: dict[Path, bytes]) -> list[tuple[str, str]]:
    return [(path.name, word) for path, content in written.items() for word in (*_PLANTED, _HOST) if word.encode() in content]


def test_no_secret_is_in_anything_that_is_written(
    run: Run, home: Path, tmp_path: Path, planted: list[dspy.LM]
) -> None:  # fmt: skip
    """Journal, LM answers, tables, run store, bundle, MLflow model, standard output and error: none holds a planted word."""
    compared = run("compare", "--lm", "a/one", "--out", tmp_path / "out")
    settings = Settings(lm=LMSettings(name="a/one"))
    state = {"plan": NodeText(instructions="Choose tools.")}
    bundle = Bundle(name="clean", settings=settings, state=state, created="2026-12-01", versions={"mlflow": "3", "dspy": "3"})
    save_bundle(tmp_path / "bundle", bundle)
    exported = run("export", "--bundle", tmp_path / "bundle", "--out", tmp_path / "model", "--mlflow")
    written = _written(home, tmp_path)
    kinds = {path.name.split("-")[0] for path in written}

    assert planted
    assert any(_IN_HEADER in str(lm.kwargs) for lm in planted)
    assert {"labelled", "lm_answers.sqlite", "mlflow.db", "MLmodel", "manifest.json", "program.json"} <= kinds
    assert any("the key was refused" in content.decode(errors="replace") for content in written.values())
    assert _found(written) == []
    assert not [word for word in (*_PLANTED, _HOST) for done in (compared, exported) if word in done.out + done.err]
    assert exported.code == 0, exported.err


def test_a_key_in_the_settings_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a setting would carry one, nothing is written and the message does not repeat it."""
    monkeypatch.setenv("PLANTED_TOKEN", _IN_SETTINGS)
    (tmp_path / "s.toml").write_text(f'[lm]\nname = "openai/{_IN_SETTINGS}"\n')
    (tmp_path / "optimized").mkdir()
    (tmp_path / "optimized" / "program.json").write_text('{"plan": {"instructions": "Choose.", "demos": []}}')
    arguments = ("--bundle", tmp_path / "optimized", "--lm", f"openai/{_IN_SETTINGS}", "--settings", tmp_path / "s.toml")
    done = run("export", *arguments, "--out", tmp_path / "bundle")

    assert done.code == 2
    assert "would hold the value of PLANTED_TOKEN" in done.err
    assert _IN_SETTINGS not in done.out + done.err
    assert not (tmp_path / "bundle").exists()
    assert os.environ["PLANTED_TOKEN"] == _IN_SETTINGS
