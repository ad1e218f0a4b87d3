from __future__ import annotations

import pytest

from tests.program.grounding.conftest import Read


@pytest.mark.parametrize(
    "request_",
    [
        "boleros cantados por mujeres",
        "chanson triste, voix de femme",
        "flamenco de antes",
        "músicas que falam de estrelas",
        "wie nebel über einem feld im november",
        "watching snow from a train window",
        "i need to be talked off a ledge",
        "the big one from the film",
        "唱朋友情谊的",
    ],
)
def test_words_that_people_talk_with_are_no_name(read: Read, request_: str) -> None:
    """Everyday words of the request's own language are no absent name, whatever little word stands before them."""
    assert read(request_).best.intent.absent == ()


@pytest.mark.parametrize(
    ("request_", "absent"),
    [
        ("pon algo de zorblax", "zorblax"),
        ("musik von quuxley", "quuxley"),
        ("something like zorblax", "zorblax"),
        ("play sunshine day from adele", "sunshine day from adele"),
        ("songs from Zorblax Quux", "Zorblax Quux"),
        ("Lieder wie Zorblax", "Zorblax"),
    ],
)
def test_words_that_nobody_talks_with_are_a_name(read: Read, request_: str, absent: str) -> None:
    """After the same little words, what is rare or written as a name is one, and so is all that a bare command names."""
    assert read(request_).best.intent.absent == (absent,)


@pytest.mark.parametrize("request_", ["les chansons calmes de Radiohead", "die ruhigen sachen von Radiohead"])
def test_what_describes_an_artists_music(read: Read, request_: str) -> None:
    """Words before "de" or "von" that only describe are no title, so the artist is played."""
    assert [entity.entity_id for entity in read(request_).best.intent.by_role("target")] == ["radiohead"]
