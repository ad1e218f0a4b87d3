"""A teacher within its limits: what is remembered, told and refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.errors import InputError, LMUnavailableError
from experiments.optimizing.material import Unlabelled
from experiments.optimizing.teaching import Lessons, answers_file, check_teacher, source_of, teach
from optimizers.limits import Limits
from program.lm.backbones import Backbone
from tests.scripted import ScriptedLM, dead_lm
from tests.sessions import NAME, scripted

_TEXTS = ("sad songs", "Hello by Adele", "something for rain")


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lessons:
    """Three requests, one of a train row, in a home of its own."""
    monkeypatch.setenv("MELO_HOME", str(tmp_path / "home"))
    return Lessons(NAME, Unlabelled(_TEXTS, 1, barred=2), 4, Limits(calls=10))


def marked(prompt: str) -> dict[str, Any]:
    """Names Adele and someone else where the request names Adele, and someone else for rain."""
    last, nobody = prompt.rsplit("request: ", 1)[1], {"words": "Nobody Here", "kind": "artist"}
    if last == "Hello by Adele":
        return {"names": [nobody, {"words": "Adele", "kind": "artist"}]}
    return {"names": [nobody] if "rain" in last else []}


def _teacher() -> tuple[Callable[[str], Backbone], ScriptedLM]:
    lm, engine = scripted([("understand", marked)])
    return lambda name: Backbone(name, lm, schema=True, embedded=False), engine


def _log(kept: dict[str, float]) -> Callable[[Mapping[str, float]], None]:
    return lambda figures: kept.update(figures)


def test_what_a_teacher_gave_is_told(lessons: Lessons) -> None:
    """In the result, in the run's figures and for a person."""
    resolver, engine = _teacher()
    figures: dict[str, float] = {}
    examples, found = teach(lessons, resolver, _log(figures))

    assert [(one.text, one.answer) for one in examples] == [("sad songs", "none"), ("Hello by Adele", "artist: adele")]
    assert (found.asked, found.labelled, found.names, found.dropped, found.doubtful) == (3, 2, 1, 2, 1)
    assert (found.barred, found.rejected) == (2, 4)
    assert found.spent["calls"] == len(engine.prompts) == 3
    assert {name: figures[f"teacher.{name}"] for name in ("calls", "usd", "labelled", "dropped", "barred")} == {
        "calls": 3, "usd": 0, "labelled": 2, "dropped": 2, "barred": 2,
    }  # fmt: skip
    assert figures["teacher.prompt_tokens"] > figures["teacher.completion_tokens"] > 0
    text = "\n".join(found.lines())
    assert f"{NAME} marked 1 names in 2 of 3 requests; all requests were asked; 3 calls, 0 of them remembered" in text
    assert "2 names that are no words of the request, 1 requests with no other names, 2 requests that are dev or" in text
    assert "4 rows of the file" in text


def test_a_call_that_was_broken_off_goes_on(lessons: Lessons) -> None:
    """What was answered is not asked again: within the same limit nothing, within a higher one the rest."""
    first, first_engine = _teacher()
    examples, found = teach(replace(lessons, limits=Limits(calls=2)), first, _log({}))
    same, same_engine = _teacher()
    again, _ = teach(replace(lessons, limits=Limits(calls=2)), same, _log({}))
    more, more_engine = _teacher()
    whole, told = teach(lessons, more, _log({}))

    assert (found.ended, found.labelled, len(first_engine.prompts)) == ("its 2 calls are spent", 2, 2)
    assert (again, same_engine.prompts) == (examples, [])
    assert (whole[:2], [prompt.last for prompt in more_engine.prompts]) == (examples, [f"request: {_TEXTS[2]}"])
    assert (told.spent["calls"], told.spent["remembered"]) == (3, 2)


def test_another_file_asks_only_what_is_new(lessons: Lessons) -> None:
    """Answers are a teacher's, not a file's."""
    teach(lessons, _teacher()[0], _log({}))
    resolver, engine = _teacher()
    teach(replace(lessons, wanted=Unlabelled((*_TEXTS, "one more"), 0, 0)), resolver, _log({}))
    other, other_engine = _teacher()
    teach(replace(lessons, teacher="openai/another"), other, _log({}))

    assert [prompt.last for prompt in engine.prompts] == ["request: one more"]
    assert len(other_engine.prompts) == len(_TEXTS)


def test_fresh_asks_again(lessons: Lessons) -> None:
    """And only then; another teacher's answers stay."""
    other = replace(lessons, teacher="openai/another")
    for one in (lessons, other):
        teach(one, _teacher()[0], _log({}))
    resolver, engine = _teacher()
    teach(replace(lessons, fresh=True), resolver, _log({}))
    kept, kept_engine = _teacher()
    teach(other, kept, _log({}))

    assert (len(engine.prompts), kept_engine.prompts) == (len(_TEXTS), [])


def test_an_outage_is_told_and_keeps_what_was_answered(lessons: Lessons) -> None:
    """A typed error, with what was spent in the run's figures."""
    teach(replace(lessons, limits=Limits(calls=1)), _teacher()[0], _log({}))
    kept = answers_file(NAME).read_bytes()
    figures: dict[str, float] = {}
    wanted, dead = Unlabelled((*_TEXTS, "four", "five"), 1, 0), dead_lm("scripted/script")

    with pytest.raises(LMUnavailableError):
        teach(replace(lessons, wanted=wanted), lambda name: Backbone(name, dead, schema=True, embedded=False), _log(figures))
    assert answers_file(NAME).read_bytes() == kept
    assert (figures["teacher.calls"], figures["teacher.remembered"]) == (4, 1)
    assert "teacher.labelled" not in figures


@pytest.mark.parametrize(
    ("given", "own"),
    [
        (Limits(), Limits(calls=500)),
        (Limits(calls=3, usd=0.5), Limits(calls=3, usd=0.5)),
        (Limits(seconds=60), Limits(seconds=30)),
    ],
    ids=["none", "calls and money", "half the time"],
)
def test_its_limits(lessons: Lessons, given: Limits, own: Limits) -> None:
    """Without any it has some all the same, and it leaves time for the training."""
    assert replace(lessons, limits=given).own_limits == own


@pytest.mark.parametrize("name", ["none", "openai/http://host/v1", "a teacher", ""])
def test_what_cannot_teach_is_refused(name: str) -> None:
    """No model, and no name that a bundle may not hold: before anything is asked."""
    with pytest.raises(InputError):
        check_teacher(name)
    check_teacher("openai/gpt-4o-mini")
    check_teacher("embedded/gemma3-270m")


def test_the_source_says_what_it_is(lessons: Lessons) -> None:
    """A model's output, over which requests."""
    _, found = teach(lessons, _teacher()[0], _log({}))
    source = source_of(found, lessons.wanted)

    assert (source.name, source.licence) == (NAME, "output of a model; see its terms")
    assert source.split == "train rows, a file of requests"
    assert source_of(found, Unlabelled(("one",), 1, 0)).split == "train rows"
