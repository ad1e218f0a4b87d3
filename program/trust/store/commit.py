"""Group commit: whoever gets to write writes for all who wait, in one transaction.

A writing thread with a queue would do the same work later and could not tell an answer that its trace was lost. This way
what `submit` returned from is committed, and there are never more batches waiting than callers.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from data.errors import StoreError

_T = TypeVar("_T")
_MOST = 256
"""Batches of one transaction: as many sessions, some megabytes."""


@dataclass(eq=False)
class _Waiting(Generic[_T]):
    batch: _T
    done: bool = False
    error: StoreError | None = None


class GroupCommit(Generic[_T]):
    """Puts the batches of many threads together.

    Args:
        write: commits all batches, which share a place, or none, and raises StoreError.
        written: called with the batches that were committed, by the thread that wrote them.
        place: where a batch goes.
    """

    def __init__(
        self,
        write: Callable[[Sequence[_T]], None],
        written: Callable[[Sequence[_T]], None],
        place: Callable[[_T], str],
    ) -> None:
        self._write, self._written, self._place = write, written, place
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._queue: deque[_Waiting[_T]] = deque()

    def submit(self, batch: _T) -> None:
        """Return once the batch is committed.

        Raises:
            StoreError: it could not be; the other batches were written without it.
        """
        own = _Waiting(batch)
        with self._lock:
            self._queue.append(own)
        with self._turn:
            while not own.done:
                self._round()
        if own.error is not None:
            raise own.error

    def _round(self) -> None:
        taken = self._taken()
        try:
            self._commit(taken)
        finally:
            with self._lock:  # an interrupt must not take the others' batches with it
                self._queue.extendleft(reversed([one for one in taken if not one.done]))

    def _taken(self) -> list[_Waiting[_T]]:
        """The first batch that waits, and those behind it that go to the same place."""
        taken: list[_Waiting[_T]] = []
        with self._lock:
            place = self._place(self._queue[0].batch)
            while self._queue and len(taken) < _MOST and self._place(self._queue[0].batch) == place:
                taken.append(self._queue.popleft())
        return taken

    def _commit(self, taken: Sequence[_Waiting[_T]]) -> None:
        try:
            self._write([one.batch for one in taken])
        except StoreError as error:
            if len(taken) > 1:  # one bad batch among good ones: each by itself
                for one in taken:
                    self._commit([one])
                return
            taken[0].error = error
        for one in taken:
            one.done = True
        if taken[0].error is None:
            self._written([one.batch for one in taken])
