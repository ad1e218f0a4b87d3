"""Stores of every make: files by month, by week, one file, tables of a database, PostgreSQL; and a Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from program.settings import StoreSettings
from program.trust.store import REDIS_URL, TRACE_URL, TraceStore, open_store
from tests.postgres import Postgres, needs_postgres
from tests.redis_server import RedisServer

Opener = Callable[..., TraceStore]


@pytest.fixture
def now() -> list[float]:
    """The wall clock of a store: what it shows is put in by the test."""
    return [1.0]


@pytest.fixture
def opener(tmp_path: Path, now: list[float]) -> Iterator[Opener]:
    """Opens the store in the test's folder under given settings and environment; all are closed at the end."""
    opened: list[TraceStore] = []

    def open_(environ: dict[str, str] | None = None, **settings: object) -> TraceStore:
        path = tmp_path / "deep" / "traces.sqlite"
        chosen = StoreSettings.model_validate(settings)
        opened.append(open_store(path, chosen, environ=environ or {}, now=lambda: now[0]))
        return opened[-1]

    yield open_
    for store in opened:
        store.close()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """A PostgreSQL of the tests' own."""
    server = Postgres(tmp_path_factory.mktemp("postgres"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(
    params=[
        pytest.param(("month", ""), id="files by month"),
        pytest.param(("week", ""), id="files by week"),
        pytest.param(("none", ""), id="one file"),
        pytest.param(("month", "sqlite"), id="tables in SQLite"),
        pytest.param(("month", "postgresql"), id="PostgreSQL", marks=[pytest.mark.slow, needs_postgres]),
    ]
)
def store(request: pytest.FixtureRequest, opener: Opener, tmp_path: Path) -> TraceStore:
    """An empty store of each make, with its hot tier in memory."""
    period, database = request.param
    environ = {}
    if database == "sqlite":
        environ = {TRACE_URL: f"sqlite:///{tmp_path / 'database.sqlite'}"}
    elif database:
        environ = {TRACE_URL: request.getfixturevalue("postgres").fresh()}
    return opener(environ, partitions=period)


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    """A running Redis."""
    server = RedisServer(tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def in_redis(redis_server: RedisServer) -> dict[str, str]:
    """The environment that names it."""
    return {REDIS_URL: redis_server.url}
