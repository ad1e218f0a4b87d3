"""A hosted backbone behind the remembering engine, over a loopback server that speaks the OpenAI protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import dspy
import pytest

from data.contracts import AssertionOutcome
from experiments.lm_cache import AnswerStore, Tally
from experiments.replays import replayed
from program.lm.adapter import CompactAdapter
from program.lm.ask import Call, ask
from program.lm.meter import Meter

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


class _Choice(dspy.Signature):
    """Choose."""

    request: str = dspy.InputField()
    number: Literal["a", "b"] = dspy.OutputField()


class _Server(ThreadingHTTPServer):
    """Answers `b` and keeps the bodies that came."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        message = {"role": "assistant", "content": '{"number": "b"}'}
        usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
        reply = {"id": "r", "object": "chat.completion", "created": 0, "model": "m", "usage": usage,
                 "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}  # fmt: skip
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    """A running server, which the provider ollama_chat is pointed to."""
    made = _Server()
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OLLAMA_API_BASE", f"http://127.0.0.1:{made.server_address[1]}")
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def _asked(temperature: float, replay: int, store: AnswerStore, tally: Tally) -> tuple[str, Meter, tuple[AssertionOutcome, ...]]:
    backbone = replayed(replay, temperature, store, tally)("ollama_chat/tiny")
    meter = Meter()
    call = Call(node="plan", lm=backbone.lm, adapter=CompactAdapter(), meter=meter, max_tokens=20)
    answer = ask(dspy.Predict(_Choice), {"request": "which?"}, call)
    assert answer.prediction is not None, answer.fault
    return str(answer.prediction.number), meter, answer.outcomes


def test_schema_temperature_and_tokens_reach_the_server(server: _Server, tmp_path: Path) -> None:
    """The wrapped model is asked as the plain one would be, at the replay's temperature, and its tokens are metered."""
    store, tally = AnswerStore(tmp_path / "a.sqlite"), Tally()
    number, meter, _ = _asked(0.3, 0, store, tally)
    (body,) = server.bodies
    store.close()

    assert number == "b"
    assert (body["temperature"], body["max_tokens"]) == (0.3, 20)
    assert body["response_format"]["type"] == "json_schema"
    assert (meter.total().prompt_tokens, meter.total().completion_tokens, tally.calls) == (11, 5, 1)


def test_replays_ask_anew_and_repeats_do_not(server: _Server, tmp_path: Path) -> None:
    """The same replay is remembered, tokens and all; the next one asks the server."""
    store, tally = AnswerStore(tmp_path / "a.sqlite"), Tally()
    _asked(0.3, 0, store, tally)
    _, meter, _ = _asked(0.3, 0, store, tally)
    _asked(0.3, 1, store, tally)
    store.close()

    assert len(server.bodies) == 2
    assert (tally.calls, tally.remembered, meter.total().prompt_tokens) == (2, 1, 11)
