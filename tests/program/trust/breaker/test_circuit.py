"""When models are left alone, by a clock that the test turns."""

from __future__ import annotations

from program.settings import BreakerSettings
from program.trust.breaker.circuit import Circuit


def test_a_node_cools_down() -> None:
    """Only the node that failed, only for so long."""
    now = [0.0]
    circuit = Circuit(BreakerSettings(cool_down_s=30), lambda: now[0])
    assert not circuit.is_open("plan")
    circuit.open("plan")
    assert (circuit.is_open("plan"), circuit.is_open("reflect")) == (True, False)
    now[0] = 30.0
    assert not circuit.is_open("plan")


def test_too_many_trips_pause_everything() -> None:
    """Above the share of a full window, once; then it counts anew and comes back."""
    now = [0.0]
    circuit = Circuit(BreakerSettings(window=10, global_share=0.3, cool_down_s=30), lambda: now[0])
    alarms = [circuit.observe(tripped=number < 4) for number in range(10)]
    assert alarms == [False] * 9 + [True]
    assert (circuit.is_paused, circuit.alarms) == (True, 1)
    assert not any(circuit.observe(tripped=True) for _ in range(20))
    now[0] = 30.0
    assert not circuit.is_paused
    assert circuit.share == 0.0
    assert [circuit.observe(tripped=number < 3) for number in range(10)] == [False] * 10
