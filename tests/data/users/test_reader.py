"""Listeners' files: what each kind of row says, what is rejected with its number, and what is no file at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from data.catalog.importers.rejects import Rejects
from data.errors import CatalogError, InputError
from data.users.reader import detect_format, read_events
from data.users.schema import EventKind, LooseEvent, checked_user_id

MARCH = datetime(2026, 3, 1, 12, 30, tzinfo=UTC).timestamp()


def _read(path: Path, kind: EventKind | None = None) -> tuple[list[LooseEvent], Rejects]:
    rejects = Rejects(path.with_name("rejects.jsonl"))
    return list(read_events(path, detect_format(path), rejects, kind)), rejects


def _csv(folder: Path, text: str) -> Path:
    path = folder / "likes.csv"
    path.write_text(text, encoding="utf-8")
    return path


def _jsonl(folder: Path, *rows: Any) -> Path:
    path = folder / "plays.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"track_id": "t"}, "like"),
        ({"track_id": "t", "kind": "loved"}, "like"),
        ({"track_id": "t", "feedback": "-1"}, "dislike"),
        ({"track_id": "t", "action": "Thumbs Down"}, "dislike"),
        ({"track_id": "t", "event": "scrobble"}, "play"),
        ({"track_id": "t", "liked": "no"}, "dislike"),
        ({"track_id": "t", "liked": True}, "like"),
        ({"track_id": "t", "played_at": 1}, "play"),
        ({"track_id": "t", "plays": 3}, "play"),
        ({"track_id": "t", "added_at": 1}, "like"),
    ],
    ids=str,
)
def test_what_a_row_is(tmp_path: Path, row: dict[str, Any], kind: EventKind) -> None:
    """Told by its own word, by a flag, or by what it holds."""
    (found,), _ = _read(_jsonl(tmp_path, row))

    assert found.event.kind == kind


def test_a_row_that_does_not_say(tmp_path: Path) -> None:
    """The caller says what it is; a row that says so itself is believed."""
    found, _ = _read(_csv(tmp_path, "track_id,kind\na,\nb,like\n"), "play")

    assert [one.event.kind for one in found] == ["play", "like"]


@pytest.mark.parametrize(
    "written",
    [
        MARCH, MARCH * 1000, str(int(MARCH)), "2026-03-01T12:30:00Z", "2026-03-01 12:30", "2026-03-01T13:30+01:00",
        "2026-03-01T12:30:00.000Z",
    ],
    ids=str,
)  # fmt: skip
def test_times(tmp_path: Path, written: Any) -> None:
    """Seconds, milliseconds and dates with or without a zone are one moment."""
    (found,), _ = _read(_jsonl(tmp_path, {"track_id": "t", "ts": written}))

    assert found.event.at == MARCH


def test_title_and_artist_stand_for_an_id(tmp_path: Path) -> None:
    """The columns of two well-known exports."""
    rows = [
        {"endTime": "2026-03-01 12:30", "artistName": "Toto", "trackName": "Africa", "msPlayed": 1},
        {"ts": MARCH, "master_metadata_track_name": "Africa", "master_metadata_album_artist_name": "Toto"},
    ]
    found, _ = _read(_jsonl(tmp_path, *rows))

    assert [(one.title, one.artists, one.event.kind, one.event.at) for one in found] == [("Africa", ("Toto",), "play", MARCH)] * 2


def test_bad_rows_are_rejected_with_their_numbers(tmp_path: Path) -> None:
    """The good rows come through; each bad one is told with row, field and reason."""
    path = _csv(
        tmp_path,
        "track_id,kind,at,plays\na,like,,\n,like,,\nb,adored,,\nc,play,someday,\nd,play,,0\ne,play,,2.5\nf,play,2026,7\n",
    )
    found, rejects = _read(path)
    lines = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]

    assert [(one.row, one.track_id) for one in found] == [(2, "a"), (8, "f")]
    assert [(line["row"], line["field"]) for line in lines] == [
        (3, "track_id"),
        (4, "kind"),
        (5, "at"),
        (6, "count"),
        (7, "count"),
    ]
    assert rejects.total == 5
    assert found[-1].event.count == 7


def test_broken_lines(tmp_path: Path) -> None:
    """A line that is no JSON object costs itself only."""
    found, rejects = _read(_jsonl(tmp_path, {"track_id": "a"}, "{", "[]", {"track_id": ["x", "y"]}, {"track_id": "b"}))

    assert [one.track_id for one in found] == ["a", "b"]
    assert rejects.total == 3


def test_what_is_unseen_is_taken_out(tmp_path: Path) -> None:
    """Control and reordering characters never reach the store."""
    (found,), _ = _read(_jsonl(tmp_path, {"track_id": "t\x1b[31m\u202e1", "request": "sad\nsongs\x07"}))

    assert found.track_id == "t[31m1"
    assert found.event.request == "sad songs"


def test_dialogues(tmp_path: Path) -> None:
    """Each like and dislike of each turn, with the turn's words."""
    talk = {
        "id": "d1",
        "turns": [
            {"user_query": "hello", "liked_results": [], "disliked_results": []},
            {"user_query": "sad songs", "liked_results": ["a", "b"], "disliked_results": ["c"]},
        ],
    }
    path = _jsonl(tmp_path, talk, {"id": "d2", "turns": "none"}, {"id": "d3", "turns": [{"user_query": 1}]})
    found, rejects = _read(path)

    assert detect_format(path) == "cpcd"
    assert [(one.track_id, one.event.kind, one.event.turn, one.event.request, one.event.session) for one in found] == [
        ("a", "like", 1, "sad songs", "d1"), ("b", "like", 1, "sad songs", "d1"), ("c", "dislike", 1, "sad songs", "d1"),
    ]  # fmt: skip
    assert rejects.total == 2


def test_a_file_without_tracks(tmp_path: Path) -> None:
    """A header that names no track, and a missing file, are one error each."""
    with pytest.raises(CatalogError, match="no column for track_id"):
        _read(_csv(tmp_path, "colour,shape\nred,round\n"))
    with pytest.raises(CatalogError, match="no such file"):
        detect_format(tmp_path / "none.csv")


def test_the_rejects_never_replace_the_file(tmp_path: Path) -> None:
    """The listener's own file is no place for rejects."""
    path = _csv(tmp_path, "track_id\na\n")

    with pytest.raises(CatalogError, match="own file"):
        list(read_events(path, "csv", Rejects(path)))
    assert path.read_text() == "track_id\na\n"


@pytest.mark.parametrize("good", ["anna", "anna@home", "佐藤", "a.b_c-1+2", "x" * 64])
def test_ids(good: str) -> None:
    """Letters of any script, digits and a few signs."""
    assert checked_user_id(good) == good


@pytest.mark.parametrize("bad", ["", " ", "a b", "../x", "a/b", "a\x1b[31m", "<|im_start|>", "x" * 65, "a\n", "a;b", "\u202eabc"])
def test_bad_ids(bad: str) -> None:
    """Nothing that a path, a prompt or a terminal would take for more than a name."""
    with pytest.raises(InputError, match="a listener's id"):
        checked_user_id(bad)
