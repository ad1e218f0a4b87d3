"""When models are left alone. Source: A-14, A-15."""

from __future__ import annotations

import threading

import pytest

from program.settings import BreakerSettings
from program.trust.breaker.circuit import Circuit
from tests.program.trust.breaker.parts import Clock

SETTINGS = BreakerSettings(window=10, cool_down_s=30.0)


@pytest.fixture
def clock() -> Clock:
    """Stands still."""
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> Circuit:
    """A window of ten."""
    return Circuit(SETTINGS, clock)


def test_a_node_cools_down(circuit: Circuit, clock: Clock) -> None:
    """Only that node, and only as long as set."""
    circuit.open("plan")
    at_once = (circuit.is_open("plan"), circuit.is_open("understand"))
    clock.at += 29.9
    before = circuit.is_open("plan")
    clock.at += 0.1

    assert (at_once, before, circuit.is_open("plan")) == ((True, False), True, False)


@pytest.mark.parametrize(("trips", "alarm"), [(0, False), (3, False), (4, True), (10, True)])
def test_the_global_breaker(circuit: Circuit, trips: int, alarm: bool) -> None:
    """More than 30 % of a full window, not 30 % itself."""
    for number in range(10):
        circuit.observe(tripped=number < trips)

    assert (circuit.is_paused, circuit.alarms) == (alarm, int(alarm))


def test_a_window_that_is_not_full_says_nothing(circuit: Circuit) -> None:
    """Nine trips of nine are too few to judge by."""
    for _ in range(9):
        circuit.observe(tripped=True)

    assert not circuit.is_paused
    assert circuit.share == 1.0


def test_it_comes_back_and_counts_anew(circuit: Circuit, clock: Clock) -> None:
    """What is seen in the pause does not count; after it a full window is needed for the next alarm."""
    told = [circuit.observe(tripped=True) for _ in range(10)]
    told += [circuit.observe(tripped=True) for _ in range(20)]
    clock.at += 30
    back = circuit.is_paused
    told += [circuit.observe(tripped=True) for _ in range(9)]
    between = circuit.is_paused
    told.append(circuit.observe(tripped=True))

    assert (back, between, circuit.is_paused) == (False, False, True)
    assert told.count(True) == circuit.alarms == 2


def test_many_threads_set_it_off_once(clock: Clock) -> None:
    """Eight threads count into one window; one alarm."""
    circuit = Circuit(BreakerSettings(window=800), clock)
    threads = [threading.Thread(target=lambda: [circuit.observe(tripped=True) for _ in range(100)] and None) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert circuit.alarms == 1
