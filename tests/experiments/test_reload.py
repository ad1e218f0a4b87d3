"""Exported, the original wiped, loaded in a fresh process: every answer is the one that was given before."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import experiments
from data.labelled import KINDS, load_rows
from program.bundle.files import Bundle, save_bundle
from program.bundle.state import NodeText, ProgramState
from program.lm.brains import installed
from program.settings import LMSettings, Settings
from tests.experiments.conftest import Run

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
_ROOT = Path(experiments.__file__).parent.parent
_MANY = 200
_BRAIN = installed("smollm2-135m")


def _requests() -> bytes:
    rows = [row for kind in KINDS for row in load_rows(kind, "train")]
    return "\n".join(row.request for row in rows[:_MANY]).encode()


def _bundle(lm: str) -> Bundle:
    """One that answers otherwise than the defaults: other thresholds, other words, a demo."""
    settings = Settings(lm=LMSettings(name=lm))
    grounding = settings.grounding.model_copy(update={"p_hi": 0.75, "ambiguity_margin": 0.03})
    retry = settings.retry.model_copy(update={"list_size": 7})
    execute = settings.execute.model_copy(
        update={"deadline_ms": 60_000}
    )  # a busy machine is slow, and must not be another answer
    demo: dict[str, str | list[str]] = {
        "request": "songs by Toto",
        "tracks": "t1: Africa",
        "title": "Toto",
        "description": "Songs by Toto.",
    }
    state: ProgramState = {"synthesize": NodeText(instructions="Name the playlist in two words.", demos=(demo,))}
    changed = settings.model_copy(update={"grounding": grounding, "retry": retry, "execute": execute})
    return Bundle(name="reloaded", settings=changed, state=state, created="2026-12-01", versions={})


def _told(lines: Sequence[str]) -> list[dict[str, Any]]:
    """Answers without what differs from run to run: the trace's name, times and what a model's cache spared."""
    answers = [json.loads(line) for line in lines]
    return [{key: value for key, value in answer.items() if key not in ("trace_id", "timings_ms", "usage")} for answer in answers]


def _reloaded(run: Run, tmp_path: Path, home: Path, lm: str) -> list[list[dict[str, Any]]]:
    """Answers before, and in a fresh process from the exported bundle alone."""
    original = save_bundle(tmp_path / "original", _bundle(lm))
    before = run("ask", "--json", "-", "--bundle", original, stdin=_requests())
    exported = run("export", "--bundle", original, "--out", tmp_path / "exported")
    shutil.rmtree(original)
    for file in home.iterdir():  # traces, journals, other bundles: all but the weights
        if file.name != "brains":
            shutil.rmtree(file) if file.is_dir() else file.unlink()
    command = [sys.executable, "-m", "experiments.cli", "ask", "--json", "-", "--bundle", str(tmp_path / "exported")]
    fresh = subprocess.run(
        command, input=_requests(), capture_output=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(_ROOT)}
    )
    assert (before.code, exported.code, fresh.returncode) == (0, 0, 0), (before.err, exported.err, fresh.stderr.decode())
    return [_told(before.lines), _told(fresh.stdout.decode().splitlines())]


@pytest.mark.timeout(400)
def test_two_hundred_requests_without_a_model(run: Run, tmp_path: Path, home: Path) -> None:
    """The bundle's thresholds are in force, and all answers are identical."""
    before, after = _reloaded(run, tmp_path, home, "none")

    assert len(before) == _MANY
    assert after == before
    assert max(len(answer["tracks"]) for answer in before) == 7


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(_BRAIN is None, reason="the brain is not installed")
def test_two_hundred_requests_with_the_embedded_model(run: Run, tmp_path: Path, home: Path) -> None:
    """The same prompts, and so the same words."""
    assert _BRAIN is not None
    (home / "brains").mkdir(parents=True)
    (home / "brains" / _BRAIN.name).symlink_to(_BRAIN.resolve())
    before, after = _reloaded(run, tmp_path, home, "embedded/smollm2-135m")

    assert len(before) == _MANY
    assert after == before
    assert any(answer["path"] == "lm" for answer in before)
