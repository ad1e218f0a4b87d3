"""The store of listeners: what is kept, what a second import changes, and that what is deleted is gone from the disk."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from data.errors import StoreError
from data.users.schema import Event
from program.users.store import UserStore, UserSummary

LIKE = Event("a-track-that-is-liked", "like", 100.0, request="words that led to it", session="s", turn=2)
PLAY = Event("a-track-that-is-played", "play", 50.0, count=3)
UNDATED = Event("an-undated-one", "dislike")


@pytest.fixture
def store(tmp_path: Path) -> UserStore:
    """An empty store."""
    return UserStore(tmp_path / "listeners" / "store.sqlite")


def test_what_goes_in_comes_out(store: UserStore) -> None:
    """Every field, the newest first, undated ones last."""
    assert store.add("anna", [PLAY, UNDATED, LIKE]) == 3
    assert store.events("anna") == [LIKE, PLAY, UNDATED]
    assert store.events("anna", "play") == [PLAY]
    assert store.events("bob") == []


def test_a_second_import_adds_nothing(store: UserStore) -> None:
    """The same events are known; of two numbers of plays the greater one stays."""
    store.add("anna", [LIKE, PLAY, LIKE])

    assert store.add("anna", [LIKE, PLAY, Event(PLAY.track_id, "play", 50.0, count=2)]) == 0
    assert store.add("anna", [Event(PLAY.track_id, "play", 50.0, count=9)]) == 0
    assert [event.count for event in store.events("anna", "play")] == [9]
    assert len(store.events("anna")) == 2


def test_listeners_are_apart(store: UserStore) -> None:
    """One's events are never another's; the list says who is known."""
    store.add("anna", [LIKE, PLAY, UNDATED])
    store.add("bob", [LIKE])

    assert store.users() == [UserSummary("anna", 1, 1, 3, 50.0, 100.0), UserSummary("bob", 1, 0, 0, 100.0, 100.0)]
    assert store.users("bob") == [UserSummary("bob", 1, 0, 0, 100.0, 100.0)]
    assert store.users("carl") == []


def test_only_the_owner_may_read(store: UserStore, tmp_path: Path) -> None:
    """The folder and the file are the owner's alone."""
    store.add("anna", [LIKE])
    folder = tmp_path / "listeners"

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


def test_what_is_deleted_is_gone_from_the_disk(store: UserStore, tmp_path: Path) -> None:
    """No file of the store holds an id, a track or a word of the listener; the other listener's data stays."""
    many = [Event(f"annas-own-track-{number}", "like", float(number), request=f"annas-words-{number}") for number in range(2_000)]
    store.add("anna-the-listener", [*many, LIKE])
    store.add("bob", [PLAY])
    assert b"annas-own-track-7" in _everything(tmp_path)

    gone = store.delete("anna-the-listener")

    assert gone == 2_001
    left = _everything(tmp_path)
    for trace in (b"anna-the-listener", b"annas-own-track", b"annas-words", LIKE.track_id.encode(), LIKE.request.encode()):
        assert trace not in left
    assert PLAY.track_id.encode() in left
    assert store.events("bob") == [PLAY]
    assert store.delete("anna-the-listener") == 0


def _everything(folder: Path) -> bytes:
    return b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_a_store_that_is_none(tmp_path: Path) -> None:
    """A damaged file is one error with its reason."""
    path = tmp_path / "listeners" / "store.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"not a database" * 100)

    with pytest.raises(StoreError, match="cannot open the store of listeners"):
        UserStore(path)
