"""`bootstrap`: demos that the teacher answered well, in random sets (DSPy's `BootstrapFewShotWithRandomSearch`)."""

from __future__ import annotations

from collections.abc import Iterator

from dspy.teleprompt import BootstrapFewShotWithRandomSearch

from optimizers.recipes.base import GOOD, MAX_DEMOS, Job
from optimizers.search.student import examples, metric
from program.bundle.state import NodeText, predictors, text_of

_MOST_SETS = 16
_TRAIN = 40


class Bootstrap:
    """Random search over bootstrapped demos. The raw train rows are no demos: they hold no reply."""

    name = "bootstrap"

    def propose(self, job: Job) -> Iterator[NodeText]:
        """The best set that was found."""
        optimizer = BootstrapFewShotWithRandomSearch(
            metric=metric, metric_threshold=GOOD, max_bootstrapped_demos=MAX_DEMOS, max_labeled_demos=0,
            num_candidate_programs=job.rounds(len(job.dev) + MAX_DEMOS, _MOST_SETS), num_threads=1,
        )  # fmt: skip
        train = shuffled(job, _TRAIN)
        found = optimizer.compile(job.student, teacher=job.teacher, trainset=train, valset=examples(job.dev))
        yield text_of(next(predictors(found))[1])


def shuffled(job: Job, most: int) -> list:  # type: ignore[type-arg]
    """Train examples; the optimizer's own seeds are fixed, so the order carries the run's."""
    import random

    cases = job.some_train(most)
    random.Random(job.seed).shuffle(cases)
    return examples(cases)
