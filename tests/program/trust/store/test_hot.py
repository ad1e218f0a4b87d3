"""The hot tiers: one contract for memory and Redis, what Redis does when it is gone, and which one the settings open."""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from data.errors import SettingsError
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from program.trust.store import TraceStore
from program.trust.store.memory_tier import MemoryTier, NoTier
from program.trust.store.protocol import HotTier
from program.trust.store.redis_tier import RedisTier
from program.trust.store.rows import row_of
from tests.program.trust.store.conftest import Opener
from tests.program.trust.store.sessions import WHOLE, child_of, session_of
from tests.redis_server import RedisServer, needs_redis

pytestmark = needs_redis
_MANY = 10**9


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "redis"])
def tier(request: pytest.FixtureRequest, clock: Clock) -> Iterator[HotTier]:
    """An empty tier of each kind."""
    made: HotTier = (
        MemoryTier(3_600, _MANY, clock)
        if request.param == "memory"
        else RedisTier(request.getfixturevalue("redis_server").url, 3_600, 5.0, clock)
    )
    yield made
    made.close()


def _rows(trace_id: str) -> list:  # type: ignore[type-arg]
    return [row_of(artifact) for artifact in session_of(trace_id)]


def test_a_tier_holds_whole_traces(tier: HotTier) -> None:
    """What is put in comes out, apart from other traces; what is dropped or cleared is gone."""
    one, two = _rows("aaaa"), _rows("bbbb")
    tier.put([one, two])

    assert tier.trace("aaaa") == {row.artifact_id: row.body for row in one}
    assert tier.trace("cccc") is None
    tier.drop(["aaaa"])
    assert tier.trace("aaaa") is None
    assert tier.trace("bbbb") == {row.artifact_id: row.body for row in two}
    tier.clear()
    assert tier.trace("bbbb") is None
    assert tier.fault == ""


def test_the_memory_forgets_in_time(clock: Clock) -> None:
    """A trace is held for its time to live, from when it was written."""
    tier = MemoryTier(60, _MANY, clock)
    tier.put([_rows("aaaa")])
    clock.now = 59.9
    tier.put([_rows("bbbb")])

    assert tier.trace("aaaa") is not None
    clock.now = 60.0
    assert tier.trace("aaaa") is None
    assert tier.trace("bbbb") is not None


def test_the_memory_is_bounded(clock: Clock) -> None:
    """The longest unused trace makes room; one that is larger than all the room is not held."""
    size = sum(len(row.body) for row in _rows("aaaa"))
    tier = MemoryTier(60, 2 * size + 10, clock)
    tier.put([_rows("aaaa"), _rows("bbbb")])
    tier.trace("aaaa")
    tier.put([_rows("cccc")])
    held = [name for name in ("aaaa", "bbbb", "cccc") if tier.trace(name)]
    small = MemoryTier(60, size - 1, clock)
    small.put([_rows("aaaa")])

    assert held == ["aaaa", "cccc"]
    assert small.trace("aaaa") is None


def test_redis_forgets_in_time(redis_server: RedisServer, clock: Clock) -> None:
    """Every key has the time to live that was set."""
    with closing(RedisTier(redis_server.url, 77, 5.0, clock)) as tier, closing(redis_server.client()) as client:
        tier.put([_rows("aaaa"), _rows("bbbb")])
        lives = [client.ttl(key) for key in client.scan_iter("*")]

    assert len(lives) == 2
    assert all(isinstance(life, int) and 70 <= life <= 77 for life in lives)


def test_redis_is_left_alone_and_comes_back_empty(redis_server: RedisServer, clock: Clock) -> None:
    """While it is down nothing fails; after the pause it is asked again, and what it held before the outage is not believed."""
    with closing(RedisTier(redis_server.url, 3_600, 5.0, clock)) as tier:
        tier.put([_rows("aaaa")])
        redis_server.kill()
        tier.put([_rows("bbbb")])
        assert tier.fault
        assert tier.trace("aaaa") is None
        redis_server.start()
        with closing(redis_server.client()) as client:
            client.hset("melo:trace:aaaa", "aaaa-00", "of before")
        clock.now = 4.9
        assert tier.trace("bbbb") is None
        assert tier.fault
        clock.now = 5.0
        assert tier.trace("aaaa") is None
        assert tier.fault == ""
        tier.put([_rows("cccc")])
        assert tier.trace("cccc") is not None


def test_other_keys_are_not_touched(redis_server: RedisServer, clock: Clock) -> None:
    """Clearing takes our keys alone, thousands of them."""
    with closing(RedisTier(redis_server.url, 3_600, 5.0, clock)) as tier, closing(redis_server.client()) as client:
        client.set("another", "1")
        tier.put([[row_of(session_of(f"{number:05d}", nodes=("request",))[0])] for number in range(2_500)])
        before = client.dbsize()
        tier.clear()

        assert (before, client.dbsize()) == (2_501, 1)


