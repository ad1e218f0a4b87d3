"""Training that is killed and goes on, on a model of four numbers. Runs where the extra `finetune` is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from optimizers.finetune.examples import Example, Marked, example  # noqa: E402
from optimizers.finetune.swaps import Swaps  # noqa: E402
from optimizers.finetune.trainer import Course, Trainer  # noqa: E402

_COURSE = Course(epochs=3, batch=2, rate=0.1, keep_every=2, nameless=0.5)


class _Tiny:
    """What the trainer needs of a model: numbers that follow the lengths of the requests."""

    def __init__(self) -> None:
        torch.manual_seed(1)
        self.net = torch.nn.Linear(4, 1)
        self.seen: list[int] = []

    @property
    def trained(self) -> list[Any]:
        return list(self.net.parameters())

    def encode(self, one: Example) -> tuple[list[int], int]:
        return list(range(len(one.text))), 0

    def loss(self, batch: list[tuple[list[int], int]]) -> Any:
        sizes = torch.tensor([[float(len(ids)), 1.0, 0.5, 0.1] for ids, _ in batch])
        self.seen.extend(len(ids) for ids, _ in batch)
        return ((torch.nn.functional.dropout(self.net(sizes / 10), 0.1) - 1) ** 2).mean()

    def state(self) -> dict[str, Any]:
        return {name: value.detach().clone() for name, value in self.net.state_dict().items()}

    def restore(self, state: dict[str, Any]) -> None:
        self.net.load_state_dict(state)


def _examples() -> list[Example]:
    named = [example(f"{'x' * number} by adele", [Marked("artist", number + 4, number + 9)], "x") for number in range(1, 8)]
    return [*named, *(example("y" * number, [], "x") for number in range(1, 7))]


def _trainer(folder: Path, model: _Tiny) -> Trainer:
    swaps = Swaps({"artist": ["prince"], "work": []}, {"artist": ["toto"], "work": []}, 0.5)
    return Trainer(model, _examples(), swaps, _COURSE, folder)  # type: ignore[arg-type]


def _after(steps: int) -> Callable[[], bool]:
    """True at the given call and after it."""
    left = iter(range(steps - 1))
    return lambda: next(left, None) is None


def test_a_killed_run_ends_as_one_that_was_not(tmp_path: Path) -> None:
    """Adapter, optimizer, dropout and the order of the requests go on where they were, down to the last number."""
    whole, parts = _Tiny(), _Tiny()
    epochs = list(_trainer(tmp_path / "whole", whole).epochs())
    found = []
    for steps in (3, 4, 99):
        fresh = _Tiny()
        found += list(_trainer(tmp_path / "parts", fresh).epochs(_after(steps)))
        parts = fresh

    assert epochs == [1, 2, 3]
    assert found == [1, 2, 3]
    assert all(torch.equal(whole.state()[name], parts.state()[name]) for name in whole.state())


def test_an_epoch_that_was_being_judged_is_told_again(tmp_path: Path) -> None:
    """A kill right after an epoch, before the caller was done with it, loses no epoch."""
    running = _trainer(tmp_path, _Tiny()).epochs()
    first = next(running)
    del running

    assert first == 1
    assert list(_trainer(tmp_path, _Tiny()).epochs()) == [1, 2, 3]


def test_each_epoch_draws_other_nameless_requests(tmp_path: Path) -> None:
    """All named requests each time, and the given share of the others."""
    model = _Tiny()
    for _ in _trainer(tmp_path, model).epochs():
        pass

    assert len(model.seen) == 3 * (7 + 3)
