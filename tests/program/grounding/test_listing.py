from __future__ import annotations

import pytest

from program.grounding.readings import understand_by_code
from program.index.engine import EmbeddedIndex
from program.settings import Settings


@pytest.mark.parametrize(
    ("request_text", "wanted", "ruled_out"),
    [
        ("no rock, metal or rap, something calm", {"calm"}, {"rock", "metal", "hip-hop"}),
        ("calm music but i dont want rock, metal or jazz", {"calm"}, {"rock", "metal", "jazz"}),
        ("no rock, jazz please", {"jazz"}, {"rock"}),
        ("no rock, calm jazz or soul", {"calm", "jazz", "soul"}, {"rock"}),
        ("不要摇滚 想听安静的民谣", {"calm", "folk"}, {"rock"}),
        ("不想听摇滚", set(), {"rock"}),
        ("想听民谣但不要摇滚", {"folk"}, {"rock"}),
    ],
)
def test_how_far_a_negation_reaches(tiny_index: EmbeddedIndex, request_text: str, wanted: set[str], ruled_out: set[str]) -> None:
    """It goes through a list to the word before its last, and ends where a new wish begins."""
    constraints = understand_by_code(request_text, tiny_index, Settings()).best.intent.constraints

    assert {value for c in constraints if c.op == "is" for value in c.values} == wanted
    assert {value for c in constraints if c.op == "not" for value in c.values} == ruled_out


def test_a_list_of_names(tiny_index: EmbeddedIndex) -> None:
    """Names are listed as facets are."""
    intent = understand_by_code("post-punk without The Cure, Toto or Prince", tiny_index, Settings()).best.intent

    assert [(entity.role, entity.name) for entity in intent.entities] == [
        ("exclude", "The Cure"),
        ("exclude", "Toto"),
        ("exclude", "Prince"),
    ]
