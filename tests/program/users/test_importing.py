"""Imports end to end: matching by id and by name, unknown tracks, a second import, dialogues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.catalog.importers.rejects import Rejects
from data.errors import InputError
from program.index.engine import EmbeddedIndex
from program.users.importing import Imported, import_events
from program.users.matching import track_named
from program.users.store import UserStore


@pytest.fixture
def store(tmp_path: Path) -> UserStore:
    """An empty store."""
    return UserStore(tmp_path / "store" / "store.sqlite")


def _import(path: Path, store: UserStore, index: EmbeddedIndex, user: str = "anna") -> Imported:
    return import_events(path, user, store, index, Rejects(path.with_name("rejects.jsonl")))


def test_import(tiny_index: EmbeddedIndex, store: UserStore, tmp_path: Path) -> None:
    """By id, by title and artist, unknown ones counted and told with their rows; made again it changes nothing."""
    path = tmp_path / "likes.csv"
    path.write_text(
        "id,title,artist,liked_at\ntoto--africa,,,2026-01-01\n,hello,ADELE,2026-01-02\nno-such-id,,,\n,Zorblax,Nobody,\n,,,\n"
    )
    done = _import(path, store, tiny_index)
    lines = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]

    assert (done.read, done.added, done.unknown, done.rejected, done.users) == (4, 2, 2, 1, ("anna",))
    assert {event.track_id for event in store.events("anna")} == {"toto--africa", "adele--hello"}
    assert sorted(line["row"] for line in lines) == [4, 5, 6]
    again = _import(path, store, tiny_index)
    assert (again.added, again.known) == (0, 2)


def test_a_file_of_bad_rows_only(tiny_index: EmbeddedIndex, store: UserStore, tmp_path: Path) -> None:
    """Nothing usable is an error."""
    path = tmp_path / "likes.csv"
    path.write_text("id\n\n\n")

    with pytest.raises(InputError, match="no usable row"):
        _import(path, store, tiny_index)


def test_each_dialogue_is_a_listener(tiny_index: EmbeddedIndex, store: UserStore, tmp_path: Path) -> None:
    """Their ids are made of the given one and the dialogue's, without signs that an id may not hold."""
    talks = [
        {"id": name, "turns": [{"user_query": "x", "liked_results": ["toto--africa"], "disliked_results": []}]}
        for name in ("d1", "../d 2")
    ]
    path = tmp_path / "dialogs.jsonl"
    path.write_text("".join(json.dumps(talk) + "\n" for talk in talks))

    assert _import(path, store, tiny_index, "cpcd").users == ("cpcd-___d_2", "cpcd-d1")


@pytest.mark.parametrize(
    ("title", "artists", "expected"),
    [
        ("Africa", ("Toto",), "toto--africa"),
        ("hello", ("lionel richie",), "lionel-richie--hello"),
        ("Hello", ("Adele", "Somebody"), "adele--hello"),
        ("Africa (Remastered)", ("TOTO",), "toto--africa"),
        ("Sunny Day", ("周杰伦",), None),
        ("晴天", ("Jay Chou",), "jay-chou--晴天"),
        ("Just Like a Pill", ("Pink",), "pink--justlikeapill"),
        ("Africa", ("Adele",), None),
        ("Africa", (), None),
        ("", ("Toto",), None),
    ],
    ids=str,
)
def test_by_name(tiny_index: EmbeddedIndex, title: str, artists: tuple[str, ...], expected: str | None) -> None:
    """In normal form, remarks forgiven; a title by somebody else is not the track."""
    assert track_named(title, artists, tiny_index) == expected
