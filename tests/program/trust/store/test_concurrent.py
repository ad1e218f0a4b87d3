"""Many writers at once, in one process and in several: no chain is broken, no child of a shared parent is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from data.errors import StoreError
from program.trust.artifacts import verify
from program.trust.store import TraceStore
from tests.program.trust.store.conftest import Opener
from tests.program.trust.store.sessions import WHOLE, child_of, session_of
from tests.program.trust.store.writer import ROOT
from tests.redis_server import needs_redis


def _write_at_once(store: TraceStore, writers: int, sessions: int) -> list[str]:
    """Each writer adds sessions that were all made from one artifact. Returns what went wrong."""
    root = session_of("root", 1.0, ("request",))
    store.add(root)
    together = threading.Barrier(writers)
    failed: list[str] = []

    def write(writer: int) -> None:
        together.wait()
        for number in range(sessions):
            try:
                store.add(child_of(root[0], f"w{writer:03d}n{number:03d}"))
            except StoreError as error:
                failed.append(error.message)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def _check(store: TraceStore, writers: int, sessions: int) -> None:
    names = [f"w{writer:03d}n{number:03d}" for writer in range(writers) for number in range(sessions)]
    assert len(store.went_into("root-00")) == len(names) * len(WHOLE)
    assert sorted(store.affected_answers("root-00")) == sorted(f"{name}-06" for name in names)
    for name in names:
        artifacts = store.trace(name)
        own = {one.artifact_id for one in artifacts} | {"root-00"}
        for one in artifacts:
            verify(one, own.__contains__)
        assert store.made_from(f"{name}-06")[-1] == "root-00"


@needs_redis
@pytest.mark.parametrize("hot", ["memory", "redis"])
def test_writers_at_once(opener: Opener, in_redis: dict[str, str], hot: str) -> None:
    """Forty writers."""
    store = opener(in_redis, hot=hot)

    assert _write_at_once(store, 40, 3) == []
    _check(store, 40, 3)
    assert store.fault == ""


@needs_redis
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("hot", ["memory", "redis"])
def test_five_hundred_writers_at_once(opener: Opener, in_redis: dict[str, str], hot: str) -> None:
    """Five hundred writers."""
    store = opener(in_redis, hot=hot)

    assert _write_at_once(store, 500, 10) == []
    _check(store, 500, 10)
    assert store.fault == ""


def _processes(opener: Opener, path: Path, processes: int, threads: int, sessions: int) -> None:
    command = [sys.executable, "-m", "tests.program.trust.store.writer", str(path)]
    running = [
        subprocess.Popen([*command, f"p{number}", str(threads), str(sessions)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for number in range(processes)
    ]
    named = [line for one in running for line in one.communicate()[0].split()]
    store = opener()

    assert [one.returncode for one in running] == [0] * processes
    assert len(set(named)) == processes * threads * sessions
    assert all([one.node for one in store.trace(name)] == list(WHOLE) for name in named)


def test_processes_at_once(opener: Opener, tmp_path: Path) -> None:
    """Two processes on one store, which both of them make."""
    (tmp_path / "deep").mkdir()
    _processes(opener, tmp_path / "deep" / "traces.sqlite", 2, 4, 10)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_five_hundred_writers_in_ten_processes(opener: Opener, tmp_path: Path) -> None:
    """Fifty writers in each of ten processes."""
    (tmp_path / "deep").mkdir()
    _processes(opener, tmp_path / "deep" / "traces.sqlite", 10, 50, 10)
