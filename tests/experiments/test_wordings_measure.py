"""The measure of wordings: what it fills in is what it labels, and it counts what is read wrong."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from data.contracts import EntityRef
from experiments.wording_names import Names, is_everyday
from experiments.wordings import Wording, cases, filled, load_wordings, measured, mistake
from program.settings import GroundingSettings, Settings
from tests.tiny import build_tiny, open_tiny


def test_halves() -> None:
    """The two halves are disjoint and of one size, and no wording is there twice."""
    first, second, everything = (load_wordings(half) for half in ("first", "second", "all"))

    assert len(everything) == len(first) + len(second) == len(set(everything))
    assert abs(len(first) - len(second)) <= 1
    assert not set(first) & set(second)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("songs by {artist}", True),
        ("{title} - {owner}", False),
        ('play "{title}"', True),
        ("more {artist}", False),
        ("relax", False),
    ],
)
def test_marked_places(text: str, marked: bool) -> None:
    """A place is marked where a word or a sign says that a name stands there."""
    assert Wording("en", text).is_marked is marked


@pytest.mark.parametrize(("name", "everyday"), [("Hello", True), ("jazz", True), ("Radiohead", False), ("Kate Bush", False)])
def test_everyday_names(name: str, everyday: bool) -> None:
    """Names that requests are made of, or talk is, are told from the rest."""
    assert is_everyday(name) is everyday


def test_a_filled_wording_is_labelled(tmp_path: Path) -> None:
    """Names stand in the request as labelled, in its case; an artist beside a title is only context."""
    build_tiny(tmp_path / "index")
    index = open_tiny(tmp_path / "index")
    small = filled(Wording("en", "play {title} by {owner} but no {-artist}"), Names(index, Random(3)))
    index.close()

    assert small is not None
    assert [(name.entity_type, name.role, name.optional) for name in small.names] == [
        ("track", "target", False), ("artist", "context", True), ("artist", "exclude", False),
    ]  # fmt: skip
    assert all(name.surface in small.request and name.surface == name.surface.lower() for name in small.names)


def test_an_open_place(tmp_path: Path) -> None:
    """Where a name may be wanted or a start both are right; leaving it out is not, nor is ruling it out."""
    build_tiny(tmp_path / "index")
    index = open_tiny(tmp_path / "index")
    case = filled(Wording("en", "{?artist} radio"), Names(index, Random(3)))
    index.close()

    assert case is not None
    reference = {"evidence_id": "e0", "entity_id": case.names[0].ids[0], "entity_type": "artist", "name": "x"}
    used = {role: EntityRef.model_validate(reference | {"role": role}) for role in ("target", "seed", "exclude")}
    assert [mistake(case, [used[role]]) for role in ("target", "seed", "exclude")] == ["none", "none", "wrong"]
    assert mistake(case, []) == "missing"


def test_measured(tmp_path: Path) -> None:
    """The same seed measures the same; without the rules of use more is misread."""
    build_tiny(tmp_path / "index")
    index = open_tiny(tmp_path / "index")
    wordings = load_wordings("first")[:60]
    first, again = (measured(index, wordings, 2, 7, Settings()) for _ in range(2))
    bare = measured(index, wordings, 2, 7, Settings(grounding=GroundingSettings(rules=False)))
    drawn = list(cases(wordings, Names(index, Random(7)), 2))
    index.close()

    assert first == again
    assert first["shares"]["names"]["n"] == sum(bool(case.names) for case in drawn)
    assert first["shares"]["names"]["misread"] < bare["shares"]["names"]["misread"]
