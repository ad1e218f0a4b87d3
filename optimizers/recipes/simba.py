"""`simba`: mini-batches at a higher temperature; where answers differ most, a demo or a rule comes of it (DSPy's `SIMBA`).

DSPy's own rule writer sends program code and whole trajectories; ours sends the two replies and the metric's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dspy
from dspy.teleprompt import SIMBA
from dspy.teleprompt.simba_utils import append_a_demo

from optimizers.recipes.base import MAX_DEMOS, Job
from optimizers.recipes.reflection import lesson, new_rule
from optimizers.search.student import examples, metric_with_feedback
from program.bundle.state import NodeText, predictors, text_of

_BATCH, _LEAST_BATCH = 8, 3
_CANDIDATES, _FEWEST = 4, 2
_MOST_STEPS = 8
_PATIENT = 120
"""With fewer calls than this, batches and candidates are halved."""
_TRAIN_BATCHES = 3
_INPUT_CHARS = 4_000


class Simba:
    """Stochastic ascent over demos and rules."""

    name = "simba"

    def propose(self, job: Job) -> Iterator[NodeText]:
        """The best of the winners of the batches, and the winners themselves."""
        small = job.calls is not None and job.calls < _PATIENT
        batch = min(len(job.train), _LEAST_BATCH if small else _BATCH)
        candidates = _FEWEST if small else _CANDIDATES
        steps = job.rounds(batch * (2 * candidates + 1), _MOST_STEPS)
        optimizer = SIMBA(
            metric=_metric, bsize=batch, num_candidates=candidates, max_steps=steps, max_demos=MAX_DEMOS,
            prompt_model=job.reflection, num_threads=1,
        )  # fmt: skip
        optimizer.strategies = [append_a_demo(_INPUT_CHARS), _append_rule(job)]
        found = optimizer.compile(job.student, trainset=examples(job.some_train(batch * _TRAIN_BATCHES)), seed=job.seed)
        for program in (found, *(one["program"] for one in found.candidate_programs)):
            yield text_of(next(predictors(program))[1])


def _metric(example: dspy.Example, prediction: dspy.Prediction) -> dspy.Prediction:
    return metric_with_feedback(example, prediction)


def _append_rule(job: Job) -> Any:
    """SIMBA's strategy of that kind: the best and the worst answer of a bucket, one new rule."""

    def append_a_rule(bucket: list[dict[str, Any]], system: dspy.Module, **_: Any) -> bool:
        good, bad = bucket[0], bucket[-1]
        if good["score"] <= bad["score"]:
            return False
        predictor = next(predictors(system))[1]
        old = predictor.signature.instructions
        text = new_rule(job.reflection, old, _told(good), _told(bad), chars=job.reflection_chars)
        if text is None:
            return False
        predictor.signature = predictor.signature.with_instructions(text)
        return True

    return append_a_rule


def _told(answer: dict[str, Any]) -> str:
    steps = answer["trace"] or ()
    feedback = str(answer["output_metadata"].get("feedback", ""))
    for _, inputs, outputs in steps:
        return lesson(inputs, dict(outputs), feedback)
    return feedback
