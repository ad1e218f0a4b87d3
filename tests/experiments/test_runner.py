"""The runner: what is journaled is not asked again, limits stop it, bad examples do not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from data.contracts import Usage
from data.errors import InfrastructureError, InputError, ToolFailedError
from experiments.journal import Journal, remove_old
from experiments.runner import SYSTEMIC, Run, Runner, Task
from optimizers.limits import Limits
from optimizers.records import Asked


def _tasks(count: int, **parts: str) -> list[Task]:
    return [Task("full", f"q{number}", 0, f"text {number}", tuple(parts.items())) for number in range(count)]


class _Program:
    """Answers with one LM call each and remembers what it was asked. fails: qids that raise."""

    def __init__(self, fails: frozenset[str] = frozenset(), cost_usd: float | None = 0.5, outage: str = "") -> None:
        self.asked: list[str] = []
        self._fails, self._cost, self._outage = fails, cost_usd, outage

    def __call__(self, task: Task) -> Asked:
        self.asked.append(task.qid)
        if task.qid in self._fails:
            raise ToolFailedError("the tool broke")
        return Asked(usage=Usage(calls=1, cost_usd=self._cost), outage=self._outage)


def _run(ask: Callable[[Task], Asked], tasks: list[Task], path: Path | None, limits: Limits | None = None) -> Run[Asked]:
    return Runner(ask, lambda reason: Asked(error=reason), Journal(path, Asked), limits=limits).run(tasks)


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """After a stop by a limit the next run asks only what is left, and both together answer everything."""
    path, first, second = tmp_path / "j.jsonl", _Program(), _Program()
    stopped = _run(first, _tasks(5), path, Limits(calls=3))
    whole = _run(second, _tasks(5), path)

    assert stopped.incomplete == "the limit of 3 LM calls is reached after 3 of 5 answers"
    assert (first.asked, second.asked) == (["q0", "q1", "q2"], ["q3", "q4"])
    assert (len(whole.answers), whole.reused, whole.incomplete) == (5, 3, "")


def test_a_line_that_was_cut_off_is_asked_again(tmp_path: Path) -> None:
    """A crash while a line is written loses that answer only."""
    path, again = tmp_path / "j.jsonl", _Program()
    _run(_Program(), _tasks(2), path)
    path.write_bytes(path.read_bytes()[:-20])
    found = _run(again, _tasks(2), path)

    assert again.asked == ["q1"]
    assert len(found.answers) == 2


@pytest.mark.parametrize("changed", [{"settings": "b"}, {"settings": "a", "catalog": "c"}])
def test_other_settings_are_another_answer(tmp_path: Path, changed: dict[str, str]) -> None:
    """The key holds all that an answer depends on."""
    path, again = tmp_path / "j.jsonl", _Program()
    _run(_Program(), _tasks(1, settings="a"), path)
    _run(again, _tasks(1, **changed), path)

    assert again.asked == ["q0"]


def test_a_bad_example_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    """The run goes on, and the failure is tried again next time."""
    path, again = tmp_path / "j.jsonl", _Program()
    found = _run(_Program(fails=frozenset({"q1"})), _tasks(3), path)
    _run(again, _tasks(3), path)

    assert found.answers["full", "q1", 0].error == "tool_failed: the tool broke"
    assert [answer.error for answer in found.answers.values()].count("") == 2
    assert again.asked == ["q1"]


def test_failure_after_failure_is_no_bad_example(tmp_path: Path) -> None:
    """A systemic fault raises instead of filling a table with failures; what was answered before is kept."""
    fails = frozenset(f"q{number}" for number in range(1, 20))
    program = _Program(fails=fails)

    with pytest.raises(InfrastructureError, match=f"{SYSTEMIC} answers of full in a row failed"):
        _run(program, _tasks(20), tmp_path / "j.jsonl")
    assert len(program.asked) == 1 + SYSTEMIC


def test_a_variant_that_works_hides_none_that_fails(tmp_path: Path) -> None:
    """Failures are counted by variant: one that always answers does not reset another's."""
    tasks = [Task(name, f"q{number}", 0, "text", ()) for number in range(9) for name in ("popular", "full")]

    def ask(task: Task) -> Asked:
        if task.variant == "full":
            raise ToolFailedError("the tool broke")
        return Asked()

    with pytest.raises(InfrastructureError, match="of full in a row"):
        _run(ask, tasks, None)


def test_an_outage_is_not_kept(tmp_path: Path) -> None:
    """An answer that a dead LM shaped is asked again."""
    path, again = tmp_path / "j.jsonl", _Program()
    _run(_Program(outage="understand: no answer"), _tasks(1), path)
    _run(again, _tasks(1), path)

    assert again.asked == ["q0"]


def test_limits_of_time_and_money() -> None:
    """Each stops the run in its own words."""
    ticks = iter(range(100))
    slow = Runner(_Program(), lambda reason: Asked(error=reason), Journal(None, Asked), limits=Limits(seconds=3),
                  clock=lambda: float(next(ticks)))  # fmt: skip

    assert slow.run(_tasks(9)).incomplete.startswith("the limit of 3 s is reached after ")
    assert _run(_Program(), _tasks(9), None, Limits(usd=1)).incomplete == "the limit of 1 USD is reached after 2 of 9 answers"


def test_money_without_a_price() -> None:
    """A limit in money cannot be kept where no price is known, and says so instead of spending."""
    with pytest.raises(InputError, match="price of this backbone is not known"):
        _run(_Program(cost_usd=None), _tasks(2), None, Limits(usd=1))


def test_only_whole_requests_are_compared() -> None:
    """A request that one variant lacks is left out for all."""
    run = Run[Asked]()
    run.answers = {("full", "q0", 0): Asked(), ("none", "q0", 0): Asked(), ("full", "q1", 0): Asked()}

    assert run.whole(("full", "none"), ("q0", "q1"), 1) == ("q0",)


def test_old_journals_go(tmp_path: Path) -> None:
    """Those of the same kind that nobody wrote to for a week; younger ones and others stay."""
    names = ("field-none-a.jsonl", "field-none-b.jsonl", "labelled-none-a.jsonl")
    for name in names:
        (tmp_path / name).touch()
    for name in (names[0], names[2]):
        os.utime(tmp_path / name, (0, 0))
    remove_old(tmp_path, "field-none-*.jsonl")

    assert sorted(path.name for path in tmp_path.iterdir()) == [names[1], names[2]]