def _spoil(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM artifacts")


@pytest.mark.parametrize("hot", ["memory", "redis", "none"])
def test_read_hot_first_then_cold(opener: Opener, in_redis: dict[str, str], tmp_path: Path, hot: str) -> None:
    """A trace is read from the hot tier, though the cold one has lost it; without a hot tier it is gone."""
    store = opener(in_redis, hot=hot)
    session = session_of("aaaa")
    store.add(session)
    _spoil(tmp_path / "deep" / "traces" / "1970-01.sqlite")

    assert store.trace("aaaa") == ([] if hot == "none" else session)
    assert store.get("aaaa-01") == (None if hot == "none" else session[1])


@pytest.mark.parametrize("hot", ["memory", "redis"])
def test_another_process_that_opens_takes_nothing_away(
    opener: Opener, in_redis: dict[str, str], tmp_path: Path, hot: str
) -> None:
    """What is held stays held when others open the same store, write to it and find nothing to remove."""
    store = opener(in_redis, hot=hot)
    session = session_of("aaaa")
    store.add(session)
    other = opener(in_redis, hot=hot, retention_days=1)
    other.add(session_of("bbbb"))
    other.prune(10.0)
    _spoil(tmp_path / "deep" / "traces" / "1970-01.sqlite")

    assert store.trace("aaaa") == session


@pytest.mark.parametrize("hot", ["memory", "redis"])
def test_a_trace_that_grows_is_read_whole(opener: Opener, in_redis: dict[str, str], hot: str) -> None:
    """What another add puts to a trace is seen at once; the hot tier never answers with a part."""
    store = opener(in_redis, hot=hot)
    session = session_of("aaaa", nodes=WHOLE)
    store.add(session[:4])
    store.add(session[4:])

    assert store.trace("aaaa") == session
    assert store.get("aaaa-06") == session[6]


def test_rubbish_in_redis_is_not_believed(opener: Opener, in_redis: dict[str, str], redis_server: RedisServer) -> None:
    """Where Redis holds something else under our key, the cold tier answers."""
    store = opener(in_redis)
    session = session_of("aaaa")
    store.add(session)
    with closing(redis_server.client()) as client:
        client.hset("melo:trace:aaaa", "aaaa-01", "{not ours")

    assert store.trace("aaaa") == session
    with closing(redis_server.client()) as client:
        client.set("melo:trace:bbbb", "a string where a hash stands")
    store.add(session_of("bbbb"))
    assert store.trace("bbbb") == session_of("bbbb")


def _hot(store: TraceStore) -> type[HotTier]:
    return type(store._hot)


def test_which_tier_is_opened(opener: Opener, in_redis: dict[str, str]) -> None:
    """Settings and environment decide; a Redis that is asked for and not named is an error that says what to set."""
    assert _hot(opener()) is MemoryTier
    assert _hot(opener(in_redis)) is RedisTier
    assert _hot(opener(in_redis, hot="memory")) is MemoryTier
    assert _hot(opener(in_redis, hot="none")) is NoTier
    with pytest.raises(SettingsError, match="no address is given") as caught:
        opener(hot="redis")
    assert "MELO_REDIS_URL" in caught.value.hint


def test_a_wrong_address_tells_no_secret(opener: Opener) -> None:
    """An address that is none is an error without the password that stands in it."""
    with pytest.raises(SettingsError, match="cannot be used") as caught:
        opener({"MELO_REDIS_URL": "http://user:secret@host"})
    assert "secret" not in caught.value.one_line()


def test_without_the_package(opener: Opener, in_redis: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the error names it."""
    monkeypatch.setitem(sys.modules, "program.trust.store.redis_tier", None)

    with pytest.raises(SettingsError, match="redis is not installed") as caught:
        opener(in_redis)
    assert "melo[redis]" in caught.value.hint


def test_a_redis_that_is_down_at_the_start(opener: Opener, in_redis: dict[str, str], redis_server: RedisServer) -> None:
    """The store opens and works without it, and says why it is slower."""
    redis_server.kill()
    store = opener(in_redis)
    store.add(session_of("aaaa"))

    assert store.trace("aaaa") == session_of("aaaa")
    assert "onnect" in store.fault


def _until(holds: Callable[[], bool]) -> None:
    """Wait; a test that waits for ever is stopped by its own limit."""
    pause = threading.Event()
    while not holds():
        pause.wait(0.01)


def test_no_answer_fails_while_redis_is_killed(
    opener: Opener, in_redis: dict[str, str], redis_server: RedisServer, tiny_index: EmbeddedIndex
) -> None:
    """Answers under load go on through three crashes of Redis, each kept and told nowhere; it comes back by itself."""
    store = opener(in_redis, pause_s=0.02)
    program = Melo(tiny_index, Settings(), store=store)
    stop = threading.Event()
    answered: list[tuple[str, str]] = []
    failed: list[object] = []

    def ask() -> None:
        while not stop.is_set():
            try:
                playlist = program(request="Africa by Toto").playlist
                answered.append((playlist.trace_id, playlist.status))
                failed.extend(playlist.fallback)
                store.trace(playlist.trace_id)
            except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
                failed.append(error)

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    for _ in range(3):
        seen = len(answered)
        _until(lambda seen=seen: len(answered) > seen + 10)  # type: ignore[misc]
        redis_server.kill()
        _until(lambda: bool(store.fault) or bool(failed))
        redis_server.start()
        _until(lambda: not store.fault or bool(failed))
    stop.set()
    for asker in askers:
        asker.join()
    last = answered[-1][0]
    program(request="Africa by Toto")

    assert failed == []
    assert {status for _, status in answered} == {"ok"}
    assert all(len(store.trace(trace_id)) >= 7 for trace_id, _ in answered)
    with closing(redis_server.client()) as client:
        assert client.dbsize() > 0
    assert last


def test_a_child_in_another_trace_is_found_from_the_cold_tier(opener: Opener, in_redis: dict[str, str]) -> None:
    """Links are read where every process writes them, so a hot parent has the children that others made of it."""
    here, there = opener(in_redis), opener(in_redis)
    first = session_of("aaaa", nodes=WHOLE)
    here.add(first)
    there.add(child_of(first[-1], "bbbb"))

    assert here.affected_answers("aaaa-00") == ["aaaa-06", "bbbb-06"]
