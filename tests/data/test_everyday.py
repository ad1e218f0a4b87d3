from __future__ import annotations

from data.everyday import everyday_words


def test_everyday_words() -> None:
    """Words that people talk with are in it, in several languages and in normal form; names of bands mostly are not."""
    words = everyday_words()

    assert {"kitchen", "waive", "heist", "dont", "lieder", "musique", "noche", "giorno"} <= words
    assert words.isdisjoint({"makthaverskan", "beastmilk", "nickelback", ""})
    assert all(word == word.lower() and word.isalpha() for word in words)
