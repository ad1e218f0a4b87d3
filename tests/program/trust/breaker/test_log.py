"""What the breaker remembers, in memory and on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from data.errors import InputError, StoreError
from program.trust.breaker.log import BreakerLog, MemoryLog
from program.trust.breaker.sqlite_log import SqliteLog
from tests.program.trust.breaker.parts import Clock, trip

Opener = Callable[[], SqliteLog]


@pytest.fixture
def clock() -> Clock:
    """Stands still."""
    return Clock()


@pytest.fixture
def opener(tmp_path: Path, clock: Clock) -> Iterator[Opener]:
    """Opens the same file again and again."""
    opened: list[SqliteLog] = []

    def open_() -> SqliteLog:
        opened.append(SqliteLog(tmp_path / "deep" / "breaker.sqlite", clock=clock))
        return opened[-1]

    yield open_
    for log in opened:
        log._engine.dispose()


@pytest.fixture(params=["memory", "sqlite"])
def log(request: pytest.FixtureRequest, opener: Opener) -> BreakerLog:
    """An empty one of each make."""
    return MemoryLog() if request.param == "memory" else opener()


def _see(log: BreakerLog, times: int = 1, node: str = "plan", version: str = "1:code") -> None:
    for _ in range(times):
        log.observe(node, version, 0.5, drifted=True, threshold=0.75)


# -- both ----------------------------------------------------------------------------------------------------------------


def test_counts(log: BreakerLog) -> None:
    """Artifacts, trips, what was recovered, drifts and the sum of confidence, apart by node version."""
    _see(log, 3)
    _see(log, 1, version="2:code")
    log.add(trip(1, outcome="recovered"), 0.7)
    log.add(trip(2), 0.8)
    told = log.record("plan", "1:code")

    assert told is not None
    assert (told.seen, told.trips, told.recovered, told.drifted) == (3, 2, 1, 3)
    assert (told.confidence_sum, told.threshold) == (1.5, 0.8)
    assert log.record("plan", "3:code") is None
    assert {(record.node_version, record.seen) for record in log.records()} == {("1:code", 3), ("2:code", 1)}


def test_a_new_version_starts_where_it_is_told(log: BreakerLog) -> None:
    """Later calls do not move it."""
    log.observe("execute", "1:code", 1.0, drifted=False, threshold=0.85)
    log.observe("execute", "1:code", 1.0, drifted=False, threshold=0.1)
    told = log.record("execute", "1:code")

    assert told is not None
    assert told.threshold == 0.85


def test_trips_since(log: BreakerLog) -> None:
    """Oldest first."""
    for number in range(5):
        log.add(trip(number), 0.75)

    assert [one.trip_id for one in log.trips()] == [f"t-plan-{number}" for number in range(5)]
    assert [one.at for one in log.trips(3.0)] == [3.0, 4.0]


def test_a_verdict_on_nothing(log: BreakerLog) -> None:
    """A trip that nobody knows cannot be judged."""
    with pytest.raises(InputError, match="no trip nothing"):
        log.judge("nothing", right=True)


def test_it_stays_bounded(log: BreakerLog) -> None:
    """Ten thousand trips are held, the latest."""
    for number in range(10_050):
        log.add(trip(number), 0.75)

    assert len(log.trips()) == 10_000
    assert log.trips()[0].at == 50.0


def test_many_threads(log: BreakerLog, opener: Opener) -> None:
    """Eight threads lose nothing, also where they write in between."""
    together = threading.Barrier(8)

    def work(writer: int) -> None:
        together.wait()
        for number in range(200):
            _see(log)
            if number % 50 == 0:
                log.add(trip(number, trip_id=f"{writer}-{number}"), 0.75)
                log.flush()

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    told = (opener() if isinstance(log, SqliteLog) else log).record("plan", "1:code")

    assert told is not None
    assert (told.seen, told.trips, told.confidence_sum) == (1600, 32, 800.0)


# -- on disk -------------------------------------------------------------------------------------------------------------


def test_round_trip(opener: Opener) -> None:
    """What was closed is there when it is opened again, to the last field."""
    log = opener()
    _see(log, 2)
    log.add(trip(2, similar="3 similar"), 0.8)
    log.add(trip(1), 0.75)
    log.close()
    again = opener()

    assert again.records() == log.records()
    assert again.trips() == sorted(log.trips(), key=lambda one: one.at)


def test_two_on_one_file_add_up(opener: Opener) -> None:
    """Counts of two processes are added, none is overwritten; the threshold is the last that was written."""
    one, other = opener(), opener()
    _see(one, 5)
    _see(other, 7)
    one.add(trip(1), 0.7)
    other.add(trip(2, trace_id="else"), 0.8)
    one.close()
    _see(other, 1)
    other.close()
    told = opener()
    record = told.record("plan", "1:code")

    assert record is not None
    assert (record.seen, record.trips, record.confidence_sum, record.threshold) == (13, 2, 6.5, 0.8)
    assert len(told.trips()) == 2


def test_it_is_written_at_most_once_a_second(opener: Opener, clock: Clock) -> None:
    """Counts wait; a trip does not."""
    log = opener()
    _see(log)
    log.flush()
    waiting = opener().records()
    clock.at += 1.0
    log.flush()
    after = opener().records()
    _see(log)
    log.add(trip(1), 0.75)
    log.flush()
    record = opener().record("plan", "1:code")

    assert waiting == []
    assert [one.seen for one in after] == [1]
    assert record is not None
    assert (record.seen, record.trips) == (2, 1)


def test_a_verdict_is_written_at_once(opener: Opener) -> None:
    """So that the next process goes by it; a trip from before can be judged too."""
    log = opener()
    _see(log)
    log.add(trip(1), 0.75)
    log.close()
    opener().judge("t-plan-1", right=True)
    record = opener().record("plan", "1:code")

    assert record is not None
    assert (record.rejected, record.threshold, record.seen) == (1, 0.8, 1)


def test_forget(opener: Opener) -> None:
    """A listener's trips are gone from memory and disk, also those that were not written yet; the others stay."""
    log = opener()
    for number in (1, 2):
        log.add(trip(number, user_key="anna" if number == 1 else "bert"), 0.75)
    log.flush()
    log.add(trip(3, user_key="anna"), 0.75)
    log.add(trip(4), 0.75)
    log.forget("anna")
    held = [one.trace_id for one in log.trips()]
    log.close()

    assert held == ["t2", "t4"]
    assert [one.trace_id for one in opener().trips()] == ["t2", "t4"]


