"""What every test stands on: no network, no keys, no disk cache, dspy as it was imported, a home folder of its own.

The environment is set when this file is imported, before any test module can import dspy.
"""

import copy
import ipaddress
import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from program.lm.brains import brains_folder
from program.lm.environment import private_defaults

pytest_plugins = ["pytester"]

_CALLERS_OWN = re.compile(
    r"(.*_(API_KEY|API_BASE|BASE_URL|API_TOKEN|AUTH_TOKEN|ACCESS_TOKEN|SECRET_ACCESS_KEY|ACCESS_KEY_ID)"
    r"|MELO_REDIS_URL|MELO_TRACE_URL|HF_TOKEN|MLFLOW_TRACKING_URI|DSPY_CACHEDIR|DSPY_CACHE_LIMIT|(https?|all|no)_proxy)",
    re.IGNORECASE,
)
"""Variables that would let a test reach, pay for or share something: keys, servers, proxies and caches."""

_TAKEN_AWAY = {name: os.environ.pop(name) for name in list(os.environ) if _CALLERS_OWN.fullmatch(name)}
_HOME = tempfile.TemporaryDirectory(prefix="melo-tests-")


def _move_home(home: Path) -> None:
    """Point MELO_HOME at `home`; the installed brains are linked into it one by one, so no test can change them."""
    real = brains_folder()
    linked = home / real.name
    linked.mkdir(mode=0o700)
    for brain in real.iterdir() if real.is_dir() else ():
        if brain.is_file():
            (linked / brain.name).symlink_to(brain.resolve())
    os.environ["MELO_HOME"] = str(home)


_move_home(Path(_HOME.name))
private_defaults()
# A busy machine is slow, not wrong; CI judges the same cases every time, everybody else looks for new ones.
hypothesis.settings.register_profile("melo", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("melo")


class NetworkRefusedError(RuntimeError):
    """A test reached for an address that is not on this machine. No OSError, so it does not pass for a dead server."""


class SocketGuard:
    """Lets sockets reach loopback only, and remembers what it refused.

    Attributes:
        refused: every address refused since it was last cleared; an address in it fails the running test at its end.
        is_open: True while a `live` test runs.
    """

    def __init__(self) -> None:
        self.refused: list[str] = []
        self.is_open = False

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Guard every way by which Python code leaves the machine, look-ups of names included."""
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, self._guarded_method(name, address_at=0))
        patch.setattr(socket.socket, "sendto", self._guarded_method("sendto", address_at=-1))
        create_connection, getaddrinfo = socket.create_connection, socket.getaddrinfo

        def guarded_create(address: tuple[str, int], *args: Any, **kwargs: Any) -> socket.socket:
            self._check(address)
            return create_connection(address, *args, **kwargs)

        def guarded_lookup(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
            if host is not None and not self._is_number(host):
                self._check((host, port))
            return getaddrinfo(host, port, *args, **kwargs)

        patch.setattr(socket, "create_connection", guarded_create)
        patch.setattr(socket, "getaddrinfo", guarded_lookup)

    def _guarded_method(self, name: str, address_at: int) -> Any:
        original = getattr(socket.socket, name)

        def guarded(sock: socket.socket, *args: Any) -> Any:
            if sock.family in (socket.AF_INET, socket.AF_INET6):
                self._check(args[address_at])
            return original(sock, *args)

        return guarded

    def _check(self, address: Any) -> None:
        host, port = address[0], address[1]
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
        if self.is_open or name in ("", "localhost") or self._is_loopback(name):
            return
        self.refused.append(f"{name}:{port}")
        raise NetworkRefusedError(f"tests may only reach loopback; refused {name}:{port}")

    @staticmethod
    def _is_number(host: Any) -> bool:
        try:
            ipaddress.ip_address(host.decode("ascii", "replace") if isinstance(host, bytes) else host)
        except ValueError:
            return False
        return True

    @staticmethod
    def _is_loopback(host: str) -> bool:
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


_GUARD = SocketGuard()
_PATCH = pytest.MonkeyPatch()
_GUARD.install(_PATCH)


def pytest_unconfigure() -> None:
    """Leave the process as it was found."""
    _PATCH.undo()
    _HOME.cleanup()


@pytest.fixture(autouse=True)
def socket_guard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[SocketGuard]:
    """The guard around this test. A refusal fails it even where the code under test caught the error.

    A `live` test gets the network and the caller's keys back.
    """
    _GUARD.refused.clear()
    _GUARD.is_open = request.node.get_closest_marker("live") is not None
    if _GUARD.is_open:
        for name, value in _TAKEN_AWAY.items():
            if name != "DSPY_CACHEDIR":
                monkeypatch.setenv(name, value)
    yield _GUARD
    _GUARD.is_open = False
    refused, _GUARD.refused = _GUARD.refused, []
    if refused:
        pytest.fail(f"the test reached for {', '.join(refused)}", pytrace=False)


@pytest.fixture(autouse=True)
def fresh_dspy() -> Iterator[None]:
    """An empty cache in memory before the test, and dspy's settings and their owner as at import after it."""
    import dspy

    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    yield
    module: Any = sys.modules["dspy.dsp.utils.settings"]  # dspy offers no reset, and configure() refuses other threads
    module.main_thread_config.clear()
    module.main_thread_config.update(copy.deepcopy(module.DEFAULT_CONFIG))
    module.config_owner_thread_id = None
    module.config_owner_async_task = None
