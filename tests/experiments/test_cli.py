"""The command line as a person and a script use it: exit codes, one-line errors, results on stdout only."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from data.contracts import Intent, Plan, Playlist
from tests.experiments.conftest import Done, Run
from tests.tiny import TinyEmbedder

# A command ends with its process, which closes the index for it; in this process that is left to the collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

THIN = "niche Icelandic post-punk"


def _one_line(done: Done, code: int, *told: str) -> None:
    """A failure is one line on stderr that says what is wrong, nothing on stdout, and its exit code."""
    assert done.code == code, done
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("melo: ")
    assert all(word in done.err for word in told), done.err


def _usage(done: Done, *told: str) -> None:
    """Bad usage is exit code 2 with a message on stderr, nothing on stdout."""
    assert (done.code, done.out) == (2, "")
    assert all(word in done.err for word in told), done.err


# -- ask -----------------------------------------------------------------------------------------------------------------


def test_ask_prints_a_playlist(run: Run) -> None:
    """A person reads title, numbered tracks with reasons, and where to look further; stderr stays empty."""
    done = run("ask", "songs by Metallica")

    assert (done.code, done.err) == (0, "")
    assert done.lines[0] == "Metallica"
    assert "Enter Sandman – Metallica (1991)" in done.out
    assert [line.split(".")[0] for line in done.lines if ". " in line and "– Metallica" in line] == ["1", "2", "3", "4"]
    assert done.lines[-1].startswith("trace ")
    assert "no LM was asked" in done.lines[-1]


def test_ask_tells_what_was_changed(run: Run) -> None:
    """A partial answer says so, and lists each change with its reason."""
    done = run("ask", THIN)

    assert done.code == 0
    assert done.lines[0].endswith("[partial answer]")
    assert "What was changed to find enough:" in done.lines
    assert any("Iceland was widened" in line and "of 30 needed" in line for line in done.lines)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Hello", ["[a question first]", "Which “Hello” do you mean?", "Adele", "Lionel Richie"]),
        ("play Xanthorpe Dreaming", ["[not found]", "Xanthorpe Dreaming"]),
        ("", ["[refused]", "empty"]),
        ("放点周杰伦的歌", ["晴天", "稻香", "七里香"]),
    ],
    ids=["clarify", "not found", "refused", "Chinese"],
)
def test_every_status_is_an_answer(run: Run, text: str, told: list[str]) -> None:
    """A question, an absence and a refusal are answers too: exit code 0."""
    done = run("ask", text)

    assert done.code == 0
    assert all(words in done.out for words in told)


def _parts(line: str) -> tuple[Playlist, Intent | None, Plan | None]:
    """One JSON answer, read back strictly by the contracts."""
    data = json.loads(line)
    intent, plan = data.pop("intent"), data.pop("plan")
    return (
        Playlist.model_validate(data),
        Intent.model_validate(intent) if intent else None,
        Plan.model_validate(plan) if plan else None,
    )


def test_ask_json_is_one_object(run: Run) -> None:
    """One line holds the playlist with intent and plan, and reads back as the contracts say."""
    done = run("ask", THIN, "--json")
    playlist, intent, plan = _parts(done.out)
    assert intent is not None
    assert plan is not None

    assert (done.code, done.err, len(done.lines)) == (0, "", 1)
    assert playlist.status == "partial"
    assert len(playlist.tracks) == 20
    assert [entry.constraint_id for entry in playlist.ledger] == [c.constraint_id for c in intent.constraints]
    assert "from" in json.loads(done.out)["ledger"][0]
    assert plan.round > 0


def test_ask_json_from_standard_input(run: Run) -> None:
    """One answer a line in the same order; an empty line, one that is no UTF-8 and a last one without an end get theirs."""
    lines = [b"Africa by Toto", b"", "caf\xe9 music".encode("latin-1"), "晴天\r".encode(), b"Hello"]
    done = run("ask", "--json", "-", stdin=b"\n".join(lines))
    answers = [_parts(line)[0] for line in done.lines]

    assert (done.code, done.err) == (0, "")
    assert [answer.status for answer in answers] == ["ok", "refused", "refused", "ok", "clarify"]
    assert [[track.track_id for track in answer.tracks] for answer in answers[:4]] == [
        ["toto--africa"], [], [], ["jay-chou--晴天"],
    ]  # fmt: skip
    assert "empty" in answers[1].message
    assert "not UTF-8" in answers[2].message


def test_no_requests_no_answers(run: Run) -> None:
    """Empty standard input is no error and no output."""
    done = run("ask", "--json", "-")

    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("n", [1, 3])
def test_ask_n(run: Run, n: int) -> None:
    """--n decides how many tracks come back, whatever the request says, also line by line."""
    one = _parts(run("ask", "post-punk", "--json", "--n", n).out)[0]
    listed = [_parts(line)[0] for line in run("ask", "--json", "--n", n, "-", stdin=b"post-punk\nsongs by Queen\n").lines]

    assert len(one.tracks) == n
    assert [len(answer.tracks) for answer in listed] == [n, n]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--n", "0"), "--n"),
        (("--n", "101"), "--n"),
        (("--n", "many"), "--n"),
        (("--nonsense",), "--nonsense"),
        (("more", "words"), "more"),
    ],
    ids=["none", "too many", "no number", "unknown option", "several arguments"],
)
def test_bad_usage(run: Run, arguments: tuple[str, ...], told: str) -> None:
    """A number out of range and an unknown option are bad usage."""
    _usage(run("ask", "post-punk", *arguments), told)


def test_standard_input_needs_json(run: Run) -> None:
    """Reading many requests is for scripts: without --json it is bad usage."""
    _usage(run("ask", "-"), "--json")


@pytest.mark.parametrize("name", ["nonsense", "embedded/none", "OPENAI/x", "openai/", "/"])
def test_an_unknown_backbone(run: Run, name: str) -> None:
    """A name that no backbone has is one line that lists the known ones, exit code 2."""
    _one_line(run("ask", "post-punk", "--lm", name), 2, "known: none, embedded/smollm2-135m")


def test_a_backbone_that_is_not_installed(run: Run) -> None:
    """Without its weights an embedded model takes nothing from the answer, and says how to get it."""
    done = run("ask", "post-punk", "--lm", "embedded/smollm2-135m", "--n", 3)

    assert "melo brain install smollm2-135m" in done.out + done.err
    assert done.code in (0, 2)


def test_a_missing_index(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without an index is one line with the way out, by option and by environment."""
    _one_line(run("ask", "post-punk", "--catalog", tmp_path / "nothing"), 2, "nothing", "melo catalog build")
    monkeypatch.setenv("MELO_CATALOG", str(tmp_path / "elsewhere"))
    _one_line(run("ask", "post-punk"), 2, "elsewhere", "melo catalog build")
    _one_line(run("catalog", "info"), 2, "elsewhere")


