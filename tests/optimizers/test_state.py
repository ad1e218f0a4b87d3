"""A program's state: what is kept, what is refused, and that nothing else of a program is touched."""

from __future__ import annotations

from pathlib import Path

import dspy
import orjson
import pytest

from data.errors import InputError
from optimizers.state import diff, read_state, write_state
from program.bundle.state import NodeText, apply_state, state_of
from program.graph import Melo
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from signatures.plan import PlanRoutes

_DEMO: dict[str, str | list[str]] = {
    "intent": "discover; mood Calm",
    "tools": "t0: exact search",
    "hint": "none",
    "routes": ["t0"],
}


def _program(index: EmbeddedIndex) -> Melo:
    return Melo(index, Settings())


def test_state_comes_back(tiny_index: EmbeddedIndex, tmp_path: Path) -> None:
    """Written, read and set on a new program, it is the same, by name."""
    program = _program(tiny_index)
    apply_state(program, {"plan": NodeText(instructions="Choose well.", demos=(_DEMO,))})
    write_state(tmp_path, state_of(program))
    other = _program(tiny_index)
    apply_state(other, read_state(tmp_path))

    assert state_of(other) == state_of(program)
    assert other.plan.plan.signature.instructions == "Choose well."
    assert other.plan.plan.demos == [_DEMO]
    assert set(orjson.loads((tmp_path / "program.json").read_bytes())) == {"understand", "plan", "reflect", "synthesize"}


def test_shared_signatures_are_left_alone(tiny_index: EmbeddedIndex) -> None:
    """Setting one program changes neither the signature class nor another program."""
    before, other = PlanRoutes.instructions, _program(tiny_index)
    apply_state(_program(tiny_index), {"plan": NodeText(instructions="Something else.")})

    assert PlanRoutes.instructions == before
    assert other.plan.plan.signature.instructions == before


def test_demos_hold_fields_only(tiny_index: EmbeddedIndex) -> None:
    """What DSPy adds to a demo is not kept."""
    program = _program(tiny_index)
    program.plan.plan.demos = [dspy.Example(augmented=True, rationale="because", **_DEMO)]

    assert state_of(program)["plan"].demos == (_DEMO,)


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        '{"plan": {"instructions": "x", "callbacks": []}}',
        '{"plan": {"instructions": "x", "demos": [{"routes": 3}]}}',
        '{"planner": {"instructions": "x"}}',
        '{"plan": {"demos": []}}',
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    """A file with anything but instructions and demos by node is refused with a reason."""
    (tmp_path / "program.json").write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=r"program\.json"):
        read_state(tmp_path)


def test_strange_fields_are_refused(tiny_index: EmbeddedIndex) -> None:
    """A demo for another signature is refused."""
    with pytest.raises(InputError, match="api_base"):
        apply_state(_program(tiny_index), {"plan": NodeText(instructions="x", demos=({"api_base": "y"},))})


def test_diff_shows_what_changed() -> None:
    """Lines of the instructions, and demos."""
    text = diff(NodeText(instructions="One.\nTwo."), NodeText(instructions="One.\nThree.", demos=(_DEMO,)))

    assert "-Two." in text and "+Three." in text and "+demo 0" in text
    assert diff(NodeText(instructions="One."), NodeText(instructions="One.")) == ""
