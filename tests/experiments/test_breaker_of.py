"""Where the command line keeps what the breaker learns."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.commands.places import breaker_of
from program.lm.environment import user_cache
from program.settings import BreakerSettings, Settings, TrustSettings
from program.trust.breaker.log import MemoryLog
from program.trust.breaker.sqlite_log import SqliteLog


def _observed(settings: Settings) -> int | None:
    """How many were seen before, and one more."""
    breaker = breaker_of(settings)
    before = breaker.log.record("plan", "1:code")
    breaker.log.observe("plan", "1:code", 1.0, drifted=False, threshold=0.75)
    breaker.log.close()
    return before.seen if before else None


def test_it_remembers_from_run_to_run(home: Path) -> None:
    """In a file of the cache folder."""
    assert [_observed(Settings()) for _ in range(3)] == [None, 1, 2]
    assert (user_cache() / "breaker.sqlite").is_file()
    assert home in (user_cache() / "breaker.sqlite").parents


SILENT = {
    "switched off": Settings(breaker=BreakerSettings.none()),
    "nothing is to be kept": Settings(trust=TrustSettings(store=False)),
}


@pytest.mark.parametrize("settings", SILENT.values(), ids=SILENT.keys())
def test_no_file_where_none_is_wanted(home: Path, settings: Settings) -> None:
    """It forgets with the process."""
    assert [_observed(settings) for _ in range(2)] == [None, None]
    assert not home.exists() or not list(home.rglob("breaker.sqlite*"))


@pytest.mark.parametrize("how", ["no database", "another version"])
def test_a_file_that_cannot_be_read(home: Path, capsys: pytest.CaptureFixture[str], how: str) -> None:
    """One line says that what is learnt is forgotten; the breaker works all the same."""
    path = user_cache() / "breaker.sqlite"
    if how == "no database":
        path.parent.mkdir(parents=True)
        path.write_bytes(b"no database" * 1000)
    else:
        log = SqliteLog(path)
        log.observe("plan", "1:code", 1.0, drifted=False, threshold=0.75)
        log.close()
        with log._engine.begin() as connection:
            connection.exec_driver_sql("update breaker_nodes set threshold = 7.0")
        log._engine.dispose()
    breaker = breaker_of(Settings())
    told = capsys.readouterr().err

    assert type(breaker.log) is MemoryLog
    assert len(told.splitlines()) == 1
    assert "what the breaker learns now is forgotten" in told