def _no_json(index: Path) -> None:
    (index / "manifest.json").write_text("{")


def _other_format(index: Path) -> None:
    manifest = json.loads((index / "manifest.json").read_text())
    (index / "manifest.json").write_text(json.dumps(manifest | {"format": 999}))


def _cut_off(index: Path) -> None:
    (index / "popularity.npy").write_bytes(b"")


def _no_names(index: Path) -> None:
    shutil.rmtree(index / "names")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(_no_json, id="manifest"),
        pytest.param(_other_format, id="format"),
        pytest.param(_cut_off, id="a part"),
        pytest.param(_no_names, id="names"),
    ],
)
def test_a_damaged_index(run: Run, tiny_catalog: Path, tmp_path: Path, damage: Any) -> None:
    """A damaged index is a bad file: one line, exit code 2."""
    shutil.copytree(tiny_catalog, tmp_path / "copy")
    damage(tmp_path / "copy")

    _one_line(run("ask", "post-punk", "--catalog", tmp_path / "copy"), 2, "copy")


@pytest.mark.parametrize(
    ("text", "told"),
    [("[retry]\nrounds = 2\n", "retry.rounds"), ("[lm]\nmax_calls = -1\n", "lm.max_calls"), ("no toml", "cannot read")],
    ids=["unknown key", "out of range", "no TOML"],
)
def test_bad_settings(run: Run, tmp_path: Path, text: str, told: str) -> None:
    """A settings file that is wrong is one line that names the key, exit code 2."""
    (tmp_path / "melo.toml").write_text(text)

    _one_line(run("ask", "post-punk", "--settings", tmp_path / "melo.toml"), 2, told)


