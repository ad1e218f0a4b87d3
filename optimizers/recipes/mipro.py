"""`mipro`: instructions and bootstrapped demos chosen together by Bayesian search (DSPy's `MIPROv2`).

Only the proposing of instructions is ours: DSPy's sends program code to the LM, fails on one bad reply, and knows nothing
of the metric's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dspy.teleprompt import MIPROv2

from optimizers.recipes.base import GOOD, MAX_DEMOS, Job
from optimizers.recipes.bootstrap import shuffled
from optimizers.recipes.reflection import lesson, new_instructions
from optimizers.search.student import examples, metric
from program.bundle.state import NodeText, predictors, text_of

_CANDIDATES = 6
_FEWEST = 3
_MOST_TRIALS = 30
_TRAIN = 40
_TIPS = (
    "", "Be brief.", "Be precise about the numbers to give.", "Say what is easily got wrong.", "Use a numbered list of steps.",
    "Say what the reply is for.",
)  # fmt: skip
"""One for each proposal, so that they differ."""


class Mipro:
    """Joint search over instructions and demo sets."""

    name = "mipro"

    def propose(self, job: Job) -> Iterator[NodeText]:
        """The best pair on the dev cases."""
        trials = job.rounds(len(job.dev) * 1.5, _MOST_TRIALS)
        candidates = max(_FEWEST, min(_CANDIDATES, trials))
        optimizer = _Mipro(
            job, metric=metric, metric_threshold=GOOD, prompt_model=job.reflection, task_model=job.student.predictor().lm,
            max_bootstrapped_demos=MAX_DEMOS, max_labeled_demos=0, auto=None, num_candidates=candidates, num_threads=1,
            seed=job.seed + 1, track_stats=False,
        )  # fmt: skip
        found = optimizer.compile(
            job.student, teacher=job.teacher, trainset=shuffled(job, _TRAIN), valset=examples(job.dev),
            num_trials=trials, minibatch=False,
        )  # fmt: skip
        yield text_of(next(predictors(found))[1])


class _Mipro(MIPROv2):
    """MIPROv2 with proposals that learn from what the start text scored on train cases."""

    def __init__(self, job: Job, **options: Any) -> None:
        super().__init__(**options)
        self._job = job

    def _propose_instructions(
        self, program: Any, *args: Any, num_instruct_candidates: int, **kwargs: Any
    ) -> dict[int, list[str]]:
        job = self._job
        found: list[str] = []
        old = job.student.state().instructions
        scores = job.student.bench.board.proposals[job.student.state().key].scores
        known = sorted(((score.score, case_id) for case_id, score in scores.items()))
        lessons = [
            lesson({"request": job.student.bench.cases[case_id].row.request}, {}, scores[case_id].feedback)
            for _, case_id in known
            if case_id not in {case.case_id for case in job.dev}
        ]
        for number in range(num_instruct_candidates - 1):
            tip = _TIPS[number % len(_TIPS)]
            text = new_instructions(
                job.reflection, old, lessons[number % max(1, len(lessons)) :], chars=job.reflection_chars, tip=tip
            )
            if text is not None and text not in found:
                found.append(text)
        return {0: [old, *found]}
