"""A home folder whose store of runs is made once: MLflow takes seconds to make one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from experiments.tracking import Tracker


@pytest.fixture(scope="session")
def used_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a store that holds no run."""
    home = tmp_path_factory.mktemp("used")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MELO_HOME", str(home))
        Tracker.open("nothing")
    return home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, used_home: Path, tiny_catalog: Path) -> Path:
    """A home of its own, as full as that one; `MELO_CATALOG` names the tiny catalog."""
    folder = tmp_path / "home"
    shutil.copytree(used_home, folder)
    monkeypatch.setenv("MELO_HOME", str(folder))
    monkeypatch.setenv("MELO_CATALOG", str(tiny_catalog))
    return folder
