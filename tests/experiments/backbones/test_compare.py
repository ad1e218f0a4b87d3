"""`melo compare` with scripted backbones: rows, mixes, a dead server, a server that dies, limits on the rate of calls."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dspy import lm15

from data.errors import BackboneError
from data.labelled import LabelledRow
from experiments.backbones.table import failures
from experiments.chosen import with_lm
from experiments.lm_cache import Patience
from experiments.runner import SYSTEMIC
from program.lm.backbones import Backbone
from program.settings import Settings
from tests.experiments.conftest import Run
from tests.labelled import named, record, row
from tests.scripted import ScriptedLM, scripted_lm

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
_NODES: dict[str, dict[str, Any]] = {
    "understand": {"reading": "r0", "add": [], "drop": [], "unsure": [], "name": ""},
    "plan": {"routes": ["t0"]},
    "synthesize": {"title": "Africa", "description": "By Toto."},
}
_COUNT = 8


def _rows(*_: object) -> tuple[LabelledRow, ...]:
    words = ("qqzx", "vvzx", "wwzx", "yyzx", "zzqx", "kkzx", "jjzx", "ppzx")
    return tuple(
        row(f"africa by toto {word}", qid=f"entity-00{number}", entities=[named("africa", "track", "toto--africa")])
        for number, word in enumerate(words)
    )


class _Servers:
    """Backbones by name; `fails` decides by the number of the call what a server raises."""

    def __init__(self) -> None:
        self.engines: dict[str, ScriptedLM] = {}
        self.fails: dict[str, Callable[[int], Exception | None]] = {}
        self.threads: set[int] = set()
        self._calls: dict[str, int] = {}

    def resolve(self, name: str) -> Backbone:
        if name == "none":
            return Backbone(name, None, schema=False, embedded=False)
        if name == "gone/model":
            raise BackboneError("no key is set")
        lm = scripted_lm([(node, self._reply(name, node)) for node in _NODES])
        lm.model = name
        self.engines[name] = lm.engine
        return Backbone(name, lm, schema=True, embedded=False)

    def _reply(self, name: str, node: str) -> Callable[[str], dict[str, Any]]:
        def reply(prompt: str) -> dict[str, Any]:
            self.threads.add(threading.get_ident())
            number = self._calls.setdefault(name, 0)
            self._calls[name] += 1
            if name in self.fails and (error := self.fails[name](number)) is not None:
                raise error
            return _NODES[node]

        return reply


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> _Servers:
    """Every model is a script; probing a backbone does not count as a call."""
    made = _Servers()
    monkeypatch.setattr("experiments.replays.resolve", made.resolve)
    monkeypatch.setattr("experiments.backbones.table.resolve", made.resolve)
    monkeypatch.setattr("experiments.backbones.table.probe", lambda backbone, timeout_s: None)
    monkeypatch.setattr("experiments.backbones.table.rows_of", _rows)
    return made


def _compare(run: Run, tmp_path: Path, *arguments: str) -> tuple[Any, dict[str, Any]]:
    done = run("compare", *arguments, "--no-track", "--json", "--out", tmp_path / "out")
    return done, json.loads(done.out.splitlines()[0]) if done.out else {}


def _block(table: dict[str, Any], title: str) -> dict[str, dict[str, Any]]:
    return {line["name"]: line["cells"] for block in table["blocks"] if block["title"] == title for line in block["lines"]}


def test_rows_mixes_and_what_cannot_be_asked(run: Run, servers: _Servers, tmp_path: Path) -> None:
    """Each backbone is a row with quality, cost and failures; a missing key is a row that says so; four files are written."""
    mix = "understand=b/two,synthesize=a/one"
    done, table = _compare(run, tmp_path, "--lm", "none", "--lm", "a/one", "--lm", mix, "--lm", "gone/model")
    quality, cost = _block(table, "Quality"), _block(table, "Latency and cost, a request")
    files = {path.suffix: path for path in (tmp_path / "out").iterdir()}

    assert done.code == 0, done.err
    assert list(quality) == ["none", "a/one", mix, "gone/model"]
    assert quality["a/one"]["misidentified"]["value"] == 0.0
    assert quality["gone/model"]["state"] == "not asked: no key is set"
    assert cost["none"]["calls"]["value"] == 0.0
    assert cost["a/one"]["calls"]["value"] > 0 < cost[mix]["calls"]["value"]
    assert cost["a/one"]["usd"] is None
    assert cost["a/one"]["p50"]["n"] == _COUNT
    assert {prompt.node for prompt in servers.engines["b/two"].prompts} == {"understand"}
    assert _block(table, "Against the first, paired")["a/one − none"]["both"] == _COUNT
    assert files.keys() == {".json", ".md", ".html", ".png"}
    assert "not asked: no key is set" in files[".html"].read_text()
    assert "data:image/png;base64," in files[".html"].read_text()
    assert "://" not in files[".html"].read_text().replace("data:image", "")


def test_a_server_that_dies_leaves_partial_results_and_a_typed_failure(run: Run, servers: _Servers, tmp_path: Path) -> None:
    """What was answered is a row, the command fails with the reason; when the server is back only the rest is asked."""
    servers.fails["a/one"] = lambda number: lm15.TransportError("refused") if number >= 3 else None
    done, table = _compare(run, tmp_path, "--lm", "none", "--lm", "a/one")
    state = _block(table, "Quality")["a/one"]["state"]
    answered = int(state.split(" of ")[0].split()[-1])
    servers.fails.clear()
    again, whole = _compare(run, tmp_path, "--lm", "none", "--lm", "a/one")

    assert done.code == 1
    assert "no connection" in done.err
    assert state.startswith("lm_unavailable after ")
    assert 0 < answered < _COUNT
    assert _block(table, "Failures by kind (answers)")["a/one"]["infrastructure: lm_unavailable"] == SYSTEMIC
    assert _block(table, "Against the first, paired")["a/one − none"]["both"] == answered
    assert again.code == 0
    assert _block(whole, "Quality")["a/one"]["state"] == "answered"


def test_one_request_without_an_answer_is_told(run: Run, servers: _Servers, tmp_path: Path) -> None:
    """A short outage costs its requests only, which are left out of the scores; the command does not end as if all were well."""
    servers.fails["a/one"] = lambda number: lm15.TransportError("refused") if number == 2 else None
    done, table = _compare(run, tmp_path, "--lm", "a/one")
    quality = _block(table, "Quality")["a/one"]

    assert done.code == 1
    assert quality["state"].startswith(f"lm_unavailable after {_COUNT - 1} of {_COUNT}: 1 in all got no answer")
    assert quality["objective"]["n"] == _COUNT - 1


def test_a_limit_on_the_rate_of_calls_is_waited_for(
    run: Run, servers: _Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's own time counts; the waiting is told, and such answers are left out of the latency."""
    waits: list[float] = []
    monkeypatch.setattr("experiments.lm_cache.Patience", lambda: Patience(sleep=waits.append))
    limited = lm15.RateLimitError("slow down", retry_after=3.0)
    servers.fails["a/one"] = lambda number: limited if number in (1, 2) else None
    done, table = _compare(run, tmp_path, "--lm", "a/one")
    cost = _block(table, "Latency and cost, a request")["a/one"]

    assert (done.code, waits) == (0, [3.0, 3.0])
    assert cost["waited"] == 6.0
    assert 0 < cost["p50"]["n"] < _COUNT


