"""The taste of a listener: what it says in words, and how near tracks come to it."""

from __future__ import annotations

from data.users.schema import Event
from program.index.engine import EmbeddedIndex
from program.users.listener import Listener, listener_of
from program.users.taste import MAX_WORDS
from tests.listeners import NOON, listener

DISORDER, FOREST, AFRICA = "joy-division--disorder", "the-cure--aforest", "toto--africa"


def _affinity(index: EmbeddedIndex, who: Listener, *track_ids: str) -> list[float]:
    assert who.taste is not None
    found = who.taste.affinities(index.by_ids(track_ids).values(), index)
    return [found[name] for name in track_ids]


def test_near_what_is_liked(tiny_index: EmbeddedIndex) -> None:
    """The same artist comes before the same kind, that before another kind; all lie within 0..1."""
    who = listener(tiny_index, likes=(DISORDER, FOREST))
    same, kind, other = _affinity(tiny_index, who, "joy-division--transmission", "wire--outdoorminer", "adele--hello")

    assert 1 >= same > kind > other >= 0


def test_a_dislike_is_never_near(tiny_index: EmbeddedIndex) -> None:
    """A disliked track is at 0, its artist lower than without the dislike; what was said last counts."""
    plain = listener(tiny_index, likes=(DISORDER, FOREST))
    turned = listener(tiny_index, likes=(DISORDER, FOREST), dislikes=("joy-division--transmission",))
    again = listener_of("a", [Event(AFRICA, "like", 2.0), Event(AFRICA, "dislike", 1.0)], tiny_index, NOON)

    assert _affinity(tiny_index, turned, "joy-division--transmission") == [0.0]
    other = "joy-division--lovewilltearusapart"
    assert _affinity(tiny_index, turned, other) < _affinity(tiny_index, plain, other)
    assert (again.dislikes, [one.track_id for one in again.likes]) == (frozenset(), [AFRICA])


def test_in_words(tiny_index: EmbeddedIndex) -> None:
    """Artists, genres and decades, short enough for a prompt."""
    who = listener(tiny_index, likes=(DISORDER, "joy-division--transmission", FOREST), plays={AFRICA: (1.0, 2.0)})
    assert who.taste is not None
    words = who.taste.words()

    assert words.startswith("Joy Division, The Cure")
    assert "Post-punk" in words or "post-punk" in words
    assert "1970s" in words
    assert len(words) <= MAX_WORDS


def test_nothing_is_no_taste(tiny_index: EmbeddedIndex) -> None:
    """Tracks that this catalog does not hold tell nothing."""
    assert listener_of("a", [Event("elsewhere", "like")], tiny_index, NOON).taste is None
