"""The fused monolith: its one prompt, and that its answer is what the model said, right or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dspy
import pytest

from data.contracts import Playlist
from optimizers.records import AnswerRecord, record_of
from program.baselines.fused import Fused
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import LMSettings, Settings
from tests.scripted import dead_lm, scripted_lm
from tests.sessions import KeptStore
from tests.tiny import build_tiny, open_tiny


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    """The tiny catalog's index."""
    path = tmp_path_factory.mktemp("fused") / "index"
    build_tiny(path)
    opened = open_tiny(path)
    yield opened
    opened.close()


def _ask(index: EmbeddedIndex, request: str, lm: dspy.LM | None) -> tuple[Playlist, AnswerRecord]:
    store: Any = KeptStore()
    settings = Settings(lm=LMSettings(name="none" if lm is None else "openai/scripted"))
    backbone = Backbone(settings.lm.name, lm, schema=lm is not None, embedded=False)
    prediction = Fused(index, settings, store=store, backbones=lambda name: backbone)(request=request)
    return prediction.playlist, record_of(prediction, store.artifacts, index)


def _reply(*track_ids: str, decision: str = "play", confidence: int = 7) -> dict[str, Any]:
    return {
        "decision": decision, "track_ids": list(track_ids) or ["x"], "title": "Toto", "description": "By Toto.",
        "confidence": confidence,
    }  # fmt: skip


def test_one_call_over_what_was_retrieved(index: EmbeddedIndex) -> None:
    """The only prompt holds the request and retrieved tracks with their ids as the catalog has them; ids are free text."""
    lm = scripted_lm([("plan", [_reply("toto--africa")])])
    _, record = _ask(index, "songs by toto", lm)
    (prompt,) = lm.engine.prompts

    assert "toto--africa | Africa - Toto, 1982" in prompt.last
    assert prompt.schema["properties"]["track_ids"]["items"]["type"] == "string"
    assert record.usage.calls == 1
    assert record.stated is not None
    assert "toto--africa" in record.stated.offered


def test_it_says_what_the_model_said(index: EmbeddedIndex) -> None:
    """An id of the catalog that was not offered is played, an invented one stands in the answer and is on the record."""
    reply = _reply("toto--africa", "adele--hello", "toto--afrika")
    playlist, record = _ask(index, "songs by toto", scripted_lm([("plan", [reply])]))

    assert [track.track_id for track in playlist.tracks] == ["toto--africa", "adele--hello", "toto--afrika"]
    assert [one.track.track_id for one in record.tracks] == ["toto--africa", "adele--hello"]
    assert "toto--afrika" in record.unknown_ids
    assert (record.title, record.description) == ("Toto", "By Toto.")
    assert record.stated is not None
    assert record.stated.track_ids == ("toto--africa", "adele--hello", "toto--afrika")
    assert record.confidences["synthesize"] == 0.7


@pytest.mark.parametrize("decision", ["clarify", "not_found"])
def test_it_decides(index: EmbeddedIndex, decision: str) -> None:
    """What it decides is the answer's status; ids that it writes all the same are not played."""
    playlist, record = _ask(index, "songs by toto", scripted_lm([("plan", [_reply("toto--africa", decision=decision)])]))

    assert (playlist.status, playlist.tracks) == (decision, ())
    assert record.stated is not None
    assert record.stated.decision == decision


@pytest.mark.parametrize("lm", [None, "dead", "garbled"])
def test_without_a_reply_there_is_no_answer(index: EmbeddedIndex, lm: str | None) -> None:
    """No model, a dead one, or one that never parses: nothing is given, and code takes nobody's place."""
    engines = {None: None, "dead": dead_lm(), "garbled": scripted_lm([("plan", "no JSON")])}
    playlist, record = _ask(index, "songs by toto", engines[lm])

    assert (playlist.status, playlist.tracks, record.stated) == ("failed", (), None)
    assert bool(record.outage) == (lm == "dead")


def test_a_confidence_is_out_of_ten(index: EmbeddedIndex) -> None:
    """Eleven is refused once and repaired."""
    lm = scripted_lm([("plan", [_reply("toto--africa", confidence=11), _reply("toto--africa", confidence=10)])])
    _, record = _ask(index, "songs by toto", lm)

    assert record.usage.calls == 2
    assert record.confidences["synthesize"] == 1.0
