"""Trains an adapter: epochs over changed requests, kept after every few steps so that a killed run goes on."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimizers.finetune.examples import Example
from optimizers.finetune.swaps import Swaps
from optimizers.finetune.torch_model import TorchModel

STATE_FILE = "state.pt"
_BUCKET = 8
"""So many batches are sorted by length together, so that little is padded."""
_CLIP = 1.0
Encoded = tuple[list[int], int]


@dataclass(frozen=True)
class Course:
    """How to train.

    Attributes:
        nameless: share of the requests without a name that an epoch takes, drawn anew each time, 0..1.
        rate: highest learning rate; it falls to 0 in a line. warm_up: share of the steps in which it rises.
        keep_every: steps between two saved states.
    """

    epochs: int = 4
    batch: int = 16
    nameless: float = 0.5
    rate: float = 1e-3
    warm_up: float = 0.05
    keep_every: int = 20
    seed: int = 0


@dataclass(frozen=True)
class Progress:
    """Where a run stands. loss: of the last steps, smoothed. seconds_left: about, without the judging."""

    step: int
    steps: int
    epoch: int
    loss: float
    seconds_left: float


class Trainer:
    """One run.

    Args:
        folder: for its state; a run that finds one there goes on from it.
        watch: told of every step.
    """

    def __init__(
        self,
        model: TorchModel,
        examples: Sequence[Example],
        swaps: Swaps,
        course: Course,
        folder: Path,
        *,
        watch: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        import torch

        self._model, self._examples, self._swaps, self._course = model, tuple(examples), swaps, course
        self._folder, self._watch = folder, watch
        self._optimizer = torch.optim.AdamW(model.trained, lr=course.rate, weight_decay=0.0)
        self._step, self._loss = 0, float("nan")
        self._named = [one for one in self._examples if one.names]
        self._nameless = [one for one in self._examples if not one.names]
        self._drawn = round(course.nameless * len(self._nameless))
        self._each_epoch = -(-(len(self._named) + self._drawn) // course.batch)
        self._steps = self._each_epoch * course.epochs

    def epochs(self, stop: Callable[[], bool] = lambda: False) -> Iterator[int]:
        """Train; yields the number of every epoch that is done, from 1. After a kill it begins where the state was kept.

        The state of a whole epoch is kept only when the caller is done with it, so a kill while it is judged loses no epoch.

        Args:
            stop: asked after every step; the run then ends with its state kept.
        """
        self._resume()
        first = self._step // self._each_epoch
        for epoch in range(first, self._course.epochs):
            if not self._epoch(epoch, stop):
                self._keep()
                return
            yield epoch + 1
            self._keep()

    def _epoch(self, epoch: int, stop: Callable[[], bool]) -> bool:
        batches = self._batches(epoch)
        started, begun = time.monotonic(), self._step
        self._model.net.train()
        for batch in batches[self._step - epoch * self._each_epoch :]:
            self._one_step(batch)
            each = (time.monotonic() - started) / (self._step - begun)
            self._watch(Progress(self._step, self._steps, epoch, self._loss, each * (self._steps - self._step)))
            if self._step % self._course.keep_every == 0 and self._step % self._each_epoch:
                self._keep()
            if stop():
                return False
        self._model.net.eval()
        return True

    def _one_step(self, batch: Sequence[Encoded]) -> None:
        import torch

        for group in self._optimizer.param_groups:
            group["lr"] = self._rate()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = self._model.loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._model.trained, _CLIP)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        value = float(loss.detach())
        self._loss = value if self._loss != self._loss else 0.9 * self._loss + 0.1 * value
        self._step += 1

    def _rate(self) -> float:
        """Rises during the warm-up, then falls."""
        warm = max(1, round(self._course.warm_up * self._steps))
        if self._step < warm:
            return self._course.rate * (self._step + 1) / warm
        return self._course.rate * (self._steps - self._step) / max(1, self._steps - warm)

    def _batches(self, epoch: int) -> list[list[Encoded]]:
        """The epoch's batches, the same for the same seed: other names each time, similar lengths together."""
        rng = random.Random(f"{self._course.seed} {epoch}")
        taken = [*self._named, *rng.sample(self._nameless, self._drawn)]
        encoded = [self._model.encode(self._swaps(one, rng)) for one in taken]
        rng.shuffle(encoded)
        size = self._course.batch
        batches: list[list[Encoded]] = []
        for start in range(0, len(encoded), size * _BUCKET):
            bucket = sorted(encoded[start : start + size * _BUCKET], key=lambda one: len(one[0]))
            batches += [bucket[at : at + size] for at in range(0, len(bucket), size)]
        rng.shuffle(batches)
        return batches

    # -- what survives a kill --------------------------------------------------------------------------------------------

    def _keep(self) -> None:
        import torch

        self._folder.mkdir(parents=True, exist_ok=True)
        held: dict[str, Any] = {"step": self._step, "loss": self._loss, "adapter": self._model.state()}
        held["optimizer"], held["random"] = self._optimizer.state_dict(), torch.get_rng_state()
        part = self._folder / f"{STATE_FILE}.part"
        torch.save(held, part)
        part.replace(self._folder / STATE_FILE)

    def _resume(self) -> None:
        import torch

        path = self._folder / STATE_FILE
        if not path.exists():
            torch.manual_seed(self._course.seed)
            return
        held = torch.load(path, weights_only=True)
        self._step, self._loss = int(held["step"]), float(held["loss"])
        self._model.restore(held["adapter"])
        self._optimizer.load_state_dict(held["optimizer"])
        torch.set_rng_state(held["random"])
