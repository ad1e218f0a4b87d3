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
        ("Radiohead는 빼고 틀어줘", "exclude:radiohead"),
        ("Radiohead랑 비슷한 노래", "seed:radiohead"),
        ("Radiohead hariç bir şeyler çal", "exclude:radiohead"),
        ("Radiohead'den bir şarkı aç", "target:radiohead"),
        ("play Africa? no, Creep", "target:radiohead--creep"),
        ("play Creep", "target:radiohead--creep"),
    ],
)
def test_what_stands_behind_a_name(read: Read, request_: str, meaning: str) -> None:
    """A word behind a name makes it a start, a time, or what is left out; a lone "no" takes back the question before it."""
    said = [part for part in summary(read(request_).best.intent).split(", ") if part.split(":")[0] in ROLES]

    assert ", ".join(said) == meaning


ROLES = ("target", "seed", "exclude", "context")


@pytest.mark.parametrize(
    ("request_", "conditions"),
    [
        ("재즈 말고 틀어줘", {("genre", "not", "jazz")}),
        ("재즈가 아닌 신나는 노래", {("genre", "not", "jazz"), ("mood", "is", "happy")}),
        ("재즈 노래 말고 록", {("genre", "not", "jazz"), ("genre", "is", "rock")}),
        ("재즈말고 록", {("genre", "not", "jazz"), ("genre", "is", "rock")}),
        ("ジャズの曲以外でロック", {("genre", "not", "jazz"), ("genre", "is", "rock")}),
        ("rap şarkıları olmasın, rock olsun", {("genre", "not", "hip-hop"), ("genre", "is", "rock")}),
        ("재즈도 없는 록", {("genre", "not", "jazz"), ("genre", "is", "rock")}),
        ("재즈는 싫고 록만", {("genre", "not", "jazz"), ("genre", "is", "rock")}),
        ("新しいジャズじゃなくてロック", {("genre", "not", "jazz"), ("genre", "is", "rock")}),
        ("rap olmayan hareketli şarkılar çal", {("genre", "not", "hip-hop"), ("mood", "is", "energetic")}),
        ("pop değil rock aç", {("genre", "not", "pop"), ("genre", "is", "rock")}),
    ],
)
def test_a_condition_before_a_negation(read: Read, request_: str, conditions: set[tuple[str, str, str]]) -> None:
    """In a language whose verbs come last the condition before the negation is what is left out, with a particle or not."""
    found = {(c.facet, c.op, c.values[0]) for c in read(request_).best.intent.constraints}

    assert found == conditions
