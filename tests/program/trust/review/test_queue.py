"""The review queue: what is kept, what makes room, one verdict each, several writers, a broken file, a listener's removal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from data.errors import InputError, StoreError
from data.trust import ReviewItem
from program.trust.review.queue import ReviewQueue


def _item(number: int, *, user: str = "") -> ReviewItem:
    name = f"{number:08x}"
    return ReviewItem(
        item_id=name, trace_id=f"0000{name}{name[:4]}", at=float(number), request=f"request {number}", reason="answer_cut",
        owner="reviewer", summary="cut", user_key=user,
    )  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the queue lies."""
    return tmp_path / "queue" / "review.sqlite"


def test_what_waits_is_listed_newest_first(path: Path) -> None:
    """The limit holds, and what was judged is listed only on demand."""
    queue = ReviewQueue(path, now=lambda: 99.0)
    for number in range(3):
        queue.enqueue(_item(number))
    queue.judge("00000001", "approved", author="ann", note="fine")

    assert [item.request for item in queue.items()] == ["request 2", "request 0"]
    assert [item.request for item in queue.items(None, 2)] == ["request 2", "request 1"]
    judged = queue.item("00000001")
    assert (judged.judgement, judged.author, judged.note, judged.judged_at) == ("approved", "ann", "fine", 99.0)
    queue.close()


def test_a_verdict_is_given_once(path: Path) -> None:
    """A second one is refused and changes nothing, unless it is wanted."""
    queue = ReviewQueue(path)
    queue.enqueue(_item(1))
    queue.judge("00000001", "approved", author="ann")
    with pytest.raises(InputError, match="was approved by ann"):
        queue.judge("00000001", "rejected", author="bob")
    assert queue.item("00000001").judgement == "approved"
    assert queue.judge("00000001", "rejected", author="bob", again=True).author == "bob"
    queue.close()


@pytest.mark.parametrize(
    ("name", "message"), [("0000000", "several"), ("ffff", "no item"), ("%", "an id has"), ("_______1", "no item")]
)
def test_names_that_name_no_one_item(path: Path, name: str, message: str) -> None:
    """A beginning that several share, one that none has, and wild cards, which are no letters."""
    queue = ReviewQueue(path)
    queue.enqueue(_item(1))
    queue.enqueue(_item(2))
    with pytest.raises(InputError, match=message):
        queue.item(name)
    queue.close()


def test_the_oldest_make_room(path: Path) -> None:
    """Only what waits counts, and what was dropped is told."""
    queue = ReviewQueue(path, most_open=3)
    queue.enqueue(_item(0))
    queue.judge("00000000", "rejected", author="ann")
    for number in range(1, 7):
        queue.enqueue(_item(number))

    assert [item.request for item in queue.items()] == ["request 6", "request 5", "request 4"]
    assert queue.dropped == 3
    assert queue.item("00000000").judgement == "rejected"
    queue.close()


def test_several_writers(path: Path) -> None:
    """Queues on one file lose nothing and keep one item of a name."""
    queues = [ReviewQueue(path) for _ in range(4)]

    def write(number: int) -> None:
        queues[number % 4].enqueue(_item(number % 150))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(300)))
    assert len(queues[0].items(None, 1_000)) == 150
    for queue in queues:
        queue.close()


def test_a_listener_is_forgotten(path: Path) -> None:
    """Nothing of the listener stays in the file, the others stay."""
    queue = ReviewQueue(path)
    queue.enqueue(_item(1, user="key-of-anna"))
    queue.enqueue(_item(2, user="key-of-bert"))
    assert queue.forget("key-of-anna") == 1
    assert [item.user_key for item in queue.items(None)] == ["key-of-bert"]
    queue.close()
    assert b"request 1" not in path.read_bytes()


def test_a_broken_file(path: Path) -> None:
    """It is told as a fault of the store."""
    path.parent.mkdir()
    path.write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="review queue"):
        ReviewQueue(path)
    with pytest.raises(StoreError, match="cannot open the review queue"):
        ReviewQueue(path / "below" / "review.sqlite")
