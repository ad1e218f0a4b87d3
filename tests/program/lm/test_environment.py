"""Folders and defaults."""

import os
import stat
from pathlib import Path

import pytest

from program.lm.environment import private_defaults, user_cache


def test_home_variable_overrides_the_cache_folder(home: Path) -> None:
    """MELO_HOME is where brains and caches go."""
    assert user_cache() == home


def test_defaults_do_not_override_the_user(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable the user set stays; an unset one is set."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("DO_NOT_TRACK", "")
    monkeypatch.delenv("DO_NOT_TRACK")
    monkeypatch.setenv("DSPY_CACHEDIR", "x")
    monkeypatch.delenv("DSPY_CACHEDIR")

    private_defaults()

    assert os.environ["HF_HUB_OFFLINE"] == "0"
    assert os.environ["DO_NOT_TRACK"] == "true"
    assert os.environ["DSPY_CACHEDIR"] == str(home / "dspy")
    assert stat.S_IMODE((home / "dspy").stat().st_mode) == 0o700
