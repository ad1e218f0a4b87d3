"""One session's LM accounts: what each node spent, the budget, and which LMs are known to be down."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from data.contracts import NodeName, Usage
from data.errors import BudgetError
from program.lm.calls import LMCall

_MOST_CALLS = 100
"""Calls that are held until somebody takes them."""


@dataclass(frozen=True)
class Budget:
    """The most that one session may spend on LMs.

    Attributes:
        calls: LM calls, repair turns included.
        tokens: prompt plus completion tokens; cached prompt tokens count.
        seconds: time spent waiting for LMs, summed over calls.
    """

    calls: int = 12
    tokens: int = 40_000
    seconds: float = 60.0


@dataclass(frozen=True)
class Spent:
    """What one `admit` led to. cost_usd is None where no price is known (never 0)."""

    calls: int = 1
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None


class Meter:
    """Accounts of one session; safe to share between the session's threads.

    Args:
        budget: the session's limits.
        clock: seconds, monotonic.
    """

    def __init__(self, budget: Budget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget or Budget()
        self.clock = clock
        self._lock = threading.Lock()
        self._usage: dict[str, Usage] = {}
        self._in_flight = 0
        self._reserved_tokens = 0
        self._down: dict[str, str] = {}
        self._calls: deque[LMCall] = deque(maxlen=_MOST_CALLS)

    def admit(self, max_tokens: int = 0) -> None:
        """Reserve one call; `settle` must follow.

        Args:
            max_tokens: tokens that the call may use at most, as far as they are known beforehand.

        Raises:
            BudgetError: the call would pass a limit. Nothing is reserved then.
        """
        with self._lock:
            spent = self._total()
            if spent.calls + self._in_flight + 1 > self.budget.calls:
                raise BudgetError(f"the budget of {self.budget.calls} LM calls is spent", resource="calls")
            tokens = spent.prompt_tokens + spent.completion_tokens + self._reserved_tokens + max_tokens
            if tokens > self.budget.tokens:
                raise BudgetError(f"the budget of {self.budget.tokens} LM tokens is spent", resource="tokens")
            if spent.seconds >= self.budget.seconds:
                raise BudgetError(f"the budget of {self.budget.seconds:g} LM seconds is spent", resource="seconds")
            self._in_flight += 1
            self._reserved_tokens += max_tokens

    def settle(self, node: NodeName, spent: Spent, max_tokens: int = 0) -> None:
        """Book what an admitted call took. `max_tokens` is what `admit` was given."""
        with self._lock:
            self._in_flight -= 1
            self._reserved_tokens -= max_tokens
            before = self._usage.get(node)
            known = before is None or before.cost_usd is not None
            before = before or Usage(cost_usd=0.0)
            cost = (before.cost_usd or 0.0) + spent.cost_usd if known and spent.cost_usd is not None else None
            self._usage[node] = Usage(
                calls=before.calls + spent.calls,
                prompt_tokens=before.prompt_tokens + spent.prompt_tokens,
                cached_tokens=before.cached_tokens + spent.cached_tokens,
                completion_tokens=before.completion_tokens + spent.completion_tokens,
                seconds=before.seconds + spent.seconds,
                cost_usd=cost,
            )

    def log(self, calls: Iterable[LMCall]) -> None:
        """Hold calls for the one who records them; the last hundred stay."""
        with self._lock:
            self._calls.extend(calls)

    def logged(self, node: str) -> tuple[LMCall, ...]:
        """The calls of a node that were logged since they were last taken."""
        with self._lock:
            return tuple(call for call in self._calls if call.node == node)

    def take_calls(self) -> tuple[LMCall, ...]:
        """The calls that were logged since the last time."""
        with self._lock:
            taken = tuple(self._calls)
            self._calls.clear()
        return taken

    def usage(self) -> dict[str, Usage]:
        """What each node that asked has spent so far, as a copy."""
        with self._lock:
            return dict(self._usage)

    def total(self) -> Usage:
        """The session's sum. cost_usd is None as soon as one node's is."""
        with self._lock:
            return self._total()

    def mark_down(self, lm_name: str, reason: str) -> None:
        """Remember that an LM does not answer; it is not asked again in this session."""
        with self._lock:
            self._down.setdefault(lm_name, reason)

    def down_reason(self, lm_name: str) -> str | None:
        """Why an LM is taken to be down; None while it is not."""
        with self._lock:
            return self._down.get(lm_name)

    @property
    def lm_down(self) -> bool:
        """True when any LM of the session was found down."""
        with self._lock:
            return bool(self._down)

    def _total(self) -> Usage:
        total = Usage(cost_usd=0.0 if self._usage else None)
        for usage in self._usage.values():
            costs = (total.cost_usd, usage.cost_usd)
            total = Usage(
                calls=total.calls + usage.calls,
                prompt_tokens=total.prompt_tokens + usage.prompt_tokens,
                cached_tokens=total.cached_tokens + usage.cached_tokens,
                completion_tokens=total.completion_tokens + usage.completion_tokens,
                seconds=total.seconds + usage.seconds,
                cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
            )
        return total
