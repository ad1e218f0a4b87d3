"""`finetune`: a LoRA adapter of the embedded backbone that drafts the names of a request; chosen by its drafts of dev rows.

Unlike the other recipes it gives weights, not text: `melo optimize finetune` writes a bundle with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from data.contracts import NameKind
from data.errors import InputError
from optimizers.finetune.examples import Example
from optimizers.finetune.judge import draft_f1, drafter
from optimizers.finetune.swaps import swaps_of
from optimizers.finetune.torch_model import LoraShape, TorchModel, need_torch
from optimizers.finetune.trainer import Course, Progress, Trainer
from program.lm.brains import require

NAME = "finetune"
_EPOCHS_FILE = "epochs.json"
_LEAST = 20
"""Examples below which there is nothing to learn from."""
_PATIENCE = 2
"""Epochs in a row that are no better, after which training ends: a small model over-fits early."""


@dataclass(frozen=True)
class Work:
    """What to train.

    Attributes:
        brain: name of the embedded backbone. fit: to learn from. dev: to choose the epoch by.
        held: names of a catalog by kind, to put into requests. swapped: share of the requests whose names change, 0..1.
        folder: for what survives a kill; a folder belongs to one piece of work. threads: of torch.
    """

    brain: str
    fit: Sequence[Example]
    dev: Sequence[Example]
    folder: Path
    held: Mapping[NameKind, Sequence[str]] = field(default_factory=lambda: {"artist": (), "work": ()})
    swapped: float = 0.5
    shape: LoraShape = field(default_factory=LoraShape)
    course: Course = field(default_factory=Course)
    threads: int = 2


@dataclass(frozen=True)
class Trained:
    """What came out.

    Attributes:
        adapter: the best epoch's file. scores: strict micro F1 of the drafts on dev, by epoch. ended: why, in words.
    """

    adapter: Path
    epoch: int
    scores: Mapping[int, float]
    ended: str


class Watch:
    """Told of what happens; does nothing by itself."""

    def step(self, progress: Progress) -> None:
        """After every step."""

    def judged(self, epoch: int, score: float) -> None:
        """After every epoch: the drafts of dev, micro F1."""


def train(work: Work, stop: Callable[[], bool] = lambda: False, watch: Watch | None = None) -> Trained:
    """Train, judge every epoch, keep the best. A call with the same folder goes on where the last one stopped.

    Args:
        stop: asked after every step; True ends the training with the best epoch so far.

    Raises:
        InputError: the extra is missing, there are too few examples, or not one epoch was finished.
        BackboneError: the backbone is unknown or not installed.
    """
    need_torch()
    weights = require(work.brain)
    if len(work.fit) < _LEAST or not work.dev:
        raise InputError(f"{len(work.fit)} requests to learn from and {len(work.dev)} to choose by are too few")
    watch = watch or Watch()
    work.folder.mkdir(parents=True, exist_ok=True)
    model = TorchModel(work.brain, weights, work.shape, threads=work.threads)
    swaps = swaps_of(work.fit, work.held, work.swapped)
    trainer = Trainer(model, work.fit, swaps, work.course, work.folder, watch=watch.step)
    scores = _scores(work.folder)
    ended = "all epochs are done"
    for epoch in trainer.epochs(stop):
        model.write(adapter_file(work.folder, epoch))
        scores[epoch] = draft_f1(work.dev, drafter(work.brain, adapter_file(work.folder, epoch)))
        _keep_scores(work.folder, scores)
        watch.judged(epoch, scores[epoch])
        if epoch - _best(scores) >= _PATIENCE:
            ended = f"{_PATIENCE} epochs were no better"
            break
    else:
        ended = ended if len(scores) == work.course.epochs else "its time is spent"
    if not scores:
        raise InputError("not one epoch was finished", hint="give more time; the same call goes on where it stopped")
    return Trained(adapter_file(work.folder, _best(scores)), _best(scores), scores, ended)


def adapter_file(folder: Path, epoch: int) -> Path:
    """Where an epoch's adapter lies."""
    return folder / f"adapter-{epoch}.gguf"


def _best(scores: Mapping[int, float]) -> int:
    """The first of the best epochs."""
    return max(scores, key=lambda epoch: (scores[epoch], -epoch))


def _scores(folder: Path) -> dict[int, float]:
    path = folder / _EPOCHS_FILE
    return {int(epoch): score for epoch, score in orjson.loads(path.read_bytes()).items()} if path.exists() else {}


def _keep_scores(folder: Path, scores: Mapping[int, float]) -> None:
    (folder / _EPOCHS_FILE).write_bytes(orjson.dumps({str(epoch): score for epoch, score in scores.items()}))
