"""Asks a list of tasks one after the other: resumes after an interruption, keeps to limits, survives a bad example.

A task is one request under one variant in one replay. What asking means is the caller's; the runner knows keys, the
journal, the limits and the progress bar.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from data.errors import InfrastructureError, InputError, MeloError
from experiments.journal import Journal, key_of
from optimizers.limits import Limits
from optimizers.records import Asked

_A = TypeVar("_A", bound=Asked)
Progress = Callable[[str, int, int | None], None]
SYSTEMIC = 5
"""So many failures of one variant in a row are no bad examples any more."""


@dataclass(frozen=True)
class Task:
    """One thing to ask.

    Attributes:
        text: the request; parts of the key that the caller adds: settings, catalog, backbone, temperature, code.
    """

    variant: str
    qid: str
    replay: int
    text: str
    parts: tuple[tuple[str, str | float], ...]

    @property
    def key(self) -> str:
        """Names the answer in the journal."""
        return key_of({**dict(self.parts), "qid": self.qid, "replay": self.replay, "text": self.text})


def _parts(tasks: Sequence[Task], size: int) -> Iterator[Sequence[Task]]:
    return (tasks[start : start + size] for start in range(0, len(tasks), size))


@dataclass
class Run(Generic[_A]):
    """What came of the tasks.

    Attributes:
        answers: by (variant, qid, replay).
        reused: answers that the journal held. incomplete: why it stopped early, in words.
        broken: what the backbone did not answer, or why it was given up; empty unless the runner was told to keep what there is.
        outages: tasks whose backbone did not answer; they have no answer here.
    """

    answers: dict[tuple[str, str, int], _A] = field(default_factory=dict)
    reused: int = 0
    incomplete: str = ""
    broken: str = ""
    outages: int = 0

    def of(self, variant: str, qids: Sequence[str], replays: int) -> list[list[_A]]:
        """A variant's answers, one list a replay, in the order of `qids`."""
        return [[self.answers[variant, qid, replay] for qid in qids] for replay in range(replays)]

    def whole(self, variants: Sequence[str], qids: Sequence[str], replays: int) -> tuple[str, ...]:
        """The qids that every variant answered in every replay: only these can be compared."""
        wanted = [(variant, replay) for variant in variants for replay in range(replays)]
        return tuple(qid for qid in qids if all((variant, qid, replay) in self.answers for variant, replay in wanted))


class Runner(Generic[_A]):
    """Runs tasks.

    Args:
        ask: answers one task; what it raises makes the task a failure with that reason.
        crashed: the answer that stands for a failure, from its reason.
        free: the backbone costs no money, so a limit in money never stops it.
        clock: seconds, monotonic.
        workers: tasks that are asked at the same time, each in a thread of its own.
        partial: when task after task fails, end with what there is instead of raising; answers that were given without the
            backbone are left out.
    """

    def __init__(
        self,
        ask: Callable[[Task], _A],
        crashed: Callable[[str], _A],
        journal: Journal[_A],
        *,
        limits: Limits | None = None,
        progress: Progress | None = None,
        free: bool = False,
        clock: Callable[[], float] = time.monotonic,
        workers: int = 1,
        partial: bool = False,
    ) -> None:
        self._ask = ask
        self._crashed = crashed
        self._journal = journal
        self._limits = limits or Limits()
        self._progress = progress or (lambda stage, done, total: None)
        self._free = free
        self._clock = clock
        self._workers = workers
        self._partial = partial

    def run(self, tasks: Sequence[Task]) -> Run[_A]:
        """Ask everything that the journal does not hold.

        Raises:
            InfrastructureError: task after task fails, so the fault is not in the tasks; what was answered is kept.
            InputError: what was asked for cannot be: no such backbone, or a limit in money where no price is known.
        """
        run: Run[_A] = Run()
        started, calls, usd, asked = self._clock(), 0, 0.0, 0
        failed: Counter[str] = Counter()
        given_up = False
        with ThreadPoolExecutor(self._workers) if self._workers > 1 else nullcontext() as pool:
            for part in _parts(tasks, self._workers):
                self._progress(part[0].variant, asked, len(tasks))
                if (reason := self._reached(calls, self._clock() - started, usd)) and not self._held(part):
                    run.incomplete = f"{reason} after {asked} of {len(tasks)} answers"
                    break
                for task, answer, is_new in self._answers(part, pool):
                    asked += 1
                    run.reused += not is_new
                    calls += (answer.usage.calls - answer.remembered) * is_new
                    usd += self._cost(answer) * is_new
                    failed[task.variant] = failed[task.variant] + 1 if is_new and (answer.error or answer.outage) else 0
                    if answer.outage and self._partial:
                        run.outages += 1
                        run.broken = f"{run.outages} in all got no answer, the last: {answer.outage}"
                    else:
                        run.answers[task.variant, task.qid, task.replay] = answer
                    if failed[task.variant] >= SYSTEMIC and not given_up:
                        run.broken, given_up = self._given_up(task, answer), True
                if given_up:
                    run.incomplete = f"{run.broken}; {asked} of {len(tasks)} were asked"
                    break
        self._progress("done", len(run.answers), len(tasks))
        return run

    def _held(self, part: Sequence[Task]) -> bool:
        """Whether the journal has all of them: these cost nothing."""
        return all(self._journal.get(task.key) is not None for task in part)

    def _answers(self, part: Sequence[Task], pool: ThreadPoolExecutor | None) -> Iterator[tuple[Task, _A, bool]]:
        """Task, answer, and whether it was asked now."""
        held = {task.key: self._journal.get(task.key) for task in part}
        new = [task for task in part if held[task.key] is None]
        if pool is None:
            made = {task.key: self._answer(task) for task in new}
        else:
            jobs = {task.key: pool.submit(copy_context().run, self._answer, task) for task in new}
            made = {key: job.result() for key, job in jobs.items()}
        for task in part:
            known = held[task.key]
            yield (task, made[task.key], True) if known is None else (task, known, False)

    def _given_up(self, task: Task, answer: _A) -> str:
        reason = f"{SYSTEMIC} answers of {task.variant} in a row failed: {answer.error or answer.outage}"
        if self._partial:
            return reason
        raise InfrastructureError(reason, hint="what was answered is kept; the same command goes on")

    def _answer(self, task: Task) -> _A:
        try:
            answer = self._ask(task)
        except InputError:
            raise  # a wrong name or setting is wrong for every task
        except MeloError as error:
            return self._crashed(f"{error.code}: {error.one_line()}")
        except Exception as error:  # noqa: BLE001 - one bad example is a failure with a reason, and the run goes on
            return self._crashed(f"{type(error).__name__}: {error}")
        if not answer.outage:
            self._journal.put(task.key, answer)
        return answer

    def _reached(self, calls: int, seconds: float, usd: float) -> str:
        limits = self._limits
        if limits.calls is not None and calls >= limits.calls:
            return f"the limit of {limits.calls} LM calls is reached"
        if limits.seconds is not None and seconds >= limits.seconds:
            return f"the limit of {limits.seconds:g} s is reached"
        if limits.usd is not None and usd >= limits.usd:
            return f"the limit of {limits.usd:g} USD is reached"
        return ""

    def _cost(self, answer: _A) -> float:
        if answer.usage.cost_usd is not None:
            return answer.usage.cost_usd
        if self._limits.usd is not None and not self._free and answer.usage.calls > answer.remembered:
            raise InputError("the price of this backbone is not known, so --max-usd cannot be kept", hint="use --max-calls")
        return 0.0
