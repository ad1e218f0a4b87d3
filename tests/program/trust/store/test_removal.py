"""What is removed is gone from every tier, partition, process and file."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from data.contracts import Artifact
from data.errors import StoreError
from program.trust.store import TraceStore
from program.trust.store.periods import name_of, span
from tests.program.trust.store.conftest import Opener
from tests.program.trust.store.sessions import DAY_S, WHOLE, child_of, session_of
from tests.redis_server import RedisServer, needs_redis

SECRET = "vermillion"


def _months(store: TraceStore, now: list[float], months: int = 4) -> None:
    """A session of anna's and one of nobody's each month."""
    for number in range(months):
        now[0] = number * 31 * DAY_S + DAY_S
        store.add(session_of(f"anna{number}", now[0], WHOLE, parameters={"user": "key", "word": SECRET}))
        store.add(session_of(f"else{number}", now[0], WHOLE))


def test_forgetting_reaches_every_partition(store: TraceStore, now: list[float]) -> None:
    """All of one listener's traces go, with links and marks; the others stay whole."""
    _months(store, now)
    store.invalidate(["anna1-00", "else1-00"], "wrong")

    assert store.forget("user", "key") == 4
    assert store.forget("user", "key") == 0
    assert sorted(store.latest(50)) == [f"else{number}" for number in range(4)]
    assert store.trace("anna2") == []
    assert store.get("anna2-01") is None
    assert store.went_into("anna1-00") == []
    assert store.marks(["anna1-00", "anna1-03"]) == []
    assert [len(store.trace(f"else{number}")) for number in range(4)] == [7] * 4
    assert len(store.marks([f"else1-0{number}" for number in range(7)])) == 7


def test_what_was_forgotten_is_in_no_file(opener: Opener, now: list[float], tmp_path: Path) -> None:
    """Not one byte of it is left, in the write-ahead logs neither, while the store is still open."""
    store = opener()
    _months(store, now)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    held = [file.name for file in files if SECRET.encode() in file.read_bytes()]
    store.forget("user", "key")
    files = [file for file in tmp_path.rglob("*") if file.is_file()]

    assert held
    assert [file.name for file in files if SECRET.encode() in file.read_bytes()] == []


@pytest.mark.parametrize("hot", ["memory", "none"])
def test_another_process_forgets(opener: Opener, now: list[float], hot: str) -> None:
    """What another process removes is gone from the memory of this one at once."""
    here, there = opener(hot=hot), opener(hot=hot)
    _months(here, now)
    assert len(here.trace("anna3")) == 7
    there.forget("user", "key")

    assert here.trace("anna3") == []
    assert here.get("anna3-00") is None
    assert len(here.trace("else3")) == 7


@needs_redis
def test_forgetting_in_redis(opener: Opener, now: list[float], redis_server: RedisServer, in_redis: dict[str, str]) -> None:
    """Redis keeps nothing of it; and where it does not answer, that is told, and the second try finishes the work."""
    store = opener(in_redis, pause_s=0.001)
    _months(store, now)
    with closing(redis_server.client()) as client:
        held = list(client.scan_iter("*"))
        store.forget("user", "key")
        left = list(client.scan_iter("*"))
    redis_server.kill()

    assert len(held) == 8
    assert left == []
    with pytest.raises(StoreError, match="Redis does not answer"):
        store.forget("word", SECRET)
    redis_server.start()
    assert store.forget("word", SECRET) == 0
    assert store.latest(50) == ["else3", "else2", "else1", "else0"]


def test_pruning(store: TraceStore, now: list[float]) -> None:
    """Traces older than the age go to the second, months that are over and the running one alike."""
    _months(store, now)
    store.add(session_of("late", now[0] - 5, WHOLE))
    store.add(session_of("last", now[0] + 5, WHOLE))
    now[0] += 10

    assert store.prune(32 * DAY_S) == 4
    assert sorted(store.latest(50)) == ["anna2", "anna3", "else2", "else3", "last", "late"]
    assert store.prune(8) == 7 - 2
    assert store.latest(50) == ["last"]
    assert store.trace("anna3") == []
    assert len(store.trace("last")) == 7
    assert store.prune(8) == 0


def test_pruning_leaves_a_trace_whole(store: TraceStore, now: list[float]) -> None:
    """A trace that grew after the age's end stays with what is older of it, in whichever partition that is."""
    old = session_of("aaaa", 40 * DAY_S, WHOLE)
    grown = child_of(old[-1], "aaaa", 41 * DAY_S)[0].model_copy(update={"artifact_id": "aaaa-07"})
    store.add(old)
    store.add([grown])
    now[0] = 50 * DAY_S

    assert store.prune(9.5 * DAY_S) == 0
    assert len(store.trace("aaaa")) == 8
    assert store.prune(8 * DAY_S) == 1


