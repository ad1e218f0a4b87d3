"""What every recipe is given and gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import dspy

from optimizers.nodes.cases import Case
from optimizers.nodes.labels import Label
from optimizers.search.student import Student
from program.bundle.state import NodeText

GOOD = 0.8
"""A reply that scores this much is worth showing to a model."""
MAX_DEMOS = 4
_CHARS_PER_TOKEN = 3
_LEAST_CASES = 4


@dataclass(frozen=True)
class Job:
    """One node to improve.

    Attributes:
        student: with the start text and the LM that is tuned for; every call to it is scored on the board and paid for.
        train: to learn from. dev: to choose by.
        labels: up to so many right replies to train cases, the shortest prompts first.
        teacher: writes demos; the student itself where no other LM was named. reflection: writes instructions.
        calls: that may still be made here, about; None without a limit in calls.
        context_tokens: of the reflection LM's prompt, about.
    """

    student: Student
    train: Sequence[Case]
    dev: Sequence[Case]
    labels: Callable[[int], list[Label]]
    teacher: Student
    reflection: dspy.LM
    seed: int
    calls: int | None
    context_tokens: int

    @property
    def reflection_chars(self) -> int:
        """Characters that a prompt to the reflection LM may have, with room for the answer."""
        return self.context_tokens * _CHARS_PER_TOKEN * 2 // 3

    def rounds(self, calls_each: float, most: int) -> int:
        """How many rounds of so many calls the budget holds, at least one."""
        return most if self.calls is None else max(1, min(most, int(self.calls / max(1.0, calls_each))))

    def some_train(self, most: int) -> list[Case]:
        """The first train cases; they come in the order of the seed."""
        return list(self.train[: max(_LEAST_CASES, most)])


class Recipe(Protocol):
    """A way to find better text.

    Attributes:
        name: of the command line.
    """

    name: str

    def propose(self, job: Job) -> Iterator[NodeText]:
        """Texts to be judged on the dev cases; what the recipe asked the student itself is on the board already.

        Raises:
            Stop: from the student, when the search must end. It must not be caught here.
        """
