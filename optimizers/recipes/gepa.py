"""`gepa`: instructions rewritten by reflection on the words of the metric, kept where they win somewhere (DSPy's `GEPA`).

GEPA's own budget overshoots and its log folder is pickle, so the purse bounds it and the book resumes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dspy.teleprompt import GEPA

from optimizers.recipes.base import Job
from optimizers.recipes.reflection import lesson, new_instructions
from optimizers.search.student import examples, metric_with_feedback
from program.bundle.state import NodeText, predictors, text_of

_MINIBATCH = 3
_MOST_CALLS = 2_000
_TRAIN = 60


class Gepa:
    """Reflective evolution of the instructions."""

    name = "gepa"

    def propose(self, job: Job) -> Iterator[NodeText]:
        """The best instructions on the dev cases."""
        optimizer = GEPA(
            metric=metric_with_feedback, max_metric_calls=job.calls or _MOST_CALLS, reflection_lm=job.reflection,
            reflection_minibatch_size=min(_MINIBATCH, len(job.train)), instruction_proposer=_proposer(job), use_merge=False,
            num_threads=1, seed=job.seed, warn_on_score_mismatch=False, gepa_kwargs={"use_cloudpickle": True},
        )  # fmt: skip
        found = optimizer.compile(job.student, trainset=examples(job.some_train(_TRAIN)), valset=examples(job.dev))
        yield text_of(next(predictors(found))[1])


def _proposer(job: Job) -> Any:
    def propose(
        candidate: dict[str, str], reflective_dataset: dict[str, list[dict[str, Any]]], components_to_update: list[str]
    ) -> dict[str, str]:
        found = {}
        for name in components_to_update:
            lessons = [
                lesson(one["Inputs"], _fields(one["Generated Outputs"]), str(one["Feedback"]))
                for one in reflective_dataset.get(name, ())
            ]
            old = candidate[name]
            found[name] = new_instructions(job.reflection, old, lessons, chars=job.reflection_chars) or old
        return found

    return propose


def _fields(outputs: Any) -> dict[str, Any]:
    return dict(outputs) if isinstance(outputs, dict) else {"text": outputs}
