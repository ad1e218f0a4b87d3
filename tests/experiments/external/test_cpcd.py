"""The dialogues of CPCD, the BM25 baseline, and how retrieval is scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.catalog.schema import Credit, Track
from data.errors import LabelError
from experiments.external.bm25 import BM25
from experiments.external.cpcd import dialogues
from experiments.external.retrieval import judged
from tests.experiments.conftest import Run
from tests.experiments.external.conftest import SHARED

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def _write(data: Path, *talks: list[tuple[str, list[str]]]) -> None:
    lines = [{"turns": [{"user_query": text, "liked_results": liked} for text, liked in talk]} for talk in talks]
    (data / "cpcd" / "dialogs.train.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_only_turns_with_a_liked_track_are_asked(data: Path) -> None:
    """A greeting is no turn to ask, a dialogue of greetings none to count; places are those of the file."""
    _write(data, [("hello", [])], [("hi", []), ("songs by Toto", ["t1"])])

    (found,) = dialogues(data, "train")

    assert (found.index, [(turn.index, turn.text, turn.liked) for turn in found.turns]) == (
        1,
        [(1, "songs by Toto", frozenset({"t1"}))],
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", ":2: not JSON"),
        ("{}", ":2: expected turns"),
        ('{"turns": [{"user_query": "x"}]}', ":2: expected turns"),
        ('{"turns": [{"user_query": 1, "liked_results": []}]}', ":2: expected turns"),
        ('{"turns": [{"user_query": "x", "liked_results": [1]}]}', ":2: expected turns"),
    ],
)
def test_malformed_dialogues(data: Path, line: str, told: str) -> None:
    """The line is named."""
    _write(data, [("songs by Toto", ["t1"])])
    with (data / "cpcd" / "dialogs.train.jsonl").open("a") as file:
        file.write(line + "\n")

    with pytest.raises(LabelError) as caught:
        dialogues(data, "train")
    assert told in caught.value.message


def test_a_dialogue_of_greetings_only(data: Path) -> None:
    """Nothing to ask is told."""
    _write(data, [("hello", [])])

    with pytest.raises(LabelError, match="no turn with a liked track"):
        dialogues(data, "train")


def _track(track_id: str, title: str, artist: str = "Nobody") -> Track:
    return Track(track_id=track_id, title=title, artists=(Credit(artist_id=artist, name=artist),))


def test_bm25_prefers_rare_words_and_short_texts() -> None:
    """A rare word outweighs a common one, of two holders the shorter comes first, and no shared word is no result."""
    common = [_track(f"c{number}", f"blue night {number}") for number in range(20)]
    pool = BM25([*common, _track("long", "zither of a winter"), _track("short", "zither")])

    assert pool.search("Blue Zither!", 4) == ["short", "long", "c0", "c1"]
    assert len(pool.search("blue zither", 100)) == 22
    assert pool.search("unknown words", 10) == []


def test_figures_of_one_turn() -> None:
    """The first liked track stands 11th of 120, the second 101st, a third is not there."""
    found = [f"x{number}" for number in range(120)]

    assert judged(found, frozenset({"x10", "x100", "y"})) == (0.0, 1.0, 1 / 3)
    assert judged([], frozenset({"y"})) == (0.0, 0.0, 0.0)


def test_evaluate_cpcd(run: Run, data: Path, tmp_path: Path) -> None:
    """Both systems over the same turns; intervals over dialogues; files with ids only."""
    _write(data, [("songs by Toto", ["t1"])], [("play Glass Tide by Zorn Hollow", ["t2"]), ("harbour", ["t1", "t3"])])
    done = run("evaluate", "cpcd", "--data", data, "--json", "--out", tmp_path / "out")
    found: dict[str, Any] = json.loads(done.out)
    rows = [json.loads(line) for line in (tmp_path / "out" / "predictions.jsonl").read_text().splitlines()]

    assert done.code == 0
    assert (found["unit"], found["requests"]) == ("dialogues", 3)
    assert {metric["n"] for metric in found["metrics"].values()} == {2}
    assert found["metrics"]["hit_at_10"]["value"] >= 0.6667
    assert found["baselines"]["bm25"]["recall_at_100"]["value"] == pytest.approx((1 + 1 + 0.5) / 3, abs=1e-4)
    assert [(row["index"], row["turn"], row["gold"]) for row in rows] == [(0, 0, ["t1"]), (1, 0, ["t2"]), (1, 1, ["t1", "t3"])]
    assert rows[0]["pred"] == ["t1"]


def test_cpcd_has_one_split(run: Run, data: Path) -> None:
    """Another one is one line and exit code 2."""
    done = run("evaluate", "cpcd", "--data", data, "--split", "test")

    assert (done.code, done.out) == (2, "")
    assert "cpcd has no split test" in done.err


@pytest.mark.skipif(not SHARED.is_dir(), reason="the external data sets are not beside this checkout")
def test_the_real_dialogues() -> None:
    """Of 400 dialogues, 398 have a turn to ask, 1,652 in all."""
    found = dialogues(SHARED, "train")

    assert (len(found), sum(len(dialogue.turns) for dialogue in found)) == (398, 1652)