def test_settings_change_the_answer(run: Run, tmp_path: Path) -> None:
    """A settings file is used."""
    (tmp_path / "melo.toml").write_text("[retry]\nlist_size = 4\n")
    answer = _parts(run("ask", "post-punk", "--json", "--settings", tmp_path / "melo.toml").out)[0]

    assert len(answer.tracks) == 4


# -- trace ---------------------------------------------------------------------------------------------------------------


def _asked(run: Run, text: str = THIN) -> str:
    return _parts(run("ask", text, "--json").out)[0].trace_id


def test_trace_shows_the_chain(run: Run) -> None:
    """Every node of an answer is listed with its parents, from the request to the playlist, and its calls before it."""
    trace_id = _asked(run)
    done = run("trace", trace_id)
    heads = [line for line in done.lines if not line.startswith(" ")]
    nodes = [head.split()[1] for head in heads]

    assert (done.code, done.err) == (0, "")
    assert nodes[:4] == ["request", "understand", "plan", "tool"]
    assert [node for node in nodes if node != "tool"] == [
        "request", "understand", *["plan", "execute", "reflect"] * 2, "synthesize", "playlist",
    ]  # fmt: skip
    assert f"from {trace_id}-00" in done.out
    assert THIN in heads[0]


def test_trace_json_is_an_artifact_a_line(run: Run) -> None:
    """With --json every artifact is one line, and the last one holds the answer."""
    trace_id = _asked(run, "Africa by Toto")
    rows = [json.loads(line) for line in run("trace", trace_id, "--json").lines]

    assert [row["artifact_id"] for row in rows] == [f"{trace_id}-{n:02d}" for n in range(len(rows))]
    assert rows[-1]["payload"]["tracks"][0]["track_id"] == "toto--africa"


def test_trace_lists_the_latest(run: Run) -> None:
    """Without an id the latest sessions are listed, newest first."""
    ids = [_asked(run, text) for text in ("Africa by Toto", "Hello")]

    assert run("trace").lines == ids[::-1]


def test_an_unknown_trace(run: Run) -> None:
    """An id that nobody has is one line with the way out."""
    _one_line(run("trace", "0123456789abcdef"), 2, "0123456789abcdef", "melo trace lists")


def _rewrite(home: Path, change: str) -> None:
    connection = sqlite3.connect(next((home / "traces").glob("*.sqlite")))
    with connection:
        connection.execute(f"UPDATE artifacts SET body = {change} WHERE node = 'request'")
    connection.close()


def test_a_tampered_trace(run: Run, home: Path) -> None:
    """A trace that no longer matches its hash is told instead of shown, exit code 1."""
    trace_id = _asked(run)
    _rewrite(home, "replace(body, 'Icelandic', 'Norwegian')")

    _one_line(run("trace", trace_id), 1, f"{trace_id}-00", "does not match its hash")


def test_an_unreadable_trace(run: Run, home: Path) -> None:
    """A trace that no longer parses is one line, exit code 1."""
    trace_id = _asked(run)
    _rewrite(home, "'{'")

    _one_line(run("trace", trace_id), 1)


def test_no_trace_where_it_is_switched_off(run: Run, home: Path, tmp_path: Path) -> None:
    """With the store off nothing is kept."""
    (tmp_path / "melo.toml").write_text("[trust]\nstore = false\n")
    trace_id = _parts(run("ask", "Hello", "--json", "--settings", tmp_path / "melo.toml").out)[0].trace_id

    assert not list(home.glob("traces*"))
    _one_line(run("trace", trace_id), 2, trace_id)


def test_a_store_that_cannot_be_opened(run: Run, home: Path) -> None:
    """Where the trace cannot be kept the answer still comes, with a line on stderr."""
    home.write_text("a file where the folder must be")
    done = run("ask", "Africa by Toto", "--json")

    assert done.code == 0
    assert _parts(done.out)[0].status == "ok"
    assert len(done.err.splitlines()) == 1
    assert "this answer leaves no trace" in done.err


