from __future__ import annotations

import pytest

from tests.program.grounding.conftest import Read


@pytest.mark.parametrize(
    ("request_", "absent"),
    [
        ("adele, the one called Cold Water Morning", ("Cold Water Morning",)),
        ("the song called quuxley nights", ("quuxley nights",)),
        ("Zorblax Quux or something jazzy", ("Zorblax Quux",)),
        ("조르블락스 노래", ("조르블락스",)),
    ],
)
def test_a_name_by_its_looks(read: Read, request_: str, absent: tuple[str, ...]) -> None:
    """What a title is said to be, and rare words with nothing else beside them, are names that are not held."""
    assert read(request_).best.intent.absent == absent


@pytest.mark.parametrize(
    "request_",
    [
        "the one called Creep",
        "the one called hello",
        "eins og að keyra hringveginn í þoku",
        "有江湖味的",
        "ce que j'écoute d'habitude",
        "rainy nights and warm tea",
        "zorblax jazz",
        "zorblax too hard",
        "asdf qwer",
        "theres a lady whos sure all that glitters is gold",
    ],
)
def test_no_name_by_its_looks(read: Read, request_: str) -> None:
    """A held title, a language that is not known, an elision, a scene, and rare words that describe are none."""
    assert read(request_).best.intent.absent == ()
