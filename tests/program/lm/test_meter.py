"""Accounts and budget of a session."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from data.contracts import NodeName
from data.errors import BudgetError
from program.lm.meter import Budget, Meter, Spent


def test_usage_is_summed_per_node() -> None:
    """Two calls of one node add up, nodes stay apart, the total covers both."""
    meter = Meter()
    calls: list[tuple[NodeName, int]] = [("plan", 10), ("plan", 5), ("reflect", 1)]
    for node, tokens in calls:
        meter.admit()
        meter.settle(node, Spent(prompt_tokens=tokens, completion_tokens=2, seconds=0.5, cost_usd=0.1))

    assert meter.usage()["plan"].calls == 2
    assert meter.usage()["plan"].prompt_tokens == 15
    assert meter.usage()["reflect"].prompt_tokens == 1
    assert meter.total().calls == 3
    assert meter.total().cost_usd == pytest.approx(0.3)


def test_unknown_price_is_never_zero() -> None:
    """One call without a price makes its node's and the session's cost unknown."""
    meter = Meter()
    for cost in (0.1, None, 0.2):
        meter.admit()
        meter.settle("plan", Spent(cost_usd=cost))

    assert meter.usage()["plan"].cost_usd is None
    assert meter.total().cost_usd is None
    assert Meter().total().cost_usd is None


@pytest.mark.parametrize(
    ("budget", "resource"),
    [(Budget(calls=1), "calls"), (Budget(tokens=100), "tokens"), (Budget(seconds=2.0), "seconds")],
)
def test_the_call_that_would_pass_a_limit_is_refused(budget: Budget, resource: str) -> None:
    """Each limit stops the second call before it is made."""
    meter = Meter(budget)
    meter.admit(40)
    meter.settle("plan", Spent(prompt_tokens=60, completion_tokens=10, seconds=2.0), 40)

    with pytest.raises(BudgetError) as caught:
        meter.admit(40)

    assert caught.value.resource == resource


def test_parallel_calls_cannot_overshoot() -> None:
    """Calls in flight count before they are settled."""
    meter = Meter(Budget(calls=5))

    def admitted(_: int) -> bool:
        try:
            meter.admit()
        except BudgetError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        granted = sum(pool.map(admitted, range(40)))

    assert granted == 5


def test_a_down_lm_is_remembered_by_name() -> None:
    """One LM being down says nothing about another."""
    meter = Meter()
    meter.mark_down("a", "gone")
    meter.mark_down("a", "later reason")

    assert meter.lm_down
    assert meter.down_reason("a") == "gone"
    assert meter.down_reason("b") is None
