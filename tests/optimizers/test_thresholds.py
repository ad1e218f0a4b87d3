"""The search on objectives whose best point is known: it finds it, repeats itself, goes on, and leaves alone what is no use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.errors import InfrastructureError
from optimizers.objective import Objective, Part, Table
from optimizers.space import Constraint, values_of
from optimizers.thresholds import LEAST_WORTH, Search, ThresholdStudy, Trial
from program.settings import Settings


class Hill:
    """Highest where `p_hi` is 0.8 and `fuzzy_max_spans` is 5; no other setting counts.

    Attributes:
        seen: every settings that were asked for, in order. fails_at: the call that raises, 1-based.
    """

    def __init__(self, fails_at: int = 0, slope: float = 1.0) -> None:
        self.seen: list[Settings] = []
        self.fails_at = fails_at
        self.slope = slope

    def rows(self, settings: Settings) -> Table:
        self.seen.append(settings)
        if len(self.seen) == self.fails_at:
            raise KeyboardInterrupt
        grounding = settings.grounding
        far = abs(grounding.p_hi - 0.8) + abs(grounding.fuzzy_max_spans - 5) / 10
        return np.array([[1 - self.slope * far, 1.0]])

    def objective(self) -> Objective:
        return Objective([Part("height", "height", "points", 1.0, self.rows, lambda sums: sums[..., 0] / sums[..., 1])])


def _study(hill: Hill, *, seed: int = 0, storage: Path | None = None) -> ThresholdStudy:
    return ThresholdStudy(hill.objective(), Search(Settings(), seed=seed, storage=storage))


def _tried(study: ThresholdStudy) -> list[tuple[dict[str, float], float]]:
    return [(dict(trial.values), trial.score) for trial in study.trials]


def test_it_finds_what_is_better_and_only_changes_that() -> None:
    """Both useful settings are changed for the better; the six that count for nothing stay as they were."""
    hill = Hill()
    study = _study(hill)
    study.run(40)
    found = study.proposal()

    assert set(found.changes) == {"p_hi", "fuzzy_max_spans"}
    assert found.after.score > found.before.score + 0.2
    assert found.changes["p_hi"].before == Settings().grounding.p_hi
    assert found.settings.grounding.p_hi == found.changes["p_hi"].after
    assert all(change.worth > LEAST_WORTH for change in found.changes.values())
    base = Settings().grounding
    others = {"p_hi": base.p_hi, "fuzzy_max_spans": base.fuzzy_max_spans}
    assert found.settings.grounding.model_copy(update=others) == Settings().grounding


def test_the_worth_of_a_change_is_what_putting_it_back_loses() -> None:
    """Known here: a tenth for each span more, one for one for the cut-off."""
    study = _study(Hill())
    study.run(30)
    found = study.proposal()
    spans = found.changes["fuzzy_max_spans"]

    assert spans.worth == pytest.approx((abs(spans.before - 5) - abs(spans.after - 5)) / 10)


def test_it_starts_from_the_base_and_keeps_the_constraints() -> None:
    """Trial 0 is the base itself, off the grid too; nothing that breaks a constraint is ever asked for."""
    hill = Hill()
    base = Settings().model_copy(update={"grounding": Settings().grounding.model_copy(update={"ambiguity_margin": 0.1234})})
    narrow = (Constraint("p_hi < 0.5", lambda grounding: grounding.p_hi < 0.5 or grounding.p_hi == 0.6),)
    search = Search(base, constraints=narrow)
    study = ThresholdStudy(hill.objective(), search)
    study.run(12)

    assert hill.seen[0] == base
    assert study.trials[0].values == values_of(base, search.dials)
    assert len(study.trials) == 12
    assert all(narrow[0].holds(settings.grounding) for settings in hill.seen)


def test_the_seed_decides() -> None:
    """The same seed tries the same, another one tries something else."""
    first, same, other = (_study(Hill(), seed=seed) for seed in (3, 3, 4))
    for study in (first, same, other):
        study.run(14)

    assert _tried(first) == _tried(same)
    assert _tried(first) != _tried(other)


def test_nothing_better_means_nothing_changed() -> None:
    """A flat objective, or one that gains a hair, leaves the settings alone."""
    for slope in (0.0, LEAST_WORTH / 10):
        study = _study(Hill(slope=slope))
        study.run(15)
        found = study.proposal()

        assert found.changes == {}
        assert found.settings == Settings()


@pytest.mark.parametrize("stopped_in", [1, 4, 12])
def test_a_stopped_study_goes_on_as_if_it_had_not_stopped(tmp_path: Path, stopped_in: int) -> None:
    """What was done is not asked again, the running trial is, and the trials are those of a study in one go."""
    whole = _study(Hill(), seed=1)
    whole.run(18)
    storage = tmp_path / "folder" / "study.journal"
    with pytest.raises(KeyboardInterrupt):
        _study(Hill(fails_at=stopped_in), seed=1, storage=storage).run(18)

    hill, watched = Hill(), list[Trial]()
    again = _study(hill, seed=1, storage=storage)
    done = len(again.trials)
    again.run(18, watch=watched.append)

    assert done == stopped_in - 1
    assert _tried(again) == _tried(whole)
    assert [trial.number for trial in watched] == list(range(done, 18))
    assert not {one.hash() for one in hill.seen} & {one.hash() for one in _settings(again.trials[:done])}


def _settings(trials: tuple[Trial, ...]) -> list[Settings]:
    from optimizers.space import turned

    return [turned(Settings(), trial.values) for trial in trials]


def test_the_same_settings_are_asked_once() -> None:
    """Trials that round to the same settings, and the changes put back at the end, cost nothing the second time."""
    hill = Hill()
    study = _study(hill)
    study.run(40)
    study.proposal()

    assert len({settings.hash() for settings in hill.seen}) == len(hill.seen)


def test_no_trial_starts_when_the_time_is_over() -> None:
    """The clock is asked before each trial; what is done by then stays."""
    now = iter([0.0, 1.0, 2.0, 5.0, 10.0, 20.0])
    study = ThresholdStudy(Hill().objective(), Search(Settings(), clock=lambda: next(now)))
    study.run(50, seconds=4.0)
    none = ThresholdStudy(Hill().objective(), Search(Settings(), clock=lambda: next(now)))
    none.run(50, seconds=0.0)

    assert len(study.trials) == 3
    assert [trial.values for trial in none.trials] == [values_of(Settings(), Search(Settings()).dials)]


def test_no_trial_no_proposal() -> None:
    """A proposal needs at least the base."""
    with pytest.raises(ValueError, match="no trial"):
        _study(Hill()).proposal()


def test_a_damaged_file_is_one_error(tmp_path: Path) -> None:
    """A file that is no study, or cannot be one, is told with its name."""
    broken = tmp_path / "study.journal"
    broken.write_text("not a study\n{}\n")

    with pytest.raises(InfrastructureError, match=r"study\.journal"):
        _study(Hill(), storage=broken)
    with pytest.raises(InfrastructureError, match="cannot use"):
        _study(Hill(), storage=tmp_path / "study.journal" / "below")
