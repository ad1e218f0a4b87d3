"""Keys in the environment, in headers and in settings reach a model, and nothing that is written."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.labelled import LabelledRow
from program.bundle.files import Bundle, save_bundle
from program.bundle.state import NodeText, ProgramState
from program.lm.backbones import Backbone
from program.settings import LMSettings, Settings
from tests.experiments.conftest import Run
from tests.labelled import named, row

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.timeout(400),
]
_IN_ENVIRONMENT, _IN_HEADER, _IN_SETTINGS = "planted-env-77c1e2", "planted-header-91b0d4", "planted-settings-5f3a8b"
_PLANTED = (_IN_ENVIRONMENT, _IN_HEADER, _IN_SETTINGS)


def _rows(*_: object) -> tuple[LabelledRow, ...]:
    words = ("qqzx", "vvzx")
    return tuple(
        row(f"africa by toto {word}", qid=f"entity-00{number}", entities=[named("africa", "track", "toto--africa")])
        for number, word in enumerate(words)
    )


@dataclass
class _Server:
    """A server that keeps the headers it was sent, and whose failures repeat them, as servers do."""

    address: str = ""
    seen: list[dict[str, str]] = field(default_factory=list)

    def answer(self, headers: dict[str, str], body: str) -> tuple[int, dict[str, Any]]:
        """The first request gets a reply, the second a refusal."""
        self.seen.append(headers)
        if "vvzx" in body:
            return 401, {"error": {"message": f"refused: {headers} at {self.address}", "type": "auth", "code": "401"}}
        reply = json.dumps({"reading": "r0", "add": [], "drop": [], "unsure": [], "name": ""})
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        return 200, {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    """A model that is reached with a key from the environment and a header of its own."""
    made = _Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            status, data = made.answer({name.lower(): value for name, value in self.headers.items()}, body)
            content = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    def resolve(name: str) -> Backbone:
        lm = dspy.LM(
            name, api_base=f"http://{made.address}/v1", api_key=os.environ["OPENAI_API_KEY"], cache=False, num_retries=0,
            temperature=0.0, max_tokens=100, extra_headers={"X-Planted": _IN_HEADER},
        )  # fmt: skip
        return Backbone(name, lm, schema=False, embedded=False)

    monkeypatch.setenv("OPENAI_API_KEY", _IN_ENVIRONMENT)
    monkeypatch.setattr("experiments.replays.resolve", resolve)
    monkeypatch.setattr("experiments.backbones.table.resolve", resolve)
    monkeypatch.setattr("experiments.backbones.table.probe", lambda backbone, timeout_s: None)
    monkeypatch.setattr("experiments.backbones.table.rows_of", _rows)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        made.address = f"127.0.0.1:{listening.server_port}"
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield made
        listening.shutdown()


def _written(*folders: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
    }


def _found(written: dict[Path, bytes], words: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(path.name, word) for path, content in written.items() for word in words if word.encode() in content]


def test_no_secret_is_in_anything_that_is_written(run: Run, home: Path, tmp_path: Path, server: _Server) -> None:
    """Journal, LM answers, tables, run store, bundle, MLflow model, standard output and error: none holds a planted word."""
    compared = run("compare", "--lm", "openai/planted", "--out", tmp_path / "out")
    settings = Settings(lm=LMSettings(name="openai/planted"))
    state: ProgramState = {"plan": NodeText(instructions="Choose tools.")}
    bundle = Bundle(name="clean", settings=settings, state=state, created="2026-12-01", versions={"mlflow": "3", "dspy": "3"})
    save_bundle(tmp_path / "bundle", bundle)
    exported = run("export", "--bundle", tmp_path / "bundle", "--out", tmp_path / "model", "--mlflow")
    written, words = _written(home, tmp_path), (*_PLANTED, server.address)
    kinds = {path.name.split("-")[0] for path in written}

    assert {headers.get("x-planted") for headers in server.seen} == {_IN_HEADER}, compared.err
    assert all(_IN_ENVIRONMENT in headers["authorization"] for headers in server.seen)
    assert {"labelled", "lm_answers.sqlite", "mlflow.db", "MLmodel", "manifest.json", "program.json"} <= kinds
    assert any(b"the key was refused" in content for content in written.values())
    assert _found(written, words) == []
    assert not [word for word in words for done in (compared, exported) if word in done.out + done.err]
    assert (compared.code, exported.code) == (1, 0)


def test_a_key_in_the_settings_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a setting would carry one, nothing is written and the message does not repeat it."""
    monkeypatch.setenv("PLANTED_TOKEN", _IN_SETTINGS)
    (tmp_path / "s.toml").write_text(f'[lm]\nname = "openai/{_IN_SETTINGS}"\n')
    (tmp_path / "optimized").mkdir()
    (tmp_path / "optimized" / "program.json").write_text('{"plan": {"instructions": "Choose.", "demos": []}}')
    arguments = ("--bundle", tmp_path / "optimized", "--lm", f"openai/{_IN_SETTINGS}", "--settings", tmp_path / "s.toml")
    done = run("export", *arguments, "--out", tmp_path / "bundle")

    assert done.code == 2
    assert "would hold the value of PLANTED_TOKEN" in done.err
    assert _IN_SETTINGS not in done.out + done.err
    assert not (tmp_path / "bundle").exists()
    assert os.environ["PLANTED_TOKEN"] == _IN_SETTINGS
