"""Corrections: what may be bound, what a correction does to a reading, and that it can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.errors import InputError, StoreError
from data.trust import Correction
from program.index.engine import EmbeddedIndex
from program.trust.review.checked import checked
from program.trust.review.corrected_index import CorrectedIndex, corrected
from program.trust.review.corrections import CorrectionBook
from tests.sessions import melo

WORDS = "the wedding waltz"


@pytest.fixture
def book(tmp_path: Path) -> Iterator[CorrectionBook]:
    """An empty book with a clock that stands still."""
    opened = CorrectionBook(tmp_path / "book" / "corrections.sqlite", now=lambda: 7.0)
    yield opened
    opened.close()


def _africa(index: EmbeddedIndex) -> str:
    return str(melo(index)(request="Africa by Toto").playlist.tracks[0].track_id)


def _bound(index: EmbeddedIndex, words: str = WORDS, *, force: bool = False) -> Correction:
    return checked(words, _africa(index), index, author="ann", force=force)


def test_a_correction_is_used_and_taken_back(tiny_index: EmbeddedIndex, book: CorrectionBook) -> None:
    """With it the words are that track, whatever is asked about them; without it the answers are those of before."""
    before = melo(tiny_index)(request=f"play {WORDS}").playlist
    kept = book.add(WORDS, _bound(tiny_index))
    index = corrected(tiny_index, book.corrections())
    found = melo(index)(request=f"play {WORDS}")
    seeded = melo(index)(request=f"songs like {WORDS}")

    assert [track.title for track in found.playlist.tracks] == ["Africa"]
    assert [(entity.role, entity.name) for entity in seeded.intent.entities] == [("seed", "Africa")]
    assert book.take_back(kept.correction_id[:4]) == kept
    assert corrected(tiny_index, book.corrections()) is tiny_index
    after = melo(corrected(tiny_index, book.corrections()))(request=f"play {WORDS}").playlist
    assert (after.status, after.tracks) == (before.status, before.tracks)


def test_it_wins_over_what_the_words_named(tiny_index: EmbeddedIndex, book: CorrectionBook) -> None:
    """An ambiguous title is the corrected track alone; nothing else of the index changes."""
    with pytest.raises(InputError, match="already names the track"):
        _bound(tiny_index, "Hello")
    book.add("Hello", _bound(tiny_index, "Hello", force=True))
    index = corrected(tiny_index, book.corrections())

    assert isinstance(index, CorrectedIndex)
    assert melo(tiny_index)(request="Hello").playlist.status == "clarify"
    assert [track.title for track in melo(index)(request="Hello").playlist.tracks] == ["Africa"]
    assert index.info == tiny_index.info
    others = melo(index)(request="songs by Metallica").playlist.tracks
    assert others == melo(tiny_index)(request="songs by Metallica").playlist.tracks


def test_it_is_part_of_what_an_answer_was_made_with(tiny_index: EmbeddedIndex, book: CorrectionBook) -> None:
    """Two sets of corrections are two versions."""
    one = corrected(tiny_index, [book.add(WORDS, _bound(tiny_index))])
    other = corrected(tiny_index, [book.add("our song", _bound(tiny_index))])
    assert isinstance(one, CorrectedIndex)
    assert isinstance(other, CorrectedIndex)
    assert one.corrections != other.corrections


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "are empty"),
        (" \x00 ", "are empty"),
        ("a b c d e f g h i", "at most 8 words"),
        ("play", "requests are made of"),
        ("post-punk", "already names the genre"),
    ],
)
def test_words_that_mean_nothing_else(tiny_index: EmbeddedIndex, words: str, message: str) -> None:
    """What could not be a name is refused with the reason."""
    with pytest.raises(InputError, match=message):
        _bound(tiny_index, words)


def test_entities_that_cannot_be_meant(tiny_index: EmbeddedIndex) -> None:
    """An id that the catalog does not hold."""
    with pytest.raises(InputError, match="holds no track and no artist"):
        checked(WORDS, "nobody--nothing", tiny_index, author="ann")


def test_the_same_words_again(tiny_index: EmbeddedIndex, book: CorrectionBook) -> None:
    """The later meaning counts; the earlier one stays in the book as taken back."""
    first = book.add(WORDS, _bound(tiny_index))
    second = book.add(WORDS.upper(), _bound(tiny_index))
    assert [one.correction_id for one in book.corrections()] == [second.correction_id]
    kept = {one.correction_id: one.taken_back_at for one in book.corrections(every=True)}
    assert kept == {first.correction_id: 7.0, second.correction_id: None}


def test_an_entity_that_is_gone(tiny_index: EmbeddedIndex, book: CorrectionBook) -> None:
    """A correction for another catalog is left aside."""
    gone = _bound(tiny_index).model_copy(update={"entity_id": "gone", "name": "Gone"})
    assert corrected(tiny_index, [book.add(WORDS, gone)]) is tiny_index


def test_a_broken_book(tmp_path: Path) -> None:
    """Told as a fault of the store; an unknown correction as bad input."""
    path = tmp_path / "corrections.sqlite"
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="corrections"):
        CorrectionBook(path)
    book = CorrectionBook(tmp_path / "other.sqlite")
    with pytest.raises(InputError, match="no correction"):
        book.take_back("zz")
    book.close()
