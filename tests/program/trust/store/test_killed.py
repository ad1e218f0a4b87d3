"""Writers that are killed: whatever was told to be committed is there, whole, and the store opens."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from program.trust.artifacts import verify
from program.trust.store import open_store
from tests.program.trust.store.sessions import WHOLE
from tests.program.trust.store.writer import ROOT

_THREADS = 4
_FOR_EVER = 10**6


def _killed_writer(path: Path, name: str, after: int) -> list[str]:
    """The traces that a writer named before it was killed, some time after the `after`-th of them."""
    command = [sys.executable, "-m", "tests.program.trust.store.writer", str(path), name, str(_THREADS), str(_FOR_EVER)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        named = [process.stdout.readline().strip() for _ in range(after)]
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read()
    named += [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    assert process.returncode == -signal.SIGKILL
    return [name.strip() for name in named]


def _kill(path: Path, times: int) -> None:
    draw = random.Random(0)
    committed: list[str] = []
    for run in range(times):
        committed += _killed_writer(path, f"r{run}", draw.randrange(1, 150))
        with closing(open_store(path, environ={}, now=lambda: 1.0)) as store:
            for trace_id in committed[-200:]:
                artifacts = store.trace(trace_id)
                assert [one.node for one in artifacts] == list(WHOLE)
                for one in artifacts:
                    verify(one, {other.artifact_id for other in artifacts}.__contains__)
    with closing(sqlite3.connect(path.with_suffix("") / "1970-01.sqlite")) as connection:
        held = {row[0] for row in connection.execute("SELECT trace_id FROM artifacts WHERE node = 'playlist'")}
        counts = {row[0] for row in connection.execute("SELECT count(*) FROM artifacts GROUP BY trace_id")}
        sound = connection.execute("PRAGMA integrity_check").fetchone()

    assert len(committed) > times
    assert set(committed) <= held
    assert counts == {len(WHOLE)}
    assert sound == ("ok",)


def test_nothing_committed_is_lost(tmp_path: Path) -> None:
    """Two kills in the midst of writing: every named session is whole, no other is half there."""
    _kill(tmp_path / "traces.sqlite", 2)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_nothing_committed_is_lost_in_fifty_kills(tmp_path: Path) -> None:
    """The same fifty times, on one store."""
    _kill(tmp_path / "traces.sqlite", 50)
