"""LM answers by backbone, endpoint, prompt, temperature and replay, in a small SQLite file of JSON.

DSPy's own cache ignores the endpoint and unpickles what it finds, so it stays off. A remembered answer brings the tokens
that it cost when it was given; its time is not brought back, so latencies are taken from answers without any.
"""

from __future__ import annotations

import itertools
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dspy
import orjson
from dspy import lm15
from dspy.clients.call_result import response_from_dict, response_to_dict
from dspy.clients.execution import request_to_dict
from dspy.utils.exceptions import LMRateLimitError

from data.errors import StoreError
from experiments.journal import key_of
from program.lm.environment import private_folder
from program.lm.forwarding import Forwarding

_TABLE = "create table if not exists answers (key text primary key, response text not null, cost_usd real)"


class AnswerStore:
    """The file.

    Raises:
        StoreError: it cannot be opened; `get` and `put` raise it too.
    """

    def __init__(self, path: Path) -> None:
        try:
            private_folder(path.parent)
            self._file = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            self._file.execute("pragma journal_mode=wal")
            self._file.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot open the LM answers at {path}: {error}") from error

    def get(self, key: str) -> tuple[lm15.Response, float | None] | None:
        """The answer and what it cost; None when it is not there."""
        try:
            row = self._file.execute("select response, cost_usd from answers where key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"cannot read the LM answers: {error}") from error
        return (response_from_dict(orjson.loads(row[0])), row[1]) if row else None

    def put(self, key: str, response: lm15.Response, cost_usd: float | None) -> None:
        """Keep an answer."""
        text = orjson.dumps(response_to_dict(response)).decode()
        try:
            self._file.execute("insert or replace into answers values (?, ?, ?)", (key, text, cost_usd))
        except sqlite3.Error as error:
            raise StoreError(f"cannot write the LM answers: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(frozen=True)
class Patience:
    """Waits when a server limits the rate of calls: as long as it asks for, else longer each time.

    Attributes:
        tries: calls in all. most_s: the longest single wait; a server that asks for more is not waited for.
    """

    tries: int = 5
    most_s: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def wait_s(self, attempt: int, error: LMRateLimitError) -> float | None:
        """Seconds to wait after the failed attempt of this number, from 0; None: give up."""
        asked = error.retry_after
        seconds = float(asked) if asked is not None else 2.0**attempt
        return seconds if attempt + 1 < self.tries and seconds <= self.most_s else None


@dataclass
class Tally:
    """What the calls of one answer came to.

    Attributes:
        cost_usd: of the calls that were really made; None: a price is not known. waited_s: for limits on the rate of calls.
    """

    calls: int = 0
    remembered: int = 0
    cost_usd: float | None = 0.0
    waited_s: float = 0.0

    def clear(self) -> None:
        """Begin anew, for the next answer."""
        self.calls, self.remembered, self.cost_usd, self.waited_s = 0, 0, 0.0, 0.0

    def add(self, cost_usd: float | None) -> None:
        """Book one real call."""
        self.calls += 1
        self.cost_usd = None if cost_usd is None or self.cost_usd is None else self.cost_usd + cost_usd


@dataclass(frozen=True)
class RememberingEngine(Forwarding):
    """DSPy's engine contract over another LM, answering from the store what was asked before.

    Attributes:
        inner: the LM that is asked on a miss; its retries and its connection are its own.
        about: what the key holds beside the request: backbone, endpoint, replay.
        store: None asks always. patience: None leaves a limit on the rate of calls to the inner LM.
    """

    inner: dspy.LM
    about: dict[str, str | int]
    store: AnswerStore | None
    tally: Tally = field(default_factory=Tally)
    patience: Patience | None = None

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The stored answer, or the inner LM's, which is then stored.

        Raises:
            LMError: the inner LM's; DSPy hands it on as it is.
        """
        key = key_of({**self.about, "request": orjson.dumps(request_to_dict(request), option=orjson.OPT_SORT_KEYS).decode()})
        if self.store is not None and (found := self.store.get(key)) is not None:
            self.tally.remembered += 1
            return found[0]
        response, cost_usd = self._asked(request)
        self.tally.add(cost_usd)
        if self.store is not None:
            self.store.put(key, response, cost_usd)
        return response

    def _asked(self, request: lm15.Request) -> tuple[lm15.Response, float | None]:
        for attempt in itertools.count():
            try:
                return self._once(request)
            except LMRateLimitError as error:
                seconds = None if self.patience is None else self.patience.wait_s(attempt, error)
                if self.patience is None or seconds is None:
                    raise
                self.tally.waited_s += seconds
                self.patience.sleep(seconds)
        raise AssertionError("unreachable")

    def _once(self, request: lm15.Request) -> tuple[lm15.Response, float | None]:
        entries: list[dict[str, Any]] = []
        lm = self.inner.copy(**({"num_retries": 0} if self.patience is not None else {}))
        lm.update_history = entries.append
        response: lm15.Response = lm(request)
        return response, entries[-1].get("cost") if entries else None
