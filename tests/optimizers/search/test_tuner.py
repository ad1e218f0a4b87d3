"""Whole runs over the tiny catalog with scripted models: every recipe finds what there is to find, within its budget."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.errors import InputError, LMUnavailableError
from optimizers.limits import Limits
from optimizers.recipes import RECIPES, recipe_of
from optimizers.search.book import AnswerBook
from optimizers.search.purse import Purse, pursed
from optimizers.search.tuner import Models, NodeRun, Plan, Tuner
from program.index.engine import EmbeddedIndex
from program.lm.backbones import Backbone
from program.settings import Settings
from tests.optimizers.search.rows import GOOD, IMPROVED, asks_for_instructions, asks_for_rule, thin_rows, writes
from tests.scripted import dead_lm
from tests.sessions import scripted

_RULES: list[Any] = [(asks_for_instructions, IMPROVED), (asks_for_rule, IMPROVED), ("synthesize", writes())]


def _tuner(
    index: EmbeddedIndex, recipe: str, lm: dspy.LM, calls: int, *, teacher: dspy.LM | None = None, book: AnswerBook | None = None,
    patience: int = 20,
) -> tuple[Tuner, Purse, list[NodeRun]]:  # fmt: skip
    purse, kept = Purse(Limits(calls=calls)), book or AnswerBook(None)

    def around(name: str, inner: dspy.LM) -> Backbone:
        return pursed(Backbone(name, inner, schema=True, embedded=False), "here", purse, kept)

    student = around("scripted/student", lm)
    models = Models(student, student, around("scripted/teacher", teacher) if teacher is not None else None)
    done: list[NodeRun] = []
    plan = Plan(recipe_of(recipe), ("synthesize",), thin_rows(4), thin_rows(3, 4), Settings(), patience=patience)
    return Tuner(plan, index, models, purse, finished=done.append), purse, done


def _varying() -> Any:
    """A writer that is good at every other draw even when nobody shows it how."""
    turns = itertools.count()
    return writes(lambda prompt: "assistant:" in prompt or IMPROVED in prompt or next(turns) % 2 == 1)


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_recipes_find_better_text(tiny_index: EmbeddedIndex, recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each ends with text under which the writer is right about every dev case, and prints nothing to stdout."""
    rules = [*_RULES[:2], ("synthesize", _varying())] if recipe == "simba" else _RULES
    lm, _ = scripted(rules)
    teacher, _ = scripted([("synthesize", GOOD)])
    tuner, purse, _ = _tuner(tiny_index, recipe, lm, 80, teacher=teacher if recipe in ("bootstrap", "mipro") else None)
    run = tuner.run()[0]

    assert run.start is not None and run.best is not None
    start, best = run.start.mean(run.board.dev), run.best.mean(run.board.dev)
    assert start is not None and best is not None and best > start
    assert run.best.state != run.start.state
    assert purse.calls <= 80
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_budget_is_hard(tiny_index: EmbeddedIndex, recipe: str) -> None:
    """Not one call more than was allowed, and the baseline is known all the same."""
    lm, engine = scripted(_RULES)
    tuner, purse, _ = _tuner(tiny_index, recipe, lm, 14)
    run = tuner.run()[0]

    assert purse.calls == len(engine.prompts) <= 14
    assert run.start is not None and run.start.mean(run.board.dev) is not None


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_outage_is_no_success(tiny_index: EmbeddedIndex, recipe: str) -> None:
    """A dead model ends every recipe with a typed error after a few calls."""
    lm = dead_lm()
    tuner, _, done = _tuner(tiny_index, recipe, lm, 100)

    with pytest.raises(LMUnavailableError, match="in a row"):
        tuner.run()
    assert lm.engine.calls == 3
    assert done[0].best is None


def test_goes_on_where_it_stopped(tiny_index: EmbeddedIndex, tmp_path: Path) -> None:
    """What was answered before is played back: the run ends as one that was never stopped, and asks only the rest."""
    path = tmp_path / "book.jsonl"
    first, asked_first = scripted(_RULES)
    _tuner(tiny_index, "gepa", first, 12, book=AnswerBook(path))[0].run()
    whole, asked_whole = scripted(_RULES)
    expected = _tuner(tiny_index, "gepa", whole, 60)[0].run()[0]
    again, asked_again = scripted(_RULES)
    tuner, purse, _ = _tuner(tiny_index, "gepa", again, 60, book=AnswerBook(path))
    found = tuner.run()[0]

    assert found.best is not None and expected.best is not None
    assert found.best.state == expected.best.state
    assert purse.remembered > 0
    assert len(asked_again.prompts) < len(asked_whole.prompts)
    assert purse.calls == purse.remembered + len(asked_again.prompts)
    assert asked_first.prompts


def test_ends_without_progress(tiny_index: EmbeddedIndex) -> None:
    """A model that no text changes is given up after as many proposals as patience allows."""
    lm, engine = scripted([("synthesize", writes(lambda prompt: False))])
    run = _tuner(tiny_index, "labelled", lm, 1_000, patience=3)[0].run()[0]

    assert "no better" in run.ended
    assert not run.improved and run.best is run.start
    assert len(run.board.proposals) == 4
    assert len(engine.prompts) < 60


def test_ends_when_all_is_right(tiny_index: EmbeddedIndex) -> None:
    """Nothing is spent on dev cases that are all right."""
    lm, _ = scripted(_RULES)
    run = _tuner(tiny_index, "labelled", lm, 1_000)[0].run()[0]

    assert run.best is not None and run.best.number == 1
    assert "nothing is left to gain" in run.ended


def test_no_cases(tiny_index: EmbeddedIndex) -> None:
    """Rows that no model is asked about are named as the reason."""
    lm, _ = scripted(_RULES)
    plan = Plan(recipe_of("labelled"), ("understand",), thin_rows(1), thin_rows(1), Settings())
    backbone = Backbone("scripted/student", lm, schema=True, embedded=False)

    with pytest.raises(InputError, match="no language model is asked"):
        Tuner(plan, tiny_index, Models(backbone, backbone), Purse(Limits(calls=5))).run()


def test_unknown_recipe() -> None:
    """Named in one line, with those that there are."""
    with pytest.raises(InputError, match="no recipe is called magic"):
        recipe_of("magic")
