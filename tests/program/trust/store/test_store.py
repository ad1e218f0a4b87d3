from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from data.errors import StoreError
from program.trust.store import TRACE_URL, TraceStore, open_store
from tests.program.trust.store.conftest import Opener
from tests.program.trust.store.sessions import DAY_S, WHOLE, child_of, session_of


def test_round_trip(store: TraceStore) -> None:
    """A session comes back as it was written, oldest artifact first, and apart from other sessions."""
    one, two = session_of("aaaa", 1.0), session_of("bbbb", 2.0)
    store.add(one)
    store.add(two)

    assert store.trace("aaaa") == one
    assert store.trace("bbbb") == two
    assert store.trace("cccc") == []
    assert store.get("bbbb-01") == two[1]
    assert store.get("bbbb-09") is None


def test_survives_reopening(opener: Opener) -> None:
    """What was written stays in the files."""
    session = session_of("aaaa", 1.0)
    first = opener()
    first.add(session)
    first.close()

    assert opener().trace("aaaa") == session


def test_latest_is_newest_first(store: TraceStore) -> None:
    """The latest sessions are listed by time, not by name, and no more than asked for."""
    for trace_id, at in (("bbbb", 2.0), ("cccc", 1.0), ("aaaa", 3.0)):
        store.add(session_of(trace_id, at))

    assert store.latest() == ["aaaa", "bbbb", "cccc"]
    assert store.latest(2) == ["aaaa", "bbbb"]


def test_walks_back_and_forth(store: TraceStore) -> None:
    """Everything that an artifact was made from and went into is found over several steps, nearest first."""
    store.add(session_of("aaaa", 1.0, ("request", "understand", "plan", "execute")))

    assert store.made_from("aaaa-03") == ["aaaa-02", "aaaa-01", "aaaa-00"]
    assert store.made_from("aaaa-00") == []
    assert store.went_into("aaaa-01") == ["aaaa-02", "aaaa-03"]
    assert store.went_into("aaaa-03") == []
    assert store.went_into("unknown") == []


def test_walk_follows_several_parents_once(store: TraceStore) -> None:
    """An artifact with two parents leads to both, and what they share is named once."""
    root, left, right = session_of("aaaa", 1.0)
    right = right.model_copy(update={"parents": ("aaaa-00",)})
    joined = right.model_copy(update={"artifact_id": "aaaa-03", "parents": ("aaaa-01", "aaaa-02")})
    store.add([root, left, right, joined])

    assert store.made_from("aaaa-03") == ["aaaa-01", "aaaa-02", "aaaa-00"]
    assert store.went_into("aaaa-00") == ["aaaa-01", "aaaa-02", "aaaa-03"]


def test_walk_ends_on_a_ring(store: TraceStore) -> None:
    """A damaged store whose artifacts are each other's parents does not keep a walk running."""
    root, child, _ = session_of("aaaa", 1.0)
    store.add([root.model_copy(update={"parents": ("aaaa-01",)}), child])

    assert set(store.made_from("aaaa-01")) == {"aaaa-00", "aaaa-01"}


def test_adding_nothing_is_no_fault(store: TraceStore) -> None:
    """A session without artifacts leaves the store as it was."""
    store.add([])

    assert store.latest() == []


def test_one_session_is_written_whole_or_not_at_all(store: TraceStore) -> None:
    """When one artifact cannot be written, none of its session is."""
    store.add(session_of("aaaa", 1.0))
    clash = session_of("bbbb", 2.0)
    clash[2] = clash[2].model_copy(update={"artifact_id": "aaaa-02"})

    with pytest.raises(StoreError, match="cannot write the trace"):
        store.add(clash)
    assert store.trace("bbbb") == []


def _not_a_folder(folder: Path) -> Path:
    (folder / "file").write_text("")
    return folder / "file" / "traces.sqlite"


def _a_folder(folder: Path) -> Path:
    (folder / "traces.sqlite").mkdir()
    return folder / "traces.sqlite"


