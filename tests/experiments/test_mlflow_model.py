"""The MLflow flavour: loaded by code in a fresh process, without a pickle, and it answers as `melo ask` does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import experiments
from program.bundle.files import Bundle, load_bundle, save_bundle
from program.settings import LMSettings, Settings
from tests.experiments.conftest import Run

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.timeout(600),
]
_ROOT = Path(experiments.__file__).parent.parent
_REQUESTS = ("Africa by Toto", "niche Icelandic post-punk", "play Xanthorpe Dreaming")
_LOADER = """
import json, sys, mlflow, pandas
model = mlflow.pyfunc.load_model(sys.argv[1])
print(json.dumps(model.predict(pandas.DataFrame({"request": json.loads(sys.argv[2])}))))
"""


@pytest.fixture
def model(run: Run, tmp_path: Path) -> Path:
    """An exported model."""
    settings = Settings(lm=LMSettings(name="none"))
    bundle = Bundle(name="served", settings=settings, state={}, created="2026-12-01", versions={"mlflow": "3.17.2"})
    done = run("export", "--bundle", save_bundle(tmp_path / "bundle", bundle), "--out", tmp_path / "model", "--mlflow")
    assert done.code == 0, done.err
    return tmp_path / "model"


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_ROOT), "MLFLOW_ALLOW_PICKLE_DESERIALIZATION": "false", **more}


def _told(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in ("trace_id", "timings_ms", "usage")}


def test_a_fresh_process_answers_as_ask_does(run: Run, model: Path, tmp_path: Path) -> None:
    """With pickles forbidden; the folder holds the bundle as it was, and no path of this machine."""
    command = [sys.executable, "-c", _LOADER, str(model), json.dumps(_REQUESTS)]
    fresh = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=_environment())
    assert fresh.returncode == 0, fresh.stderr
    answers = json.loads(fresh.stdout.splitlines()[-1])
    asked = run("ask", "--json", "-", "--lm", "none", stdin="\n".join(_REQUESTS).encode())
    texts = [path.read_bytes() for path in model.rglob("*") if path.is_file()]

    assert list(map(_told, answers)) == [_told(json.loads(line)) for line in asked.lines]
    assert load_bundle(model / "artifacts" / "bundle").name == "served"
    assert not [path for path in model.rglob("*") if path.suffix in (".pkl", ".pickle")]
    assert not [text for text in texts if str(tmp_path).encode() in text or str(_ROOT).encode() in text]


@pytest.mark.slow
def test_it_is_served(model: Path, tmp_path: Path) -> None:
    """`mlflow models serve` starts with the local environment and answers over HTTP."""
    port = "58231"
    command = [sys.executable, "-m", "mlflow", "models", "serve", "-m", str(model), "-p", port, "--env-manager", "local"]
    server = subprocess.Popen(
        command, cwd=tmp_path, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0
    )
    body = json.dumps({"dataframe_split": {"columns": ["request"], "data": [[_REQUESTS[0]]]}}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/invocations", body, {"Content-Type": "application/json"}
    )  # fmt: skip
    try:
        answer = _first_answer(request, 400)
    finally:
        os.killpg(server.pid, 15)
        server.wait(30)

    assert [track["track_id"] for track in answer["predictions"][0]["tracks"]] == ["toto--africa"]


def _first_answer(request: urllib.request.Request, seconds: float) -> dict[str, Any]:
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                found: dict[str, Any] = json.load(response)
                return found
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(1)
