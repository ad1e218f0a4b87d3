"""CPCD with likes: only earlier turns are known, and the comparison is paired."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments.external.cpcd import dialogues
from experiments.external.cpcd_likes import judgements, listener_before
from program.index.engine import EmbeddedIndex
from tests.experiments.conftest import Run
from tests.experiments.external.conftest import SHARED
from tests.tiny import build_tiny, open_tiny

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def _write(data: Path, *talks: list[tuple[str, list[str], list[str]]]) -> None:
    lines = [
        {"id": f"d{number}", "turns": [{"user_query": q, "liked_results": up, "disliked_results": down} for q, up, down in talk]}
        for number, talk in enumerate(talks)
    ]
    (data / "cpcd" / "dialogs.train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    build_tiny(tmp_path / "index")
    index = open_tiny(tmp_path / "index")
    yield index
    index.close()


def test_a_turn_never_knows_its_own_likes(data: Path, tiny: EmbeddedIndex) -> None:
    """What a turn and later turns liked is not given to it; what earlier turns said is."""
    _write(data, [("a", ["toto--africa"], []), ("b", ["adele--hello"], ["the-cure--aforest"]), ("c", ["wire--outdoorminer"], [])])
    events = judgements(data, "train")[0]
    known = [listener_before(turn, events, tiny) for turn in range(3)]

    assert [[one.track_id for one in who.likes] for who in known] == [[], ["toto--africa"], ["adele--hello", "toto--africa"]]
    assert [sorted(who.dislikes) for who in known] == [[], [], ["the-cure--aforest"]]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the external data sets are not beside this checkout")
def test_no_target_is_known_before_its_turn() -> None:
    """In all real dialogues: no track that a turn is scored on is among the likes of the turns before it."""
    judged, turns = judgements(SHARED, "train"), 0
    for dialogue in dialogues(SHARED, "train"):
        for turn in dialogue.turns:
            before = {event.track_id for event in judged[dialogue.index] if event.turn < turn.index and event.kind == "like"}
            turns += 1
            assert before.isdisjoint(turn.liked)

    assert turns == 1652


def test_evaluate_with_likes(run: Run, data: Path, tmp_path: Path) -> None:
    """Three systems on the same turns, the differences paired; another set knows no likes."""
    _write(data, [("songs by Toto", ["t1"], [])], [("play Glass Tide by Zorn Hollow", ["t2"], []), ("harbour", ["t1"], ["t3"])])
    done = run("evaluate", "cpcd", "--likes", "--data", data, "--json", "--out", tmp_path / "out")
    found: dict[str, Any] = json.loads(done.out)
    other = run("evaluate", "snips", "--likes", "--data", data)

    assert done.code == 0
    assert (found["set"], found["requests"], found["unit"]) == ("cpcd with likes", 3, "dialogues")
    assert set(found["baselines"]) == set(found["differences"]) == {"without_likes", "judged_left_out"}
    assert len((tmp_path / "out" / "predictions.jsonl").read_text().splitlines()) == 3
    assert (other.code, "knows no likes" in other.err) == (2, True)
