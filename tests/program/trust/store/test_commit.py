"""Group commit: batches that wait together are written together, and a bad one takes no other with it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from data.errors import StoreError
from program.trust.store.commit import GroupCommit


class Disk:
    """Writes lists of numbers; refuses negative ones. The first write waits until it is let go.

    Attributes:
        commits: the batches of each transaction.
    """

    def __init__(self) -> None:
        self.commits: list[list[int]] = []
        self.entered, self.go = threading.Event(), threading.Event()

    def write(self, batches: Sequence[int]) -> None:
        """Commit all or none."""
        self.entered.set()
        self.go.wait()
        if any(batch < 0 for batch in batches):
            raise StoreError(f"refused: {min(batches)}")
        self.commits.append(list(batches))


def _submit_together(disk: Disk, commit: GroupCommit[int], numbers: Sequence[int]) -> dict[int, str]:
    """Submit the first, and the others while it is being written. Returns the complaints by number."""
    complaints: dict[int, str] = {}

    def submit(number: int) -> None:
        try:
            commit.submit(number)
        except StoreError as error:
            complaints[number] = error.message

    threads = [threading.Thread(target=submit, args=(number,)) for number in numbers]
    threads[0].start()
    disk.entered.wait()
    for thread in threads[1:]:
        thread.start()
    while len(commit._queue) < len(numbers) - 1:
        threading.Event().wait(0.001)
    disk.go.set()
    for thread in threads:
        thread.join()
    return complaints


def test_those_who_wait_are_written_together() -> None:
    """Twenty that came while one was being written share one transaction, and each is told after it."""
    disk, told = Disk(), list[int]()
    commit = GroupCommit[int](disk.write, told.extend, lambda _: "one place")
    complaints = _submit_together(disk, commit, range(21))

    assert complaints == {}
    assert disk.commits[0] == [0]
    assert [sorted(one) for one in disk.commits[1:]] == [list(range(1, 21))]
    assert sorted(told) == list(range(21))


def test_a_bad_one_takes_no_other_with_it() -> None:
    """Only the one that cannot be written is told so; the others are written and told by themselves."""
    disk, told = Disk(), list[int]()
    commit = GroupCommit[int](disk.write, told.extend, lambda _: "one place")
    complaints = _submit_together(disk, commit, [0, 1, -2, 3])

    assert complaints == {-2: "refused: -2"}
    assert sorted(told) == [0, 1, 3]
    assert sorted(number for one in disk.commits for number in one) == [0, 1, 3]


def test_places_are_not_mixed() -> None:
    """A transaction holds what goes to one place."""
    disk, told = Disk(), list[int]()
    commit = GroupCommit[int](disk.write, told.extend, lambda number: "even" if number % 2 == 0 else "odd")
    _submit_together(disk, commit, range(10))

    assert sorted(told) == list(range(10))
    assert all(len({number % 2 for number in one}) == 1 for one in disk.commits)


def test_an_interrupted_writer_leaves_the_others_their_turn() -> None:
    """Whoever is interrupted while writing for others takes none of them with it."""
    disk, told = Disk(), list[int]()
    interrupts = [KeyboardInterrupt()]

    def interrupted(batches: Sequence[int]) -> None:
        disk.entered.set()
        disk.go.wait()
        if len(batches) > 1 and interrupts:
            raise interrupts.pop()
        disk.write(batches)

    commit = GroupCommit[int](interrupted, told.extend, lambda _: "one place")
    stopped: list[int] = []

    def submit(number: int) -> None:
        try:
            commit.submit(number)
        except KeyboardInterrupt:
            stopped.append(number)

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(6)]
    threads[0].start()
    disk.entered.wait()
    for thread in threads[1:]:
        thread.start()
    while len(commit._queue) < 5:
        threading.Event().wait(0.001)
    disk.go.set()
    for thread in threads:
        thread.join()

    assert len(stopped) == 1
    assert set(range(6)) - set(stopped) <= set(told)


@pytest.mark.parametrize("batches", [1, 600])
def test_one_thread_alone(batches: int) -> None:
    """Without company each batch is a transaction of its own."""
    disk, told = Disk(), list[int]()
    disk.go.set()
    commit = GroupCommit[int](disk.write, told.extend, lambda _: "one place")
    for number in range(batches):
        commit.submit(number)

    assert disk.commits == [[number] for number in range(batches)]
    assert told == list(range(batches))
