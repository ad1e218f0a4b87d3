"""A real PostgreSQL in a folder of the test's own, where one is installed and may be run. Slow tests only."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import uuid
from pathlib import Path

import pytest

_BINARIES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)


def _user() -> str | None:
    """Who runs it: it refuses root."""
    if os.getuid() != 0:
        return ""
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known and shutil.which("runuser") else None


needs_postgres = pytest.mark.skipif(
    _BINARIES is None or _user() is None or importlib.util.find_spec("psycopg") is None,
    reason="PostgreSQL or psycopg is not installed here",
)


class Postgres:
    """One server on loopback."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path("/tmp") / f"melo-postgres-{uuid.uuid4().hex[:8]}" if os.getuid() == 0 else folder / "data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])

    def start(self) -> None:
        """Make a cluster and start it."""
        self._run("initdb", "-D", str(self._folder), "-U", "melo", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        self._run("pg_ctl", "-D", str(self._folder), "-o", options, "-w", "-l", str(self._folder / "log"), "start")

    def fresh(self) -> str:
        """The URL of a new, empty database."""
        name = f"melo_{uuid.uuid4().hex[:8]}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self._port), "-U", "melo", name)
        return f"postgresql+psycopg://melo@127.0.0.1:{self._port}/{name}"

    def stop(self) -> None:
        """Stop it, and remove what it left."""
        self._run("pg_ctl", "-D", str(self._folder), "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        user = _user()
        before = ["runuser", "-u", user, "--"] if user else []
        command = [*before, f"{_BINARIES}/{program}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
        if done.returncode:
            pytest.fail(f"{program}: {done.stderr or done.stdout}")
