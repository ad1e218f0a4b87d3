"""A search for thresholds: an Optuna study (TPE) over grounding settings. No language model takes part.

Every draw has a seed of its own, made from the study's seed and the number of draws before it. So a study that was stopped
and goes on from its file draws what it would have drawn without the stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.storages import InMemoryStorage, JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from data.errors import InfrastructureError
from optimizers.objective import Objective
from optimizers.space import CONSTRAINTS, DIALS, Constraint, Dial, Values, turned, values_of
from program.settings import Settings

LEAST_WORTH = 0.001
"""A change that the objective gains no more than this from is not made (own choice: below it lies one request in a thousand)."""

_RESULT = "result"
_FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)


@dataclass(frozen=True)
class Trial:
    """One setting that was tried.

    Attributes:
        number: 0 is the settings that the search started from.
        figures: of the objective's parts. score: their weighted mean, higher is better.
    """

    number: int
    values: Values
    figures: Mapping[str, float]
    score: float


@dataclass(frozen=True)
class Change:
    """One setting that the search proposes to change. worth: what the objective loses when only this one is put back."""

    before: float
    after: float
    worth: float


@dataclass(frozen=True)
class Proposal:
    """What a search found. before, after: the objective on the rows that it searched on."""

    settings: Settings
    changes: Mapping[str, Change]
    before: Trial
    after: Trial
    found_in: int


@dataclass(frozen=True)
class Search:
    """How a search is done.

    Attributes:
        base: the settings that it starts from. name: of the study; another objective or catalog must have another name.
        storage: the study's file, made when it is not there; None keeps it in memory.
    """

    base: Settings
    name: str = "thresholds"
    seed: int = 0
    storage: Path | None = None
    dials: tuple[Dial, ...] = DIALS
    constraints: tuple[Constraint, ...] = CONSTRAINTS
    clock: Callable[[], float] = field(default=time.monotonic)


class ThresholdStudy:
    """Tries settings, one after the other, and goes on with what its file holds.

    Raises:
        InfrastructureError: the study's file cannot be used.
    """

    def __init__(self, objective: Objective, search: Search) -> None:
        self._objective = objective
        self._search = search
        self._base = values_of(search.base, search.dials)
        self._distributions = {dial.name: _distribution(dial.covering(self._base[dial.name])) for dial in search.dials}
        self._known: dict[str, tuple[dict[str, float], float]] = {}
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with _storage_errors(search.storage):
            self._study = optuna.create_study(
                storage=_storage(search.storage), study_name=search.name, direction="maximize", load_if_exists=True
            )
            self._drop_unfinished()
        for trial in self.trials:
            self._known[self._settings(trial.values).hash()] = (dict(trial.figures), trial.score)

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Everything that was tried so far, in order."""
        complete = self._study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        return tuple(_trial(number, one) for number, one in enumerate(complete))

    def run(self, trials: int, seconds: float | None = None, watch: Callable[[Trial], None] = lambda trial: None) -> None:
        """Try settings until `trials` are done in all, or no time is left to start another; the base is always tried.

        Args:
            watch: is given each trial as it is done; not those that the study's file held.
        """
        started = self._search.clock()
        while (done := len(self.trials)) < trials:
            if done and seconds is not None and self._search.clock() - started >= seconds:
                return
            trial = self._step(done)
            if trial is not None:
                watch(trial)

    def proposal(self, watch: Callable[[str, int, int], None] = lambda name, done, total: None) -> Proposal:
        """The best settings that were tried, without the changes that the objective does not need.

        Args:
            watch: is given the name of each setting before it is put back to see, and how many of such steps are done.

        Raises:
            ValueError: nothing was tried yet.
        """
        trials = self.trials
        if not trials:
            raise ValueError("no trial is done")
        before, best = trials[0], max(trials, key=lambda trial: trial.score)
        values = dict(before.values) if best.score - before.score <= LEAST_WORTH else self._pruned(best, watch)
        after = self._evaluated(best.number, values)
        changed = [name for name in values if values[name] != self._base[name]]
        changes = {name: Change(self._base[name], values[name], after.score - self._without(values, name)) for name in changed}
        return Proposal(self._settings(values), changes, before, after, best.number)

    def _step(self, done: int) -> Trial | None:
        """One draw; None when it breaks a constraint."""
        drawn = len(self._study.get_trials(deepcopy=False, states=_FINISHED))
        seed = int(np.random.SeedSequence([self._search.seed, drawn]).generate_state(1)[0])
        self._study.sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=False)
        if not drawn and not self._study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
            self._study.enqueue_trial(dict(self._base))
        asked = self._study.ask(self._distributions)
        values = {dial.name: dial.rounded(asked.params[dial.name]) for dial in self._search.dials} if drawn else self._base
        if drawn and not self._is_allowed(values):
            self._study.tell(asked, state=TrialState.PRUNED)
            return None
        trial = self._evaluated(done, values)
        asked.set_user_attr(_RESULT, {"values": values, "figures": dict(trial.figures)})
        self._study.tell(asked, trial.score)
        return trial

    def _evaluated(self, number: int, values: Values) -> Trial:
        settings = self._settings(values)
        key = settings.hash()
        if key not in self._known:
            figures = self._objective.figures(settings)
            self._known[key] = (figures, self._objective.score(figures))
        return Trial(number, dict(values), *self._known[key])

    def _pruned(self, best: Trial, watch: Callable[[str, int, int], None]) -> dict[str, float]:
        """Changes put back, the least useful first, while the whole loses no more than `LEAST_WORTH`."""
        values = dict(best.values)
        changed = [name for name in values if values[name] != self._base[name]]
        scores = dict[str, float]()
        for done, name in enumerate(changed):
            watch(name, done, 2 * len(changed))
            scores[name] = self._without(values, name)
        for done, name in enumerate(sorted(changed, key=lambda name: -scores[name]), len(changed)):
            watch(name, done, 2 * len(changed))
            if best.score - self._without(values, name) <= LEAST_WORTH:
                values[name] = self._base[name]
        return values

    def _without(self, values: Values, name: str) -> float:
        """The score with one change put back; minus infinity where that breaks a constraint."""
        without = {**values, name: self._base[name]}
        return self._evaluated(0, without).score if self._is_allowed(without) else -np.inf

    def _is_allowed(self, values: Values) -> bool:
        grounding = self._settings(values).grounding
        return all(constraint.holds(grounding) for constraint in self._search.constraints)

    def _settings(self, values: Values) -> Settings:
        return turned(self._search.base, values)

    def _drop_unfinished(self) -> None:
        """What was running when the study was stopped is done anew."""
        for trial in self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            self._study.tell(trial.number, state=TrialState.FAIL)


def _distribution(dial: Dial) -> BaseDistribution:
    return IntDistribution(int(dial.low), int(dial.high)) if dial.whole else FloatDistribution(dial.low, dial.high)


def _trial(number: int, stored: FrozenTrial) -> Trial:
    result: dict[str, Any] = stored.user_attrs[_RESULT]
    return Trial(number, result["values"], result["figures"], float(stored.values[0]))


def _storage(path: Path | None) -> InMemoryStorage | JournalStorage:
    if path is None:
        return InMemoryStorage()
    path.parent.mkdir(parents=True, exist_ok=True)
    return JournalStorage(JournalFileBackend(str(path)))


@contextmanager
def _storage_errors(path: Path | None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InfrastructureError(f"cannot use the study's file {path}: {error.strerror or error}") from error
    except (ValueError, KeyError) as error:
        if path is None:
            raise
        raise InfrastructureError(f"the study's file {path} is damaged: {error}", hint="delete it to start anew") from error
