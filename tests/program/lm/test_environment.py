"""Folders and defaults."""

import os
import stat
from pathlib import Path

import pytest

from program.lm.environment import private_defaults, user_cache

SILENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",
    "DO_NOT_TRACK": "true",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def _unset(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "")  # so that the patch puts back what is set below
    monkeypatch.delenv(name)


def test_home_variable_overrides_the_cache_folder(home: Path) -> None:
    """MELO_HOME is where brains and caches go."""
    assert user_cache() == home


def test_defaults_stop_telemetry_and_start_up_downloads(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names are the libraries' own: a slip of the pen would let them phone home."""
    for name in [*SILENT, "DSPY_CACHEDIR"]:
        _unset(monkeypatch, name)

    private_defaults()

    assert {name: os.environ[name] for name in SILENT} == SILENT
    assert os.environ["DSPY_CACHEDIR"] == str(home / "dspy")
    assert stat.S_IMODE((home / "dspy").stat().st_mode) == 0o700


def test_defaults_do_not_override_the_user(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is set stays, and no folder is made for one."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("DSPY_CACHEDIR", "/elsewhere")

    private_defaults()

    assert os.environ["HF_HUB_OFFLINE"] == "0"
    assert os.environ["DSPY_CACHEDIR"] == "/elsewhere"
    assert not home.exists()
