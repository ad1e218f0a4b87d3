"""Promotion on a few made-up rows of the tiny catalog with a scripted model: judged once, refused when it may be worse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.labelled import LabelledRow
from experiments.bundles import default_bundle, promoted_folder
from experiments.figures import Drawn
from experiments.promotion.judge import Judged, judge
from experiments.tables.base import Setup
from program.bundle.files import Bundle, save_bundle
from program.bundle.state import NodeText, ProgramState
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import LMSettings, Settings
from tests.experiments.conftest import Run
from tests.labelled import named, row
from tests.scripted import scripted_lm
from tests.tiny import TinyEmbedder

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
_LM = "scripted/script"
_GOOD, _BAD = "Choose the best.", "Choose the worst."


def _rows(*_: object) -> tuple[LabelledRow, ...]:
    wanted = {"rules": [{"grade": 3, "where": [{"field": "track", "values": ["toto--africa"]}]}], "least": 1, "size": 1}
    return tuple(
        row(
            f"africa by toto {word}",
            qid=f"entity-00{number}",
            entities=[named("africa", "track", "toto--africa")],
            quality=wanted,
        )
        for number, word in enumerate(("qqzx", "vvzx", "wwzx", "yyzx"))
    )


def _bundle(instructions: str = "", name: str = "candidate") -> Bundle:
    # The check that refuses such a choice is off, or the bad model could do no harm.
    settings = Settings(lm=LMSettings(name="none", understand=_LM), assertions_off=frozenset({"covers_request"}))
    state: ProgramState = {"understand": NodeText(instructions=instructions)} if instructions else {}
    return Bundle(name=name, settings=settings, state=state, created="2026-12-01", versions={})


def _reply(prompt: str) -> dict[str, Any]:
    """The bad instructions make the model drop the name, whatever its number is."""
    found = re.search(r"\be\d+(?=: )", prompt)
    first = found.group() if found else ""
    return {"reading": "r0", "add": [], "drop": [first] if _BAD in prompt and first else [], "unsure": [], "name": ""}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names that were resolved; the script stands in for every model."""
    found: list[str] = []

    def resolve(name: str) -> Backbone:
        found.append(name)
        lm = None if name == "none" else scripted_lm([("understand", _reply)])
        return Backbone(name, lm, schema=True, embedded=False)

    monkeypatch.setattr("experiments.replays.resolve", resolve)
    return found


@pytest.fixture(scope="module")
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


def _judged(candidate: Bundle, current: Bundle, index: EmbeddedIndex, tmp_path: Path) -> Judged:
    setup = Setup(candidate.settings, drawn=Drawn(seed=3, draws=200), journal=tmp_path / "journal")
    return judge(candidate, current, _rows(), index, setup)


def test_an_equal_program_is_no_worse(index: EmbeddedIndex, tmp_path: Path, asked: list[str]) -> None:
    """The interval of no difference excludes worse; both and the reloaded bundle were asked."""
    found = _judged(_bundle(_GOOD), _bundle(), index, tmp_path)

    assert (found.promoted, found.requests, found.differing) == (True, 4, ())
    assert (found.difference.value, found.difference.lo) == (0.0, 0.0)
    assert found.reason.startswith("no worse than the current program on 4 requests: +0.0 points")
    assert asked.count(_LM) == 3


def test_a_worse_program_is_refused(index: EmbeddedIndex, tmp_path: Path, asked: list[str]) -> None:
    """It drops names that the current program keeps; the reason says by how much."""
    found = _judged(_bundle(_BAD), _bundle(_GOOD), index, tmp_path)

    assert not found.promoted
    assert found.difference.hi is not None
    assert found.difference.hi < 0
    assert found.reason.startswith("it may be worse than the current program: -")
    assert found.figures["misidentified"][0].value == 1.0


def test_a_bundle_that_answers_otherwise_when_read_back_is_refused(
    index: EmbeddedIndex, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that lost the instructions on its way gives other answers, and these are named."""
    from program.bundle import files

    def lossy(folder: Path, bundle: Bundle, **options: Any) -> Path:
        return files.save_bundle(folder, replace(bundle, state={}), **options)

    monkeypatch.setattr("experiments.promotion.judge.save_bundle", lossy)
    found = _judged(_bundle(_BAD), _bundle(_BAD, "current"), index, tmp_path)

    assert not found.promoted
    assert "read back from disk it answers 4 of 4 requests otherwise: entity-000" in found.reason


def test_the_command_judges_once_and_places(run: Run, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is promoted is what the backbone gets from then on; a second call repeats the record and asks nothing."""
    monkeypatch.setattr("experiments.labelled_run.rows_of", _rows)
    monkeypatch.setattr(
        "experiments.commands.promote.open_index", lambda _: EmbeddedIndex(tmp_path / "i", embedder=TinyEmbedder())
    )
    from tests.tiny import build_tiny

    build_tiny(tmp_path / "i")
    folder = save_bundle(tmp_path / "bundle", _bundle(_GOOD))
    rehearsed = run("promote", folder, "--split", "dev")
    before = default_bundle(_bundle().settings.lm.label)
    first = run("promote", folder, "--json")
    asked.clear()
    second = run("promote", folder)
    told = json.loads(first.out)
    record = next((tmp_path / "home" / "promotions").glob("*-test.json"))

    assert (rehearsed.code, before) == (0, None)
    assert "rehearsal" in rehearsed.out
    assert (first.code, told["promoted"], told["split"], told["requests"]) == (0, True, "test", 4)
    assert (second.code, asked) == (0, [])
    assert "is not judged again" in second.err
    assert json.loads(record.read_text())["reason"] == told["reason"]
    placed = default_bundle(_bundle().settings.lm.label)
    assert placed is not None
    assert placed.state == _bundle(_GOOD).state
    assert promoted_folder(_bundle().settings.lm.label).is_dir()


def test_a_refusal_is_recorded_and_nothing_is_placed(
    run: Run, tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1, the reason on stdout and in the record, the current program as before."""
    monkeypatch.setattr("experiments.labelled_run.rows_of", _rows)
    from tests.tiny import build_tiny

    build_tiny(tmp_path / "i")
    monkeypatch.setattr(
        "experiments.commands.promote.open_index", lambda _: EmbeddedIndex(tmp_path / "i", embedder=TinyEmbedder())
    )
    done = run("promote", save_bundle(tmp_path / "bundle", _bundle(_BAD)))

    assert done.code == 1
    assert "refused. it may be worse than the current program" in done.out
    assert len(list((tmp_path / "home" / "promotions").glob("*-test.json"))) == 1
    assert default_bundle(_bundle().settings.lm.label) is None
