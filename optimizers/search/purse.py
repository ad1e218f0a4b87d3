"""The budget of one optimizer run, kept in one place around the LMs: every call passes here before it is made.

What ends a search is no `Exception`: DSPy's optimizers swallow those and go on, count an outage as a bad score, and spend
past their own limits (see dspy_facts.md, section 3). `Stop` goes through them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy import lm15
from dspy.clients.execution import request_to_dict
from dspy.utils.exceptions import LMError

from data.errors import InputError
from optimizers.limits import Limits
from optimizers.search.book import AnswerBook, key_of
from program.lm.backbones import Backbone
from program.lm.faults import UNAVAILABLE, fault_of
from program.lm.forwarding import Forwarding

OUTAGE_AFTER = 3
"""So many calls in a row that an LM did not answer are an outage."""
_CONNECTION = frozenset({"api_key", "api_base", "base_url", "timeout", "model_list", "headers", "extra_headers"})


class Stop(BaseException):
    """A search ends here. reason: in words, for a person."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Spent(Stop):
    """The budget, or the part of it that the search may have, is spent."""


class Outage(Stop):
    """An LM does not answer at all. No run with an outage is a success."""


@dataclass
class Purse:
    """What a run has spent. Calls that the book answers count as when they were made, but take no time.

    Attributes:
        prompt_tokens, completion_tokens: of all calls. remembered: calls that the book answered.
        usd: of the calls whose price is known. by_lm: calls by name.
    """

    limits: Limits
    clock: Callable[[], float] = time.monotonic
    calls: int = 0
    remembered: int = 0
    usd: float = 0.0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    by_lm: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._started = self.clock()
        self._caps = [self.limits]

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return self.clock() - self._started

    def admit(self) -> None:
        """Before each call.

        Raises:
            Spent: the call would pass a limit.
        """
        caps = self._caps[-1]
        if caps.calls is not None and self.calls + 1 > caps.calls:
            raise Spent(f"its {caps.calls} calls are spent" if len(self._caps) == 1 else "its share of the calls is spent")
        self.check()

    def check(self) -> None:
        """Between calls, where code works for long.

        Raises:
            Spent: time or money is up.
        """
        caps = self._caps[-1]
        if caps.seconds is not None and self.seconds >= caps.seconds:
            raise Spent("its time is spent")
        if caps.usd is not None and self.usd >= caps.usd:
            raise Spent("its money is spent")

    def book(self, name: str, usage: Any, usd: float, *, remembered: bool) -> None:
        """After each call."""
        self.calls += 1
        self.remembered += remembered
        self.usd += usd
        self.by_lm[name] = self.by_lm.get(name, 0) + 1
        if usage is not None:
            self.prompt_tokens += usage.input_tokens or 0
            self.cached_tokens += usage.cache_read_tokens or 0
            self.completion_tokens += usage.output_tokens or 0

    @contextmanager
    def capped(self, share: float) -> Iterator[None]:
        """Inside, no more than `share` (0..1) of what is left may be spent."""
        caps = self._caps[-1]
        self._caps.append(
            Limits(
                None if caps.calls is None else self.calls + math.floor(share * max(0, caps.calls - self.calls)),
                None if caps.seconds is None else self.seconds + share * max(0.0, caps.seconds - self.seconds),
                None if caps.usd is None else self.usd + share * max(0.0, caps.usd - self.usd),
            )
        )
        try:
            yield
        finally:
            self._caps.pop()

    @property
    def calls_left(self) -> int | None:
        """Calls that may still be made here; None without a limit in calls."""
        caps = self._caps[-1]
        return None if caps.calls is None else max(0, caps.calls - self.calls)

    def share_spent(self) -> float | None:
        """How far the whole run's budget is spent, 0..1, by whichever limit is nearest; None without a limit."""
        shares = [
            spent / limit if limit else 1.0
            for spent, limit in (
                (self.calls, self.limits.calls),
                (self.seconds, self.limits.seconds),
                (self.usd, self.limits.usd),
            )
            if limit is not None
        ]
        return min(1.0, max(shares)) if shares else None


@dataclass
class PurseEngine(Forwarding):
    """DSPy's engine contract over another LM: asks the purse, then the book, then the LM.

    Attributes:
        name: of the backbone. about: what a key holds beside the request: backbone and endpoint.
        free: the backbone costs no money.
    """

    name: str
    inner: dspy.LM
    about: dict[str, str]
    purse: Purse
    book: AnswerBook
    free: bool = False

    def __post_init__(self) -> None:
        self._silent = 0
        self._seen: dict[str, int] = {}
        self._given: dict[str, lm15.Response] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> PurseEngine:
        """Copies of a program ask through the same purse."""
        return self

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The answer. The same request at temperature 0 is asked once; at others each time is another draw.

        Raises:
            Spent, Outage: the search must end.
            LMError: the inner LM's.
        """
        key = self._key(request)
        if key in self._given:
            return self._given[key]
        self.purse.admit()
        kept = self.book.get(key)
        if kept is not None:
            response, usd = kept
            self.purse.book(self.name, response.usage, usd, remembered=True)
        else:
            response, usd = self._asked(request)
            self.book.put(key, response, usd)
            self.purse.book(self.name, response.usage, usd, remembered=False)
        self._given[key] = response
        return response

    def _key(self, request: lm15.Request) -> str:
        parts = {**self.about, "request": request_to_dict(request)}
        key = key_of(parts)
        if not request.config.temperature:
            return key
        draw = self._seen[key] = self._seen.get(key, 0) + 1
        return key_of({**parts, "draw": draw})

    def _asked(self, request: lm15.Request) -> tuple[lm15.Response, float]:
        entries: list[dict[str, Any]] = []
        lm = self.inner.copy()
        lm.update_history = entries.append
        try:
            response: lm15.Response = lm(request)
        except LMError as error:
            self.purse.book(self.name, None, 0.0, remembered=False)
            self._failed(error)
            raise
        self._silent = 0
        cost = entries[-1].get("cost") if entries else None
        if cost is None and not self.free and self.purse.limits.usd is not None:
            raise _unpriced(self.name)
        return response, float(cost or 0.0)

    def _failed(self, error: LMError) -> None:
        if isinstance(error.__cause__, AssertionError):
            raise error.__cause__  # a scripted engine's complaint is a programming error
        fault = fault_of(error, self.name)
        self._silent = self._silent + 1 if fault.code == UNAVAILABLE else 0
        if self._silent >= OUTAGE_AFTER:
            raise Outage(f"{fault.message}; {self._silent} calls in a row")


class Unpriced(Stop):
    """A limit in money cannot be kept."""


def _unpriced(name: str) -> Unpriced:
    return Unpriced(f"the price of {name} is not known, so a limit in money cannot be kept")


def pursed(backbone: Backbone, endpoint: str, purse: Purse, book: AnswerBook) -> Backbone:
    """The backbone with every call through the purse.

    Args:
        endpoint: tells two servers of one model name apart; goes into keys only.

    Raises:
        InputError: there is no LM to optimize for.
    """
    inner = backbone.lm
    if inner is None:
        raise InputError("an optimizer needs a language model", hint="such as --lm embedded/smollm2-135m")
    about = {"backbone": backbone.name, "endpoint": endpoint}
    engine = PurseEngine(backbone.name, inner, about, purse, book, free=backbone.embedded)
    options = {name: value for name, value in inner.kwargs.items() if name not in _CONNECTION}
    lm = dspy.LM(inner.model, engine=engine, cache=False, num_retries=0, **options)
    return Backbone(backbone.name, lm, schema=backbone.schema, embedded=backbone.embedded)
