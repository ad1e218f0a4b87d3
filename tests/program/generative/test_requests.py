"""Synthetic requests: their targets hold what their words say, and the same state gives the same requests."""

from __future__ import annotations

import numpy as np

from program.generative.requests import MOST_TARGETS, Facts, synthetic_requests
from program.index.stored import StoredCredit, StoredTrack


def _track(number: int, genre: str, mood: str, region: str, year: int) -> StoredTrack:
    return StoredTrack(
        track_id=f"t{number}", title=f"Title {number}", artists=(StoredCredit(f"a{number % 7}", f"Artist{number % 7}"),),
        album="Album", genres=(genre,), moods=(mood,), region=region, year=year,
    )  # fmt: skip


def _facts() -> Facts:
    facts = Facts()
    for number in range(0, 280, 2):
        genre, mood = ("post-punk", "jazz")[number % 4 // 2], ("dark", "happy", "calm")[number % 3]
        region = ("IS", "GB")[number % 5 % 2]
        facts.add(number, _track(number, genre, mood, region, 1970 + number % 50), 0.5)
    return facts


def test_targets_hold_all_facts_and_what_is_wider() -> None:
    """A track of a narrow genre answers to the wider one; two facts are met by the tracks that hold both."""
    facts = _facts()
    punk, dark = set(facts.holding([("genre", "post-punk")]).tolist()), set(facts.holding([("mood", "dark")]).tolist())

    assert punk == {row for row in range(0, 280, 2) if row % 4 == 0}
    assert punk <= set(facts.holding([("genre", "rock")]).tolist())
    assert set(facts.holding([("genre", "post-punk"), ("mood", "dark")]).tolist()) == punk & dark
    assert set(facts.holding([("region", "IS"), ("region", "europe")]).tolist()) == set(
        facts.holding([("region", "IS")]).tolist()
    )


def test_requests_have_words_and_known_targets() -> None:
    """Each has at least one target among the tracks that were taken in, and no more than are kept."""
    facts = _facts()
    for request in synthetic_requests(facts, 300, np.random.default_rng(0)):
        assert request.text.strip()
        assert 1 <= len(request.targets) <= MOST_TARGETS
        assert set(request.targets.tolist()) <= set(facts.of_row)


def test_the_same_state_gives_the_same_requests() -> None:
    """Words and targets repeat with the seed and change with it."""
    first, again, other = (synthetic_requests(_facts(), 50, np.random.default_rng(seed)) for seed in (0, 0, 1))

    assert [(r.text, r.targets.tolist()) for r in first] == [(r.text, r.targets.tolist()) for r in again]
    assert [r.text for r in first] != [r.text for r in other]


def test_a_catalog_that_says_nothing_is_asked_by_its_names() -> None:
    """Without facets artists, titles and albums are the words."""
    facts = Facts()
    facts.add(3, StoredTrack(track_id="t", title="Silence", artists=(StoredCredit("a", "Nobody"),)), 0.5)
    texts = " ".join(request.text for request in synthetic_requests(facts, 40, np.random.default_rng(0)))

    assert "Silence" in texts
    assert "Nobody" in texts