def _no_database(folder: Path) -> Path:
    (folder / "traces.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 30)
    return folder / "traces.sqlite"


@pytest.mark.parametrize("spoil", [_not_a_folder, _a_folder, _no_database], ids=["no folder", "a folder", "no database"])
def test_a_path_that_cannot_be_opened(tmp_path: Path, spoil: object) -> None:
    """A path that holds no store and cannot become one is a store error on one line."""
    assert callable(spoil)
    path = spoil(tmp_path)

    with pytest.raises(StoreError, match=r"cannot (open|make the folder of) the trace store") as caught:
        open_store(path, environ={})
    assert "\n" not in caught.value.one_line()


def test_several_first_users(tmp_path: Path) -> None:
    """Programs that open a new store at the same moment all get it."""
    failed: list[str] = []
    for number in range(4):
        together = threading.Barrier(8)
        path = tmp_path / str(number) / "traces.sqlite"
        path.parent.mkdir()

        def first_use(path: Path = path, together: threading.Barrier = together) -> None:
            together.wait()
            try:
                open_store(path, environ={}).close()
            except StoreError as error:
                failed.append(error.message)

        threads = [threading.Thread(target=first_use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failed == []


@pytest.mark.parametrize("url", ["no url at all", "nosuchdialect://host/db"], ids=["no URL", "unknown dialect"])
def test_a_wrong_url(tmp_path: Path, url: str) -> None:
    """A URL that SQLAlchemy does not know is a store error too."""
    with pytest.raises(StoreError, match="cannot open the trace store"):
        open_store(tmp_path / "traces.sqlite", environ={TRACE_URL: url})


def test_a_store_that_fails_later(opener: Opener, tmp_path: Path) -> None:
    """When the tables vanish under an open store, reading and writing are store errors."""
    store = opener(partitions="none", hot="none")
    with closing(sqlite3.connect(tmp_path / "deep" / "traces.sqlite")) as connection:
        connection.executescript("DROP TABLE parents; DROP TABLE artifacts;")

    with pytest.raises(StoreError, match="cannot write the trace"):
        store.add(session_of("aaaa", 1.0))
    with pytest.raises(StoreError, match="cannot read the trace store"):
        store.trace("aaaa")
    with pytest.raises(StoreError, match="cannot read the trace store"):
        store.made_from("aaaa-01")


def test_a_damaged_body_is_a_store_error(opener: Opener, tmp_path: Path) -> None:
    """A stored artifact that no longer parses is the store's fault, told as one."""
    store = opener(partitions="none", hot="none")
    store.add(session_of("aaaa", 1.0))
    with closing(sqlite3.connect(tmp_path / "deep" / "traces.sqlite")) as connection, connection:
        connection.execute("UPDATE artifacts SET body = '{' WHERE artifact_id = 'aaaa-01'")

    with pytest.raises(StoreError, match="damaged"):
        store.trace("aaaa")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"payload": {"kind": "play"}}, "does not match its hash"),
        ({"parents": ("aaaa-00", "bbbb-07")}, "unknown parent bbbb-07"),
        ({"schema_version": "2.0.0"}, "has schema 2.0.0"),
    ],
    ids=["content", "parent", "version"],
)
def test_what_is_refused_on_receipt(opener: Opener, change: dict[str, Any], complaint: str) -> None:
    """An artifact that is not what it says is refused with its whole session; with the check off it is taken."""
    session = session_of("aaaa")
    session[2] = session[2].model_copy(update=change)
    store = opener()

    with pytest.raises(StoreError, match=complaint):
        store.add(session)
    assert store.trace("aaaa") == []
    unchecked = opener(check=False)
    unchecked.add(session)
    assert unchecked.trace("aaaa") == session


def test_a_parent_in_another_trace(store: TraceStore, now: list[float]) -> None:
    """A parent may be of another trace and another month; then chains go on through both."""
    first = session_of("aaaa", 1.0, WHOLE)
    now[0] = 100 * DAY_S
    second = child_of(first[-1], "bbbb", now[0])
    store.add(first)
    store.add(second)

    assert store.made_from("bbbb-00") == [one.artifact_id for one in reversed(first)]
    assert store.went_into("aaaa-05") == ["aaaa-06", *(one.artifact_id for one in second)]


def test_more_than_a_hundred_artifacts_stay_in_order(store: TraceStore) -> None:
    """Numbers of three digits come after those of two."""
    session = session_of("aaaa", 1.0, ("request", *["plan"] * 110))
    store.add(session)

    assert store.trace("aaaa") == session
