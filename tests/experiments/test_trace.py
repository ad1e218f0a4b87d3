"""`melo trace` beyond showing a chain: one artifact, what it affected, marking it wrong, removing what is old."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.experiments.conftest import Run
from tests.redis_server import RedisServer, needs_redis

# A command ends with its process, which closes the index and the store for it; in this process the collector does.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def _asked(run: Run, text: str = "niche Icelandic post-punk") -> str:
    return str(json.loads(run("ask", text, "--json").out)["trace_id"])


def _nodes(run: Run, trace_id: str) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in run("trace", trace_id, "--json").lines]
    return [(row["artifact_id"], row["node"]) for row in rows]


def test_one_artifact(run: Run) -> None:
    """An artifact's id shows it with what it was made from and what it went into."""
    trace_id = _asked(run, "Africa by Toto")
    nodes = _nodes(run, trace_id)
    plan = next(name for name, node in nodes if node == "plan")
    done = run("trace", plan)

    assert done.code == 0
    assert done.lines[0].startswith(f"{plan}  plan")
    assert f"made from: {trace_id}-01, {trace_id}-00" in done.out
    assert done.lines[-1].endswith(nodes[-1][0])
    assert [row["artifact_id"] for row in map(json.loads, run("trace", plan, "--json").lines)] == [plan]


def test_several_traces_at_once(run: Run) -> None:
    """Each id that is given is shown."""
    ids = [_asked(run, text) for text in ("Africa by Toto", "Hello")]
    done = run("trace", *ids)

    assert all(f"{trace_id}-00  request" in done.out for trace_id in ids)


def test_affected_answers(run: Run) -> None:
    """The answers that an artifact went into, with what they are; a trace's id stands for its request."""
    trace_id = _asked(run, "Africa by Toto")
    last = _nodes(run, trace_id)[-1][0]
    done = run("trace", trace_id, "--affected")
    row = json.loads(run("trace", f"{trace_id}-01", "--affected", "--json").out)

    assert done.lines == [f"{last}  ok: 1 tracks"]
    assert row == {"artifact_id": last, "summary": "ok: 1 tracks"}


def test_marking_as_wrong(run: Run) -> None:
    """What was marked and all that was made from it is shown as wrong, with the reason; what came before it is not."""
    trace_id = _asked(run, "Africa by Toto")
    other = _asked(run, "Africa by Toto")
    nodes = _nodes(run, trace_id)
    done = run("trace", f"{trace_id}-01", "--invalidate", "the index was of last year")
    shown = run("trace", trace_id)
    wrong = re.findall(r"WRONG since \d{4}-\d\d-\d\d: the index was of last year \(because of (\S+)\)", shown.out)

    assert done.lines == [f"marked: {len(nodes) - 1} artifacts, 1 answers among what they went into"]
    assert wrong == [f"{trace_id}-01"] * (len(nodes) - 1)
    assert "WRONG" not in run("trace", other).out


def test_pruning(run: Run) -> None:
    """Traces that are older than the age are removed; nothing here is older than an hour."""
    trace_id = _asked(run, "Hello")

    assert run("trace", "--prune", "1h").lines == ["removed: 0 traces older than 1h"]
    assert run("trace").lines == [trace_id]
    assert run("trace", "--prune", "0d").lines == ["removed: 1 traces older than 0d"]
    assert run("trace").lines == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--affected",), ("--invalidate", "why"), ("x", "--prune", "1d"), ("x", "--affected", "--invalidate", "why"),
        ("--prune", "soon"), ("--prune", "1"), ("0123456789abcdef", "--affected"), ("0123456789abcdef", "--invalidate", "why"),
    ],
)  # fmt: skip
def test_what_cannot_be_done(run: Run, arguments: tuple[str, ...]) -> None:
    """Bad usage and unknown ids are exit code 2, with nothing on stdout and nothing changed."""
    trace_id = _asked(run, "Hello")
    done = run("trace", *arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err
    assert run("trace").lines == [trace_id]


def test_help_has_examples(run: Run) -> None:
    """The help of the command shows how each of its uses is typed."""
    told = " ".join(run("trace", "--help").out.split())

    assert all(word in told for word in ("--affected", "--invalidate", "--prune 30d", "Examples:"))


@needs_redis
def test_with_redis(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With Redis named in the environment answers use it; without it they go on, a line on stderr and doctor say so."""
    server = RedisServer(tmp_path)
    server.start()
    monkeypatch.setenv("MELO_REDIS_URL", server.url)
    trace_id = _asked(run, "Hello")
    client = server.client()
    held = list(client.scan_iter("*"))
    client.close()
    quiet = run("trace", trace_id)
    server.kill()
    done = run("ask", "Hello", "--json")
    doctor = {row["what"]: row for row in map(json.loads, run("doctor", "--json").lines)}

    assert held == [f"melo:trace:{trace_id}"]
    assert quiet.err == ""
    assert (done.code, json.loads(done.out)["playlist" if "playlist" in json.loads(done.out) else "status"]) == (0, "clarify")
    assert "without its hot tier" in doctor["trace store"]["detail"]
    assert server.url not in "".join(file.read_text(errors="replace") for file in home.rglob("*") if file.is_file())


def test_a_listener_is_forgotten_in_every_file(run: Run, home: Path, tmp_path: Path) -> None:
    """`melo user delete` takes the listener's traces from the new files and the old one."""
    (tmp_path / "likes.csv").write_text("title,artist\nAfrica,Toto\n")
    run("user", "import", tmp_path / "likes.csv", "--user", "anna", "--kind", "like")
    asked = json.loads(run("ask", "Africa by Toto", "--json", "--user", "anna").out)["trace_id"]
    file = next((home / "traces").glob("*.sqlite"))
    before = asked.encode() in file.read_bytes() + _log(file)
    done = run("user", "delete", "anna")

    assert before
    assert "1 traces of anna" in done.out
    assert asked.encode() not in file.read_bytes() + _log(file)


def _log(file: Path) -> bytes:
    log = file.with_name(f"{file.name}-wal")
    return log.read_bytes() if log.exists() else b""