# -- catalog -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def quick_build(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds take the bag-of-words embedder: the packaged model reads every vocabulary first, which takes seconds."""
    monkeypatch.setattr("experiments.commands.catalog.packaged_embedder", TinyEmbedder)


CSV = """track_id,title,artist,album,year,genres,region
1,Rain Song,The Example Band,First,1984,post-punk,IS
2,,The Example Band,First,1985,post-punk,IS
3,Snow Song,Another Band,,1991,rock,GB
"""


@pytest.mark.usefixtures("quick_build")
def test_catalog_build_info_and_ask(run: Run, tmp_path: Path) -> None:
    """A CSV becomes an index that answers; a row without a title goes to the rejects file with its number."""
    (tmp_path / "mine.csv").write_text(CSV, encoding="utf-8")
    built = run("catalog", "build", tmp_path / "mine.csv", "--out", tmp_path / "index")
    rejects = [json.loads(line) for line in (tmp_path / "index.rejects.jsonl").read_text().splitlines()]
    info = json.loads(run("catalog", "info", "--catalog", tmp_path / "index", "--json").out)
    answer = _parts(run("ask", "songs by The Example Band", "--json", "--catalog", tmp_path / "index").out)[0]

    assert (built.code, built.out) == (0, f"{tmp_path / 'index'}\n")
    assert "2 tracks, 2 artists" in built.err
    assert "1 rows rejected" in built.err
    assert [(row["row"], row["field"]) for row in rejects] == [(3, "title")]
    assert (info["tracks"], info["artists"]) == (2, 2)
    assert (info["coverage"]["genre"], info["coverage"]["era"], info["coverage"]["mood"]) == (1.0, 1.0, 0.0)
    assert [track.title for track in answer.tracks] == ["Rain Song"]


@pytest.mark.usefixtures("quick_build")
@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("none.csv", None, "none.csv"),
        ("empty.csv", "", "empty"),
        ("bad.csv", "title,artist\n,\n", "no usable"),
        ("strange.xyz", "x", "strange.xyz"),
    ],
    ids=["missing", "empty", "no usable row", "unknown format"],
)
def test_a_source_that_is_no_catalog(run: Run, tmp_path: Path, name: str, content: str | None, told: str) -> None:
    """A source without a usable track is one line, exit code 2, and leaves no index behind."""
    if content is not None:
        (tmp_path / name).write_text(content)
    done = run("catalog", "build", tmp_path / name, "--out", tmp_path / "index")

    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert done.err.splitlines()[-1].startswith("melo: ")
    assert not (tmp_path / "index").exists()


def test_a_folder_that_is_no_index_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    """An --out that holds something else is left alone."""
    (tmp_path / "mine.csv").write_text(CSV, encoding="utf-8")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "one.jpg").write_text("x")

    _one_line(run("catalog", "build", tmp_path / "mine.csv", "--out", tmp_path / "photos"), 2, "photos", "another --out")
    assert [file.name for file in (tmp_path / "photos").iterdir()] == ["one.jpg"]


def test_catalog_info(run: Run, tiny_catalog: Path) -> None:
    """Counts and coverage are printed for a person and, with --json, as one object."""
    text, data = run("catalog", "info"), json.loads(run("catalog", "info", "--json").out)

    assert str(tiny_catalog) in text.out
    assert f"{data['tracks']} tracks · {data['artists']} artists" in text.out
    assert data["coverage"]["version"] == 1.0
    assert 0.9 < data["coverage"]["genre"] < 1.0
    assert len(data["content_hash"]) == 64