def test_months_that_are_over_go_as_files(opener: Opener, now: list[float], tmp_path: Path) -> None:
    """Pruning leaves no empty files behind, and another process that had them open goes on."""
    store, other = opener(), opener()
    _months(store, now)
    assert len(other.trace("anna0")) == 7
    store.prune(DAY_S)
    files = {file.name for file in (tmp_path / "deep" / "traces").iterdir()}

    assert {name for name in files if name.endswith(".sqlite")} == {"1970-04.sqlite"}
    assert not {name for name in files if "1970-01" in name}
    assert other.trace("anna0") == []
    assert sorted(other.latest(50)) == ["anna3", "else3"]


@pytest.mark.parametrize(("days", "left"), [(0, 8), (60, 6), (1, 2)])
def test_retention(opener: Opener, now: list[float], days: int, left: int) -> None:
    """Months that ended longer ago than the setting says are removed when the store is opened; 0 keeps them all."""
    store = opener()
    _months(store, now)
    store.close()

    assert len(opener(retention_days=days).latest(50)) == left


@pytest.mark.parametrize("month", [1, 2, 11, 12])
def test_spans_of_time(month: int) -> None:
    """A partition's span holds the times that are named after it, up to the first second of the next."""
    first, after = span(f"2026-{month:02d}") or (math.nan, math.nan)
    week_first, week_after = span("2026-w53") or (math.nan, math.nan)

    assert name_of(first, "month") == name_of(after - 1, "month") == f"2026-{month:02d}" != name_of(after, "month")
    assert name_of(week_first, "week") == name_of(week_after - 1, "week") == "2026-w53"
    assert name_of(week_after, "week") == "2027-w01"
    assert name_of(first, "none") == ""
    assert [span(name) for name in ("2026-13", "2026-w54", "notes", "2026-1", "0000-01")] == [None] * 5


def test_a_store_of_an_earlier_version(opener: Opener, now: list[float], tmp_path: Path) -> None:
    """The one file of earlier versions is read beside the new ones, grows no more, and goes once all of it is too old."""
    now[0] = 10 * DAY_S
    old = session_of("aaaa", 2 * DAY_S, WHOLE, parameters={"user": "key"})
    _earlier_version(tmp_path / "deep" / "traces.sqlite", old)
    store = opener()
    store.add(child_of(old[-1], "bbbb", now[0]))

    assert store.trace("aaaa") == old
    assert store.latest() == ["bbbb", "aaaa"]
    assert store.affected_answers("aaaa-00") == ["aaaa-06", "bbbb-06"]
    assert store.invalidate(["aaaa-05"], "wrong") == 9
    with closing(sqlite3.connect(tmp_path / "deep" / "traces.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM artifacts").fetchone() == (7,)
    assert store.forget("user", "key") == 1
    assert store.latest() == ["bbbb"]


def test_an_earlier_version_grows_old(opener: Opener, now: list[float], tmp_path: Path) -> None:
    """Retention takes the one file of earlier versions when its newest artifact is past it."""
    now[0] = 10 * DAY_S
    _earlier_version(tmp_path / "deep" / "traces.sqlite", session_of("aaaa", 2 * DAY_S))

    assert opener(retention_days=9).latest() == ["aaaa"]
    assert opener(retention_days=7).latest() == []
    assert not (tmp_path / "deep" / "traces.sqlite").exists()


def _earlier_version(path: Path, artifacts: list[Artifact]) -> None:
    """A store as version 0.1.0 wrote it."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            """PRAGMA journal_mode=WAL;
            CREATE TABLE artifacts (artifact_id VARCHAR(64) NOT NULL, trace_id VARCHAR(32) NOT NULL, node VARCHAR(32) NOT NULL,
                created_at FLOAT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (artifact_id));
            CREATE INDEX artifacts_by_time ON artifacts (created_at);
            CREATE INDEX artifacts_by_trace ON artifacts (trace_id);
            CREATE TABLE parents (child VARCHAR(64) NOT NULL, parent VARCHAR(64) NOT NULL, PRIMARY KEY (child, parent),
                FOREIGN KEY(child) REFERENCES artifacts (artifact_id));
            CREATE INDEX parents_by_parent ON parents (parent);"""
        )
        for one in artifacts:
            row = (one.artifact_id, one.trace_id, one.node, one.created_at, one.model_dump_json())
            connection.execute("INSERT INTO artifacts VALUES (?, ?, ?, ?, ?)", row)
            connection.executemany("INSERT INTO parents VALUES (?, ?)", [(one.artifact_id, parent) for parent in one.parents])
