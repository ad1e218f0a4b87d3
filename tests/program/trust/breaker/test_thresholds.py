"""Where thresholds start and how outcomes move them. Source: A-07, A-08, A-16."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.trust import NodeRecord
from program.settings import BreakerSettings
from program.trust.breaker.log import MemoryLog
from program.trust.breaker.tasks import TASKS
from program.trust.breaker.thresholds import is_cold, judged, moved, starting
from tests.program.trust.breaker.parts import trip

STARTS = {"understand": 0.75, "plan": 0.75, "execute": 0.8, "reflect": 0.8, "synthesize": 0.6}
WIDE = BreakerSettings(reach=0.5)


@pytest.mark.parametrize(("node", "start"), STARTS.items())
def test_start_by_kind_of_task(node: str, start: float) -> None:
    """Facts are held to more than words."""
    assert starting(node, BreakerSettings()) == start


@pytest.mark.parametrize("node", TASKS)
def test_a_step_each_way(node: str) -> None:
    """Mended: 0.05 lower; not mended, or rightly stopped: 0.05 higher; a good artifact: lower."""
    start = starting(node, BreakerSettings())

    assert moved(start, node, mended=True, settings=BreakerSettings()) == pytest.approx(start - 0.05)
    assert moved(start, node, mended=False, settings=BreakerSettings()) == pytest.approx(start + 0.05)
    assert judged(start, node, right=True, settings=BreakerSettings()) == pytest.approx(start + 0.05)
    assert judged(start, node, right=False, settings=BreakerSettings()) == pytest.approx(start - 0.05)


def test_reach_floor_and_ceiling() -> None:
    """However often it is moved, it stays within its reach, and within floor and ceiling."""
    ends = {}
    for name, settings in {"reach": BreakerSettings(), "wide": WIDE}.items():
        for mended in (True, False):
            threshold = 0.85
            for _ in range(50):
                threshold = moved(threshold, "execute", mended=mended, settings=settings)
            ends[name, mended] = threshold

    assert ends == {("reach", True): 0.75, ("reach", False): 0.85, ("wide", True): 0.5, ("wide", False): 0.95}


@given(
    st.sampled_from(sorted(TASKS)),
    st.lists(st.tuples(st.booleans(), st.booleans()), max_size=80),
    st.floats(0, 0.5),
    st.floats(0, 0.5),
)
def test_never_out_of_bounds(node: str, outcomes: list[tuple[bool, bool]], step: float, reach: float) -> None:
    """Any row of outcomes and verdicts, under any step and reach."""
    settings = BreakerSettings(step=step, reach=reach)
    start = threshold = starting(node, settings)
    for by_person, good in outcomes:
        if by_person:
            threshold = judged(threshold, node, right=good, settings=settings)
        else:
            threshold = moved(threshold, node, mended=good, settings=settings)

        assert max(settings.floor, start - reach) - 1e-4 <= threshold <= min(settings.ceiling, start + reach) + 1e-4


def test_cold_start() -> None:
    """A hundred artifacts are watched; a version that nobody saw is cold, unless nothing is to be watched."""
    cold = [is_cold(NodeRecord(node="plan", node_version="1", seen=seen), BreakerSettings()) for seen in (0, 99, 100)]

    assert cold == [True, True, False]
    assert is_cold(None, BreakerSettings())
    assert not is_cold(None, BreakerSettings(cold_start=0))


def test_people_move_it() -> None:
    """A verdict is counted on the node version and moves its threshold, of a new node from where its kind starts."""
    log = MemoryLog(settings=WIDE)
    log.observe("plan", "1:code", 0.3, drifted=False, threshold=0.75)
    log.add(trip(1), 0.75)
    log.judge("t-plan-1", right=True)
    up = log.record("plan", "1:code")
    log.judge("t-plan-1", right=False)
    log.judge("t-plan-1", right=False)
    down = log.record("plan", "1:code")

    assert up is not None
    assert down is not None
    assert (up.threshold, up.rejected, up.approved) == (0.8, 1, 0)
    assert (down.threshold, down.rejected, down.approved) == (0.7, 1, 2)