def test_catalog_synth_repeats(run: Run, tmp_path: Path) -> None:
    """A synthetic catalog has as many tracks as asked, the same ones for the same seed."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        done = run("catalog", "synth", "--tracks", 5, "--seed", seed, "--out", tmp_path / f"{name}.jsonl")
        assert (done.code, done.lines) == (0, [str(tmp_path / f"{name}.jsonl")])
    a, b, c = ((tmp_path / f"{name}.jsonl").read_bytes() for name in "abc")

    assert a == b != c
    assert a.count(b'"track_id"') == 5


# -- brain, doctor, the rest ---------------------------------------------------------------------------------------------


def test_brain_list(run: Run) -> None:
    """Every brain has a line with state, size and licence; here none is installed."""
    rows = [json.loads(line) for line in run("brain", "list", "--json").lines]
    text = run("brain", "list")

    assert {"smollm2-135m", "gemma3-270m"} <= {row["name"] for row in rows}
    assert {row["state"] for row in rows} == {"missing"}
    assert all(row["size_bytes"] > 0 and row["licence"] for row in rows)
    assert [line.split()[0] for line in text.lines] == [row["name"] for row in rows]


def test_an_unknown_brain(run: Run) -> None:
    """A brain that nobody has is one line, exit code 2."""
    _one_line(run("brain", "install", "gpt-17"), 2, "gpt-17")


def test_doctor(run: Run, tiny_catalog: Path) -> None:
    """Each check is a JSON line; what is missing but not needed leaves the exit code at 0."""
    done = run("doctor", "--json")
    rows = {row["what"]: row for row in map(json.loads, done.lines)}

    assert done.code == 0
    assert rows["catalog"]["ok"] is True
    assert str(tiny_catalog) in rows["catalog"]["detail"]
    assert rows["trace store"]["ok"] is True
    assert rows["embedded/smollm2-135m"]["ok"] is False
    assert "melo brain install smollm2-135m" in rows["embedded/smollm2-135m"]["detail"]
    assert all(row["ok"] for row in rows.values() if row["needed"])


def test_doctor_finds_what_is_missing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a catalog index the exit code is 1 and the line says what to do; an unknown backbone is one more line."""
    monkeypatch.setenv("MELO_CATALOG", str(tmp_path / "nothing"))
    done = run("doctor", "--lm", "nonsense")

    assert done.code == 1
    missing = {line.split()[1]: line for line in done.lines if line.startswith("--")}
    assert "melo catalog build" in missing["catalog"]
    assert "nonsense" in missing


@pytest.mark.parametrize(
    "arguments", [("sing",), ("catalog", "burn"), ("ask",), ("catalog", "build", "x")],
    ids=["unknown command", "unknown subcommand", "no request", "no --out"],
)  # fmt: skip
def test_unknown_commands(run: Run, arguments: tuple[str, ...]) -> None:
    """An unknown command and a missing argument are bad usage."""
    _usage(run(*arguments))


@pytest.mark.parametrize("command", [(), ("ask",), ("trace",), ("doctor",), ("catalog",), ("catalog", "build"), ("brain",)])
def test_help(run: Run, command: tuple[str, ...]) -> None:
    """Every command explains itself on stdout, exit code 0."""
    done = run(*command, "--help")

    assert (done.code, done.err) == (0, "")
    assert "Usage: melo" in done.out


def _process(home: Path, *arguments: str, **kwargs: Any) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "MELO_HOME": str(home)}
    return subprocess.Popen([sys.executable, "-m", "experiments.cli", *arguments], env=environment, **kwargs)


def test_as_a_process(home: Path) -> None:
    """A process of its own gives the same answers, its result on stdout alone, and leaves by its exit code."""
    good = _process(home, "ask", "--json", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    bad = _process(home / "other", "ask", "x", "--lm", "nonsense", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = good.communicate("晴天\n\n".encode())
    refused, told = bad.communicate()

    assert (good.returncode, err) == (0, b"")
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["ok", "refused"]
    assert (bad.returncode, refused) == (2, b"")
    assert len(told.decode().splitlines()) == 1


def test_a_reader_that_leaves(home: Path) -> None:
    """When the reader of a pipe goes away the command ends without a word, as a fault around us (exit code 1)."""
    process = _process(home, "ask", "--json", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write("晴天\n".encode())
    process.stdin.flush()
    first = process.stdout.readline()
    process.stdout.close()
    process.stdin.write(b"post-punk\n" * 50)
    process.stdin.close()
    told = process.stderr.read()
    process.stderr.close()

    assert json.loads(first)["status"] == "ok"
    assert process.wait(30) == 1
    assert told == b""
