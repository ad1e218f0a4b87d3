"""Fixtures of the LM layer's tests: a signature, a fake clock, private folders."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import dspy
import pytest


class Choose(dspy.Signature):
    """Choose the readings that a music request means."""

    request: str = dspy.InputField()
    evidence: list[str] = dspy.InputField()
    kind: Literal["play", "similar"] = dspy.OutputField(desc="what is wanted")
    targets: list[str] = dspy.OutputField(desc="ids of the readings", max_length=2)


class FakeClock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def choose() -> dspy.Predict:
    return dspy.Predict(Choose)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MELO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def outer_trace() -> Iterator[list[object]]:
    """A trace as optimizers set it up."""
    trace: list[object] = []
    with dspy.context(trace=trace):
        yield trace
