from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.contracts import Artifact, AssertionOutcome, Confidence, Intent
from data.errors import StoreError
from program.trust.artifacts import Recorder
from program.trust.store import TraceStore


def _session(trace_id: str, at: float, nodes: tuple[str, ...] = ("request", "understand", "plan")) -> list[Artifact]:
    recorder = Recorder(trace_id, lambda: at, {"settings": "s"})
    for number, node in enumerate(nodes):
        recorder.record(
            node,
            Intent(kind="play", free_text=f"晴天 {number}"),
            summary=f"{node} of {trace_id}",
            assertions=(AssertionOutcome(name="schema", outcome="repaired", message="was open"),),
            confidence=Confidence(own=0.25, final=0.25),
            note="keep the exclusions",
        )
    return recorder.artifacts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TraceStore]:
    """An empty store in a folder that does not exist yet."""
    opened = TraceStore.at(tmp_path / "deep" / "traces.sqlite")
    yield opened
    opened.close()


def test_round_trip(store: TraceStore) -> None:
    """A session comes back as it was written, oldest artifact first, and apart from other sessions."""
    one, two = _session("aaaa", 1.0), _session("bbbb", 2.0)
    store.add(one)
    store.add(two)

    assert store.trace("aaaa") == one
    assert store.trace("bbbb") == two
    assert store.trace("cccc") == []
    assert store.get("bbbb-01") == two[1]
    assert store.get("bbbb-09") is None


def test_survives_reopening(tmp_path: Path) -> None:
    """What was written stays in the file."""
    path = tmp_path / "traces.sqlite"
    session = _session("aaaa", 1.0)
    first = TraceStore.at(path)
    first.add(session)
    first.close()
    again = TraceStore.at(path)
    found = again.trace("aaaa")
    again.close()

    assert found == session


def test_latest_is_newest_first(store: TraceStore) -> None:
    """The latest sessions are listed by time, not by name, and no more than asked for."""
    for trace_id, at in (("bbbb", 2.0), ("cccc", 1.0), ("aaaa", 3.0)):
        store.add(_session(trace_id, at))

    assert store.latest() == ["aaaa", "bbbb", "cccc"]
    assert store.latest(2) == ["aaaa", "bbbb"]


def test_walks_back_and_forth(store: TraceStore) -> None:
    """Everything that an artifact was made from and went into is found over several steps, nearest first."""
    store.add(_session("aaaa", 1.0, ("request", "understand", "plan", "execute")))

    assert store.made_from("aaaa-03") == ["aaaa-02", "aaaa-01", "aaaa-00"]
    assert store.made_from("aaaa-00") == []
    assert store.went_into("aaaa-01") == ["aaaa-02", "aaaa-03"]
    assert store.went_into("aaaa-03") == []
    assert store.went_into("unknown") == []


def test_walk_follows_several_parents_once(store: TraceStore) -> None:
    """An artifact with two parents leads to both, and what they share is named once."""
    root, left, right = _session("aaaa", 1.0)
    right = right.model_copy(update={"parents": ("aaaa-00",)})
    joined = right.model_copy(update={"artifact_id": "aaaa-03", "parents": ("aaaa-01", "aaaa-02")})
    store.add([root, left, right, joined])

    assert store.made_from("aaaa-03") == ["aaaa-01", "aaaa-02", "aaaa-00"]
    assert store.went_into("aaaa-00") == ["aaaa-01", "aaaa-02", "aaaa-03"]


def test_walk_ends_on_a_ring(store: TraceStore) -> None:
    """A damaged store whose artifacts are each other's parents does not keep a walk running."""
    root, child, _ = _session("aaaa", 1.0)
    store.add([root.model_copy(update={"parents": ("aaaa-01",)}), child])

    assert set(store.made_from("aaaa-01")) == {"aaaa-00", "aaaa-01"}


def test_adding_nothing_is_no_fault(store: TraceStore) -> None:
    """A session without artifacts leaves the store as it was."""
    store.add([])

    assert store.latest() == []


def test_one_session_is_written_whole_or_not_at_all(store: TraceStore) -> None:
    """When one artifact cannot be written, none of its session is."""
    store.add(_session("aaaa", 1.0))
    clash = _session("bbbb", 2.0)
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
        TraceStore.at(path)
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
                TraceStore.at(path).close()
            except StoreError as error:
                failed.append(error.message)

        threads = [threading.Thread(target=first_use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failed == []


@pytest.mark.parametrize("url", ["no url at all", "nosuchdialect://host/db"], ids=["no URL", "unknown dialect"])
def test_a_wrong_url(url: str) -> None:
    """A URL that SQLAlchemy does not know is a store error too."""
    with pytest.raises(StoreError, match="cannot open the trace store"):
        TraceStore(url)


def test_a_store_that_fails_later(tmp_path: Path) -> None:
    """When the tables vanish under an open store, reading and writing are store errors."""
    path = tmp_path / "traces.sqlite"
    store = TraceStore.at(path)
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE parents; DROP TABLE artifacts;")
    connection.close()

    with pytest.raises(StoreError, match="cannot write the trace"):
        store.add(_session("aaaa", 1.0))
    with pytest.raises(StoreError, match="cannot read the trace store"):
        store.trace("aaaa")
    with pytest.raises(StoreError, match="cannot read the trace store"):
        store.made_from("aaaa-01")
    store.close()


def test_a_damaged_body_is_a_store_error(tmp_path: Path) -> None:
    """A stored artifact that no longer parses is the store's fault, told as one."""
    path = tmp_path / "traces.sqlite"
    store = TraceStore.at(path)
    store.add(_session("aaaa", 1.0))
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE artifacts SET body = '{' WHERE artifact_id = 'aaaa-01'")
    connection.close()

    try:
        with pytest.raises(StoreError):
            store.trace("aaaa")
    finally:
        store.close()
