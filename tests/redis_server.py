"""A real redis-server on a free loopback port, that can be killed and started again. Nothing of it outlives the test."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
import redis

BINARY = shutil.which("redis-server")
needs_redis = pytest.mark.skipif(BINARY is None, reason="there is no redis-server here (Debian: apt-get install redis-server)")
_PATIENCE_S = 30.0


class RedisServer:
    """One server that keeps nothing on disk.

    Attributes:
        url: where it answers.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return once it answers."""
        command = [str(BINARY), "--bind", "127.0.0.1", "--port", str(self._port), "--save", "", "--appendonly", "no"]
        log = self._folder / "redis.log"
        self._process = subprocess.Popen([*command, "--dir", str(self._folder), "--logfile", str(log)])
        until = time.monotonic() + _PATIENCE_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                pytest.fail(f"redis-server did not start: {log.read_text() if log.exists() else 'no log'}")
            time.sleep(0.01)

    def kill(self) -> None:
        """As a crash would: at once, with all that it holds."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def client(self) -> redis.Redis:
        """A client of the test's own."""
        return redis.Redis.from_url(self.url, decode_responses=True)

    def _answers(self) -> bool:
        client = self.client()
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False
        finally:
            client.close()
