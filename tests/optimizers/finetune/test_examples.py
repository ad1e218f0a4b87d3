"""Requests with marked names, and the same with other names."""

from __future__ import annotations

import random

from data.contracts import NameKind
from data.labelled import load_rows
from optimizers.finetune.examples import Marked, example, of_rows
from optimizers.finetune.swaps import Swaps, swaps_of


def test_an_example_asks_and_answers() -> None:
    """Prompt and answer are in lower case; names come left to right, and of two that overlap the longer stays."""
    one = example("Play Kid A by Radiohead", [Marked("artist", 14, 23), Marked("work", 5, 10), Marked("work", 9, 10)], "x")

    assert one.prompt == "play kid a by radiohead"
    assert one.answer == "work: kid a | artist: radiohead"
    assert example("some jazz", [], "x").answer == "none"


def test_rows_become_examples() -> None:
    """Every marked name stands in its request; rows whose absent names have no labelled kind are left out."""
    rows = load_rows("entity", "train")
    found = of_rows(rows, "own")

    assert len(found) == sum(not row.absent for row in rows)
    assert all(one.words(name) in one.text for one in found for name in one.names)
    assert any(one.names for one in found) and all(one.source == "own" for one in found)


def test_swapped_names_are_marked_where_they_stand() -> None:
    """The words around stay, the marks move with the names; a bare request gets bare names."""
    one = example("songs like kid a by radiohead please", [Marked("work", 11, 16), Marked("artist", 20, 29)], "x")
    swaps = Swaps({"artist": [], "work": []}, {"artist": ["Sigur Rós!", "P!nk"], "work": ["Don't Stop"]}, 1.0)
    changed = [swaps(one, random.Random(seed)) for seed in range(20)]

    assert {words for each in changed for words in map(each.words, each.names)} == {
        "kid a", "radiohead", "dont stop", "sigur rós", "p nk",
    }  # fmt: skip
    assert all(each.text.startswith("songs like ") and each.text.endswith(" please") for each in changed)
    assert len({each.text for each in changed}) > 3


def test_nothing_is_swapped_without_a_name_or_by_share() -> None:
    """A request without names stays; so do all at share 0, and the same seed gives the same requests."""
    named, bare = example("hello by adele", [Marked("artist", 9, 14)], "x"), example("sad songs", [], "x")
    held: dict[NameKind, list[str]] = {"artist": ["Prince"], "work": ["Kiss"]}

    assert swaps_of([named], held, 0.0)(named, random.Random(0)) is named
    assert swaps_of([named], held, 1.0)(bare, random.Random(0)) is bare
    first, second = (swaps_of([named], held, 0.5)(named, random.Random(3)) for _ in range(2))
    assert first == second
