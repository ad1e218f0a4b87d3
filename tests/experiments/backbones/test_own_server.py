"""Both embedded models behind a server that is not ours, through `openai/…`; the server is killed in mid-run."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tests.llama_server
from program.lm.brains import installed, language_models
from tests.experiments.conftest import Run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
_WEIGHTS = {name: path for name in language_models() if (path := installed(name)) is not None}


@contextmanager
def _server(name: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, tests.llama_server.__file__, str(_WEIGHTS[name]), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return f"{process.stdout.readline().strip()}/v1"


def _cells(table: dict[str, Any], title: str, name: str) -> dict[str, Any]:
    block = next(block for block in table["blocks"] if block["title"] == title)
    found: dict[str, Any] = next(line["cells"] for line in block["lines"] if line["name"] == name)
    return found


@pytest.mark.parametrize("name", sorted(_WEIGHTS))
def test_a_model_behind_a_server_is_a_row(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """It is asked over HTTP with an address and a key from the environment; tokens and times are the server's."""
    with _server(name) as process:
        monkeypatch.setenv("OPENAI_API_BASE", _address(process))
        monkeypatch.setenv("OPENAI_API_KEY", "local")
        done = run(
            "compare", "--lm", "none", "--lm", f"openai/{name}", "--set", "longtail", "--split", "train", "--limit", 4,
            "--no-track", "--json", "--out", tmp_path / "out",
        )  # fmt: skip
    table = json.loads(done.out)

    assert done.code == 0, done.err
    assert _cells(table, "Quality", f"openai/{name}")["state"] == "answered"
    assert _cells(table, "Latency and cost, a request", f"openai/{name}")["prompt"]["value"] > 0


@pytest.mark.skipif("smollm2-135m" not in _WEIGHTS, reason="the brain is not installed")
def test_a_server_that_is_killed_leaves_partial_results(
    run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers so far are a row, the failure is typed, and the command says how to go on."""
    lm = "openai/smollm2-135m"
    with _server("smollm2-135m") as process:
        monkeypatch.setenv("OPENAI_API_BASE", _address(process))
        monkeypatch.setenv("OPENAI_API_KEY", "local")
        killer = threading.Thread(target=_kill_after, args=(process, lambda: _journaled(home) >= 3), daemon=True)
        killer.start()
        done = run(
            "compare", "--lm", lm, "--set", "longtail", "--split", "train", "--limit", 20, "--no-track", "--json",
            "--out", tmp_path / "out",
        )  # fmt: skip
        killer.join()
    table = json.loads(done.out)
    state = _cells(table, "Quality", lm)["state"]

    assert done.code == 1
    assert "what was answered is kept" in done.err
    assert state.startswith("lm_unavailable after ")
    assert 3 <= int(state.split()[2]) < 20
    assert _cells(table, "Failures by kind (answers)", lm)["infrastructure: lm_unavailable"] >= 1


def _journaled(home: Path) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in home.rglob("labelled-openai_*.jsonl"))


def _kill_after(process: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    while not ready() and process.poll() is None:
        time.sleep(0.05)
    process.kill()