def test_requests_at_the_same_time_give_the_same_rows(run: Run, servers: _Servers, tmp_path: Path) -> None:
    """Four at a time answer what one at a time answers, in several threads."""
    _, one = _compare(run, tmp_path, "--lm", "a/one", "--fresh")
    servers.threads.clear()
    done, four = _compare(run, tmp_path, "--lm", "a/one", "--fresh", "--concurrency", "a/one=4")

    assert done.code == 0
    assert len(servers.threads) > 1
    assert _block(four, "Quality") == _block(one, "Quality")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--lm", "a/one", "--lm", "a/one"), "named twice"),
        (("--lm", "execute=a/one"), "cannot read 'execute=a/one'"),
        (("--lm", "plan=a/one,plan=b/two"), "two backbones for plan"),
        (("--lm", "a/one", "--concurrency", "b/two=2"), "cannot read --concurrency b/two=2"),
        (("--lm", "none", "--split", "train", "--keep", "x.json"), "whole dev split"),
    ],
)
def test_bad_usage(run: Run, servers: _Servers, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    """One line, exit code 2, nothing written."""
    done, _ = _compare(run, tmp_path, *arguments)

    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "out").exists()


def test_names_of_mixes() -> None:
    """What `--lm` reads is what the label says; one bare name serves the other nodes."""
    mixed = with_lm(Settings(), "a/one,plan=b/two")

    assert (mixed.lm.of("plan"), mixed.lm.of("reflect"), mixed.lm.label) == ("b/two", "a/one", "a/one,plan=b/two")
    assert with_lm(mixed, "plan=none,c/three").lm.label == "c/three,plan=none"
    assert with_lm(Settings(), "understand=a/one").lm.label == "understand=a/one"
    assert with_lm(mixed, mixed.lm.label).lm == mixed.lm


def test_failures_are_counted_by_answer() -> None:
    """The same failure twice in one answer is one; a crash is named by its kind."""
    fault = {"kind": "model_output", "code": "schema", "message": "x"}
    twice = record(fallbacks=({"node": "plan", **fault}, {"node": "reflect", **fault}))

    assert failures([twice, record(error="KeyError: 'a'")]) == {"model_output: schema": 1, "crashed: KeyError": 1}
