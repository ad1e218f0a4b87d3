"""`melo optimize` from its options to its files: what it writes, keeps in MLflow, plays back, and refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from data.errors import InputError, LMUnavailableError
from experiments.optimizing import session
from experiments.optimizing.report import Optimized, report_lines
from experiments.optimizing.session import Asked, optimize
from experiments.tracking import user_data
from optimizers.limits import Limits
from optimizers.state import read_state
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from tests.experiments.conftest import Run
from tests.optimizers.search.rows import IMPROVED, asks_for_instructions, thin_rows, writes
from tests.scripted import ScriptedLM, dead_lm
from tests.sessions import scripted
from tests.tiny import TinyEmbedder

_SECRET = "sk-planted-in-the-environment"


@pytest.fixture
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    opened = EmbeddedIndex(tiny_catalog, embedder=TinyEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def asked(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """A small run of `gepa` over hand-made rows, in a home of its own, with a key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", _SECRET)
    monkeypatch.setattr(session, "rows_of", lambda name, split: thin_rows(6) if split == "train" else thin_rows(4, 6))
    return Asked("gepa", "openai/scripted", tmp_path / "out", nodes=("synthesize",), limits=Limits(calls=60))


def _resolver() -> tuple[Callable[[str], Backbone], ScriptedLM]:
    rules: list[Any] = [(asks_for_instructions, IMPROVED), ("synthesize", writes())]
    lm, engine = scripted(rules)
    return lambda name: Backbone(name, lm, schema=True, embedded=False), engine


def test_a_run_and_the_same_again(asked: Asked, index: EmbeddedIndex) -> None:
    """State and scores are written, every proposal is a child run, no key is anywhere, the second run asks nothing."""
    resolver, engine = _resolver()
    found = optimize(asked, index, resolver=resolver)
    again_resolver, again_engine = _resolver()
    again = optimize(replace(asked, force=True), index, resolver=again_resolver)

    node = found.nodes[0]
    assert node.start is not None and node.best is not None and node.gain is not None
    assert (node.improved, node.best["value"]) == (True, 1.0)
    assert read_state(asked.out)["synthesize"].instructions == IMPROVED
    assert Optimized.model_validate_json((asked.out / "scores.json").read_bytes()).nodes == again.nodes
    assert found.spent["calls"] == len(engine.prompts) <= 60
    assert (again_engine.prompts, again.resumed, again.nodes) == ([], found.spent["calls"], found.nodes)
    assert any("Better on dev: synthesize" in line for line in report_lines(found))
    _kept_whole(found)


def _kept_whole(found: Optimized) -> None:
    """MLflow holds the proposals once, with instructions, demos, difference and scores."""
    home = user_data()
    names = [path.name for path in (home / "mlflow" / "artifacts").rglob("*") if path.is_file()]
    assert names.count("scores.json") == found.nodes[0].proposals + 1  # and the run's own
    assert names.count("change.diff") == found.nodes[0].proposals + 1
    assert {"instructions.txt", "demos.json", "program.json"} <= set(names)
    texts = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert not any(_SECRET.encode() in text for text in texts)


def test_an_outage_writes_nothing(asked: Asked, index: EmbeddedIndex) -> None:
    """The run fails with a typed error, its record says why, and there is no state that looks like a result."""
    dead = dead_lm()

    with pytest.raises(LMUnavailableError):
        optimize(asked, index, resolver=lambda name: Backbone(name, dead, schema=True, embedded=False))
    failures = [path.read_text() for path in (user_data() / "mlflow").rglob("failure.txt")]
    assert not (asked.out / "program.json").exists()
    assert failures and "lm_unavailable" in failures[0]


def test_bad_usage(asked: Asked, index: EmbeddedIndex) -> None:
    """Unknown recipes and nodes, a run without a limit, a state that is there: each is one line, before anything is asked."""
    resolver, engine = _resolver()
    asked.out.mkdir()
    for bad, words in (
        (replace(asked, recipe="magic"), "no recipe"),
        (replace(asked, nodes=("execute",)), "no node"),
        (replace(asked, limits=Limits()), "needs a limit"),
        (replace(asked, lm="none"), "language model"),
    ):
        with pytest.raises(InputError, match=words):
            optimize(bad, index, resolver=resolver if bad.lm != "none" else lambda name: Backbone(name, None, False, False))
    (asked.out / "program.json").write_bytes(orjson.dumps({}))
    with pytest.raises(InputError, match="is there already"):
        optimize(asked, index, resolver=resolver)

    assert engine.prompts == []


def test_the_command_says_what_is_wrong(run: Run) -> None:
    """An unknown recipe exits with 2 and the names that there are."""
    done = run("optimize", "magic", "--lm", "none")

    assert done.code == 2
    assert "labelled, bootstrap, mipro, gepa, simba" in done.err
