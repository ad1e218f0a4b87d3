"""What the breaker remembers, in memory and on disk."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from data.errors import InputError, StoreError
from data.trust import Signal, Trip
from program.trust.breaker.explain import cause_of, doubt, similar, summary
from program.trust.breaker.log import BreakerLog, MemoryLog
from program.trust.breaker.sqlite_log import SqliteLog


def _trip(
    number: int, *, user: str = "", outcome: str = "queued", fix: str = "", part: str = "blue nile", at: float = 0.0
) -> Trip:
    return Trip.model_validate(
        {
            "trip_id": f"t{number}", "artifact_id": "a", "trace_id": f"{number}", "node": "understand", "node_version": "1:code",
            "task": "analytical", "at": at, "own": 0.9, "validator": 0.2, "final": 0.48, "threshold": 0.75, "cause": "coverage",
            "signals": [Signal(name="coverage", score=0.2, part=part)], "outcome": outcome, "fix": fix, "user_key": user,
        }
    )  # fmt: skip


def _on_disk(path: Path) -> SqliteLog:
    return SqliteLog(path / "log" / "breaker.sqlite", clock=lambda: 0.0)


@pytest.mark.parametrize("make", [lambda _: MemoryLog(), _on_disk], ids=["memory", "sqlite"])
def test_counts_and_verdicts(tmp_path: Path, make: Callable[[Path], BreakerLog]) -> None:
    """Artifacts, trips and verdicts add up; a verdict moves the threshold."""
    log = make(tmp_path)
    log.observe("understand", "1:code", 0.9, drifted=False, threshold=0.75)
    log.observe("understand", "1:code", 0.5, drifted=True, threshold=0.75)
    log.add(_trip(1, at=5.0), 0.8)
    log.add(_trip(2, outcome="recovered", at=6.0), 0.75)
    log.judge("t1", right=False)
    record = log.record("understand", "1:code")

    assert record is not None
    assert (record.seen, record.trips, record.recovered, record.drifted, record.approved) == (2, 2, 1, 1, 1)
    assert record.confidence_sum == pytest.approx(1.4)
    assert record.threshold == 0.7
    assert [trip.trip_id for trip in log.trips(5.5)] == ["t2"]
    with pytest.raises(InputError, match="no trip"):
        log.judge("t9", right=True)
    log.close()


def test_it_is_there_again(tmp_path: Path) -> None:
    """Another process goes on from what was written."""
    first = _on_disk(tmp_path)
    first.observe("plan", "1:code", 1.0, drifted=False, threshold=0.75)
    first.add(_trip(1), 0.8)
    first.close()
    again = _on_disk(tmp_path)
    assert [trip.trip_id for trip in again.trips()] == ["t1"]
    assert again.record("plan", "1:code") == first.record("plan", "1:code")
    again.close()


def test_processes_add_up(tmp_path: Path) -> None:
    """Two that have the file open at once lose nothing of each other's counts."""
    logs = [_on_disk(tmp_path), _on_disk(tmp_path)]
    for log in logs:
        for _ in range(3):
            log.observe("plan", "1:code", 1.0, drifted=False, threshold=0.75)
    for log in logs:
        log.close()
    last = _on_disk(tmp_path)
    record = last.record("plan", "1:code")
    assert record is not None
    assert (record.seen, record.confidence_sum) == (6, 6.0)
    last.close()


def test_threads_lose_nothing(tmp_path: Path) -> None:
    """Observations and flushes at the same time."""
    log = SqliteLog(tmp_path / "breaker.sqlite", clock=iter(range(10**9)).__next__)

    def work(_: int) -> None:
        for _ in range(50):
            log.observe("plan", "1:code", 1.0, drifted=False, threshold=0.75)
        log.flush()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    log.close()
    again = SqliteLog(tmp_path / "breaker.sqlite")
    record = again.record("plan", "1:code")
    assert record is not None
    assert record.seen == 400
    again.close()


def test_a_listener_is_forgotten(tmp_path: Path) -> None:
    """Trips may quote a request; they go with the listener, from the file too."""
    log = _on_disk(tmp_path)
    log.add(_trip(1, user="anna-key", part="xylophone parade"), 0.75)
    log.add(_trip(2, user="bert-key"), 0.75)
    log.flush()
    assert log.forget("anna-key") == 1
    assert [trip.trip_id for trip in log.trips()] == ["t2"]
    log.close()
    assert b"xylophone" not in (tmp_path / "log" / "breaker.sqlite").read_bytes()


def test_a_broken_file(tmp_path: Path) -> None:
    """Told as a fault of the store."""
    path = tmp_path / "breaker.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="breaker"):
        SqliteLog(path)
    with pytest.raises(StoreError, match="breaker"):
        SqliteLog(path / "below" / "breaker.sqlite")


def test_memory_is_bounded() -> None:
    """The latest ten thousand trips stay."""
    log = MemoryLog()
    for number in range(10_005):
        log.add(_trip(number), 0.75)
    trips = log.trips()
    assert (len(trips), trips[0].trip_id) == (10_000, "t5")


def test_a_trip_in_words() -> None:
    """The worst signal and its part; the producer where nothing else is low; what became of similar ones."""
    assert cause_of([Signal(name="ids", score=0.0), Signal(name="x", score=1.0)]) == "ids"
    assert cause_of([Signal(name="ids", score=1.0)]) == "own"
    assert doubt(_trip(1).signals) == "nothing was made of the words blue nile"
    assert summary(_trip(1)).startswith("understand: nothing was made of the words blue nile (confidence 0.48")
    past = [_trip(1, fix="context", outcome="recovered"), _trip(2), _trip(3, outcome="recorded")]
    assert similar(past, "understand", "coverage").startswith("2 similar, 1 mended by asking again")
    assert similar(past, "plan", "coverage") == ""
    assert similar([_trip(2)], "understand", "coverage") == "1 similar, none was mended"