def test_a_broken_file(tmp_path: Path) -> None:
    """What is no database is told as such."""
    (tmp_path / "breaker.sqlite").write_bytes(b"not a database at all" * 100)

    with pytest.raises(StoreError, match="what the breaker remembers"):
        SqliteLog(tmp_path / "breaker.sqlite")


def test_a_row_that_is_no_record(opener: Opener, tmp_path: Path) -> None:
    """A file from another version, or one that was tampered with, is a store's fault, not a crash."""
    log = opener()
    log.add(trip(1), 0.75)
    log.close()
    with log._engine.begin() as connection:
        connection.exec_driver_sql("update breaker_trips set body = '{}'")

    with pytest.raises(StoreError):
        opener()


def test_no_folder(tmp_path: Path) -> None:
    """A folder that cannot be made is a store's fault."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError):
        SqliteLog(tmp_path / "file" / "breaker.sqlite")


def test_what_cannot_be_written_stays(opener: Opener) -> None:
    """A table that is gone fails the flush; nothing is lost, and the next flush writes it."""
    log = opener()
    _see(log)
    log.add(trip(1), 0.75)
    with log._engine.begin() as connection:
        connection.exec_driver_sql("alter table breaker_trips rename to away")
    with pytest.raises(StoreError, match="write what the breaker remembers"):
        log.flush()
    with log._engine.begin() as connection:
        connection.exec_driver_sql("alter table away rename to breaker_trips")
    log.flush()
    record = opener().record("plan", "1:code")

    assert record is not None
    assert (record.seen, record.trips) == (1, 1)
