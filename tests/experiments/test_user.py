"""`melo user` and `melo ask --user`: import, look, ask, learn, and a deletion that leaves nothing behind."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.experiments.conftest import Run

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
LIKES = "track_id,title,artist,liked_at,request\ntoto--africa,,,2026-01-03,songs for rain\n,Hello,Adele,2026-01-02,sad songs\n"


@pytest.fixture
def likes(tmp_path: Path) -> Path:
    """Two likes of the tiny catalog, one row of none, and one that is unknown."""
    path = tmp_path / "likes.csv"
    path.write_text(LIKES + "nowhere,,,,\n,,,,\nbad,,,someday,\n")
    return path


def _everything(folder: Path) -> bytes:
    return b"\0".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_import_list_show(run: Run, likes: Path, home: Path) -> None:
    """What was new is told, what is bad lies in the rejects with its row; a second import finds nothing new."""
    first = json.loads(run("user", "import", likes, "--user", "anna", "--json").out)
    again = run("user", "import", likes, "--user", "anna")
    rejected = [json.loads(line)["row"] for line in likes.with_name("likes.csv.rejects.jsonl").read_text().splitlines()]

    assert (first["added"], first["known"], first["unknown"], first["rejected"]) == (2, 0, 1, 2)
    assert again.out.startswith("0 new of 3 for anna · 2 known before · 1 not in the catalog · 2 rows rejected")
    assert sorted(rejected) == [4, 5, 6]
    assert run("user", "list").out == "anna  2 likes · 0 dislikes · 0 plays · 2026-01-02 to 2026-01-03\n"
    shown = json.loads(run("user", "show", "anna", "--json").out)
    assert (shown["likes"], shown["taste"].split(";")[0]) == (2, "Adele, Toto")
    assert stat.S_IMODE((home / "listeners").stat().st_mode) == 0o700


def test_ask_as_a_listener(run: Run, likes: Path) -> None:
    """The own set, newest like first; without the listener, or of an unknown one, it is told."""
    run("user", "import", likes, "--user", "anna")
    found = json.loads(run("ask", "play my liked songs", "--user", "anna", "--json").out)
    lines = run("ask", "--json", "-", "--user", "anna", stdin=b"my liked songs\nmy liked songs by Adele\n").lines
    nobody = run("ask", "my liked songs", "--user", "bob")

    assert [track["track_id"] for track in found["tracks"]] == ["toto--africa", "adele--hello"]
    assert [len(json.loads(line)["tracks"]) for line in lines] == [2, 1]
    assert json.loads(run("ask", "play my liked songs", "--json").out)["status"] == "not_found"
    assert (nobody.code, nobody.out) == (2, "")
    assert "nothing is known of the listener bob" in nobody.err


def test_delete_leaves_nothing_behind(run: Run, likes: Path, home: Path) -> None:
    """After a deletion no file of the home folder holds the listener's id, words, or the traces of the requests."""
    run("user", "import", likes, "--user", "anna-the-listener")
    run("user", "import", likes, "--user", "bob")
    kept = json.loads(run("ask", "post-punk", "--json").out)["trace_id"]
    gone = json.loads(run("ask", "my liked songs for the xylophone parade", "--user", "anna-the-listener", "--json").out)[
        "trace_id"
    ]
    assert b"xylophone parade" in _everything(home)
    assert b"anna-the-listener" in _everything(home)

    done = run("user", "delete", "anna-the-listener")

    left = _everything(home)
    assert done.out == "deleted: 2 likes and plays, 1 traces of anna-the-listener\n"
    assert b"anna-the-listener" not in left
    assert b"xylophone parade" not in left
    assert run("trace", gone).code == 2
    assert run("trace", kept).code == 0
    assert run("user", "list").out.startswith("bob  2 likes")
    assert run("user", "delete", "anna-the-listener").code == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("import", "none.csv", "--user", "anna"), "no such file"),
        (("import", "LIKES", "--user", "../anna"), "a listener's id is"),
        (("import", "LIKES", "--user", "\x1b[31manna"), "a listener's id is"),
        (("import", "LIKES", "--user", "anna", "--kind", "adore"), "unknown kind"),
        (("show", "nobody"), "nothing is known"),
        (("delete", "nobody"), "nothing is known"),
        (("learn",), "too few sessions"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_usage(run: Run, likes: Path, arguments: tuple[str, ...], told: str) -> None:
    """One line with the reason, exit code 2, and no control character on the terminal."""
    done = run("user", *(likes if word == "LIKES" else word for word in arguments))

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert "\x1b[31m" not in done.err
