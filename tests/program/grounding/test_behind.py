from __future__ import annotations

import pytest

from tests.program.grounding.conftest import Read, summary


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("Radiohead but make it acoustic", "seed:radiohead"),
        ("Radiohead but more quiet", "seed:radiohead"),
        ("Radiohead and Muse esque", "seed:radiohead, seed:muse"),
        ("jazz from the Radiohead era", "context:radiohead"),
        ("similar to Radiohead, other artists only", "seed:radiohead, exclude:radiohead"),
        ("anything by anyone but Radiohead", "exclude:radiohead"),
        ("stop playing Radiohead", "exclude:radiohead"),
        ("Radiohead Creep以外でかけて", "exclude:radiohead--creep, target:radiohead"),
        ("Radiohead 빼고 틀어줘", "exclude:radiohead"),
        ("Radiohead'in Creep şarkısı", "target:radiohead--creep, context:radiohead"),
        ("play Africa? no, Creep", "target:radiohead--creep"),
        ("play Creep", "target:radiohead--creep"),
    ],
)
def test_what_stands_behind_a_name(read: Read, request_: str, meaning: str) -> None:
    """A word behind a name makes it a start, a time, or what is left out; a lone "no" takes back the question before it."""
    said = [part for part in summary(read(request_).best.intent).split(", ") if part.split(":")[0] in ROLES]

    assert ", ".join(said) == meaning


ROLES = ("target", "seed", "exclude", "context")


def test_a_condition_before_a_negation(read: Read) -> None:
    """In a language whose verbs come last the condition before the negation is what is left out."""
    found = {(c.facet, c.op) for c in read("재즈 말고 틀어줘").best.intent.constraints}

    assert found == {("genre", "not")}
