from __future__ import annotations

import pytest

from data.phonetic import sound_key


@pytest.mark.parametrize(
    ("heard", "word"),
    [
        ("seagur", "sigur"),
        ("koldplay", "coldplay"),
        ("metalika", "metallica"),
        ("phairuz", "fairuz"),
        ("stephens", "stevens"),
        ("keisha", "kesha"),
        ("more", "moore"),
    ],
)
def test_said_alike(heard: str, word: str) -> None:
    """Words that are said alike have one key."""
    assert sound_key(heard) == sound_key(word) != ""


@pytest.mark.parametrize("word", ["", "abc", "周杰伦", "молчат", "u2b4", "aaaa", "tool1"])
def test_no_key(word: str) -> None:
    """Short words, other scripts, and words with no two sounds have none."""
    assert sound_key(word) == ""
