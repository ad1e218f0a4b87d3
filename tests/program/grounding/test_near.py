from __future__ import annotations

import pytest

from program.grounding.near import is_near
from tests.program.grounding.conftest import Read, summary


@pytest.mark.parametrize(
    ("said", "held", "near"),
    [
        ("darwin", "dawin", True),
        ("tiimmy", "timmy", True),
        ("metalica", "metallica", True),
        ("metlalica", "metallica", True),
        ("muse", "mute", False),
        ("hello", "help", False),
        ("adele", "abba", False),
        ("metal", "metallica", False),
        ("", "", False),
    ],
)
def test_is_near(said: str, held: str, near: bool) -> None:
    """One slip in five characters, two in eight; a short name must be written as it is."""
    assert is_near(said, held) is near


@pytest.mark.parametrize(
    ("request_", "meaning"),
    [
        ("Enter Sandman by Metalica", "play 1, target:metallica--entersandman, context:metallica"),
        ("hello by adelle", "play 1, target:adele--hello, context:adele"),
        ("yesterday by muse", "play 20, context:the-beatles--yesterday, context:muse, absent:yesterday by muse"),
        ("hello by zorblax", "play 20, context:adele--hello, absent:hello by zorblax"),
    ],
)
def test_a_title_by_a_misspelt_artist(read: Read, request_: str, meaning: str) -> None:
    """A credited artist who is spelt nearly so is meant; another artist, or nobody, is not."""
    assert summary(read(request_).best.intent) == meaning
