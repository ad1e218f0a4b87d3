"""The command line in this process: its own home folder, the tiny catalog, streams of bytes."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from experiments.cli import main
from tests.tiny import build_tiny


@dataclass(frozen=True)
class Done:
    """What a command left: its exit code and its two streams."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of its result."""
        return self.out.splitlines()


Run = Callable[..., Done]


@pytest.fixture(scope="session")
def tiny_catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the tiny catalog's index; read-only by agreement."""
    path = tmp_path_factory.mktemp("cli") / "index"
    build_tiny(path)
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_catalog: Path) -> Path:
    """A home folder without brains and traces; `MELO_CATALOG` names the tiny catalog."""
    folder = tmp_path / "home"
    monkeypatch.setenv("MELO_HOME", str(folder))
    monkeypatch.setenv("MELO_CATALOG", str(tiny_catalog))
    return folder


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs `melo` with arguments and bytes on standard input; every run is checked for a traceback."""

    def run_melo(*arguments: object, stdin: bytes = b"") -> Done:
        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["melo", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            patch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8", write_through=True))
            patch.setattr(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8", write_through=True))
            code = 0
            try:
                main()
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 0
            result = Done(code, out.getvalue().decode(), err.getvalue().decode())
        assert "Traceback" not in result.out + result.err
        return result

    yield run_melo
    gc.collect()  # an index that a command left open is closed here, not in another test
