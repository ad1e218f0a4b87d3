from __future__ import annotations

from typing import Any

import dspy
import pytest

from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.nodes.choice_checks import ChoiceChecks
from program.nodes.offers import Offers, offered
from program.settings import Settings
from tests.sessions import resources


def _failed(index: EmbeddedIndex, text: str, margin: float = 0.12, **ids: tuple[str, ...] | str) -> list[str]:
    """The names of the checks that a choice fails, its options given by id."""
    known = understand_by_code(text, index, Settings())
    options = offered(known, resources(index))
    given: dict[str, Any] = {"reading": "r0", "add": (), "drop": (), "unsure": (), "name": "", **ids}
    for field in ("add", "drop", "unsure"):
        given[field] = [_number(options, identity) for identity in given[field]]
    prediction = dspy.Prediction(**given)
    return [check.name for check in ChoiceChecks(known, options, text, margin).all() if check.test(prediction)]


def _number(options: Offers, identity: str) -> str:
    for name, offer in options.items():
        if identity in (getattr(offer.item, "entity_id", None), *getattr(offer.item, "values", ())):
            return name
    raise AssertionError(f"{identity} is not offered")


@pytest.mark.parametrize(
    "text", ["Hello", "sad songs by Adele", "rock without Queen", "songs like Radiohead but not Radiohead", "", "asdf qwer"]
)
def test_code_s_own_reading_passes(tiny_index: EmbeddedIndex, text: str) -> None:
    """The first reading, taken as it is, fails no check."""
    assert _failed(tiny_index, text) == []


@pytest.mark.parametrize(
    ("text", "choice", "failed"),
    [
        ("rock without Queen", {"drop": ("queen",)}, ["polarity_kept"]),
        ("rock without Queen", {"add": ("queen",), "drop": ("queen",)}, ["polarity_kept"]),
        ("Adele", {"drop": ("adele",)}, ["covers_request"]),
        ("sad songs by Adele and rain on asphalt", {"drop": ("sad",)}, ["covers_request"]),
        ("sad songs by Adele", {"drop": ("sad",)}, []),
        ("Kaleidoscope", {"add": ("siouxsie/kaleidoscope",)}, ["options_disjoint"]),
        ("Kaleidoscope", {"add": ("siouxsie/kaleidoscope",), "drop": ("kaleidoscope",)}, []),
        ("sad songs", {"name": "Adele"}, ["name_in_request"]),
        ("sad songs", {"name": "sad"}, []),
        ("Hello", {"unsure": ("adele--hello", "lionel-richie--hello")}, []),
        ("Hello", {"unsure": ("adele--hello",)}, ["unsure_of_namesakes"]),
        ("Adele and Muse", {"unsure": ("adele", "muse")}, ["unsure_of_namesakes"]),
        ("Kaleidoscope", {"unsure": ("kaleidoscope", "siouxsie/kaleidoscope"), "margin": 0.0}, ["unsure_of_namesakes"]),
        ("Kaleidoscope", {"unsure": ("kaleidoscope", "siouxsie/kaleidoscope"), "margin": 1.0}, []),
    ],
)
def test_each_check(tiny_index: EmbeddedIndex, text: str, choice: dict[str, Any], failed: list[str]) -> None:
    """Each check rejects what it names and lets its look-alikes pass."""
    assert _failed(tiny_index, text, **choice) == failed
