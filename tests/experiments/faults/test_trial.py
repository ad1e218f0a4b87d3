"""One set with faults, with the breaker and without; and curves from labelled rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from data.labelled import LabelledRow
from experiments.faults.calibrating import curves, points
from experiments.faults.injector import Strike
from experiments.faults.kinds import INVENTED, OFF_TOPIC
from experiments.faults.trial import Outcome, Trial
from experiments.figures import Drawn, Figure
from experiments.report import Block, Table
from experiments.tables.base import Setup
from experiments.tables.faults import KINDS, FaultsTable
from program.index.engine import EmbeddedIndex
from program.settings import Settings
from program.trust.breaker.calibration import Calibration
from tests.experiments.conftest import Run
from tests.experiments.faults.parts import opened, without
from tests.labelled import ADELE, named, row
from tests.program.trust.breaker.parts import trip

TEXTS = (
    "songs by Metallica", "post-punk", "songs like Africa", "jazz from the 80s", "20 songs by Adele", "songs by blink-182",
    "30 minutes of rock", "Hello", "rock without Metallica", "来点爵士乐",
)  # fmt: skip


@pytest.fixture(scope="module")
def index(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    """The tiny catalog."""
    with opened(tiny_catalog) as found:
        yield found


def _quiet(*_: object) -> None:
    pass


@pytest.fixture(scope="module")
def trial(index: EmbeddedIndex) -> Trial:
    """Ten requests whose clean answers are known."""
    made = Trial([row(text, qid=f"entity-{number:03d}") for number, text in enumerate(TEXTS)], index, Settings(), without, seed=3)
    made.clean(_quiet)
    return made


def _rows(*_: object) -> tuple[LabelledRow, ...]:
    return (
        row("songs by metallica", qid="entity-001", entities=[named("metallica", "artist", "metallica")]),
        row("post-punk", qid="entity-002"),
        row("hello by adele", qid="entity-003", entities=[named("hello", "track", ADELE)]),
        row("post-punk", qid="entity-004"),
    )


# -- trial ---------------------------------------------------------------------------------------------------------------


def test_fewer_spoilt_answers_reach_the_listener(trial: Trial) -> None:
    """At half of the requests: without the breaker faults get through, with it fewer, and no clean request is stopped."""
    off, on = (trial.run(0.5, 0, breaker=breaker, told=_quiet) for breaker in (False, True))

    assert [len(one) for one in (off, on)] == [10, 10]
    assert sum(one.spoilt for one in off) >= 2
    assert sum(one.spoilt for one in on) < sum(one.spoilt for one in off)
    assert not any(one.trips for one in off)
    assert not any(one.crashed for one in (*off, *on))
    assert not any(one.trips for one in on if not one.strikes)
    assert all(one.strikes for one in off if one.spoilt)


def test_without_faults_nothing_is_spoilt(trial: Trial) -> None:
    """At rate 0 the answers with the breaker are those without it."""
    outcomes = trial.run(0.0, 0, breaker=True, told=_quiet)

    assert [(one.spoilt, one.trips, one.strikes) for one in outcomes] == [(False, (), ())] * 10


def test_both_variants_meet_the_same_faults(trial: Trial) -> None:
    """The drawing depends on seed, rate and number alone, and takes its share of those that can be struck."""
    able = [text for text, one in trial.clean(_quiet).items() if one.kinds]

    assert trial.struck(0.5, 0) == trial.struck(0.5, 0)
    assert trial.struck(0.5, 0) != trial.struck(0.5, 1)
    assert len(trial.struck(0.5, 0)) == round(len(able) / 2)
    assert trial.struck(0.0, 0) == {}
    assert set(trial.struck(1.0, 0)) == set(able)
    assert "Hello" in TEXTS


def test_a_trip_is_right_where_a_fault_was_put_in() -> None:
    """By node: a trip at another node of a struck request is a false one."""
    strikes = (Strike(INVENTED, "execute", 0), Strike(INVENTED, "execute", 1))
    trips = (trip(1, node="execute", task="factual"), trip(2, node="plan"))

    assert Outcome(strikes, trips, False, False, False, False).right_trips == 1
    assert Outcome((), trips, False, False, False, False).right_trips == 0
    assert Outcome(strikes, (), True, False, False, False).right_trips == 0


# -- table ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(index: EmbeddedIndex) -> Table:
    """Two rates, two drawings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("experiments.tables.faults.rows_of", _rows)
        setup = Setup(Settings(), runs=2, drawn=Drawn(seed=5, draws=50))
        return FaultsTable("entity", "dev", index, setup, (0.5, 1.0)).table()


def _cells(block: Block, column: str) -> dict[str, Any]:
    return {line.name: line.cells[column] for line in block.lines}


def test_the_table(table: Table) -> None:
    """Rates by line; with the breaker less reaches the answer; doubled requests are asked once."""
    stopped, reached, by_kind = table.blocks
    off, on = (_cells(reached, column)["100%"] for column in ("off", "on"))
    precision = _cells(stopped, "precision")["100%"]

    assert table.about.requests == 3
    assert list(_cells(stopped, "trips")) == ["50%", "100%"]
    assert isinstance(off, Figure)
    assert isinstance(on, Figure)
    assert off.value is not None
    assert on.value is not None
    assert on.value < off.value
    assert precision.value == 1.0
    assert _cells(reached, "cut")["100%"].value == pytest.approx(1 - on.value / off.value, abs=1e-3)
    assert list(_cells(by_kind, "caught")) == list(KINDS.values())
    assert table.details["false_trips"] == []
    assert not any(request.request in table.model_dump_json() for request in _rows())


def test_false_trips_are_told_apart() -> None:
    """A trip without a fault is listed by node and cause, without words; a right one beside it is not."""
    from experiments.tables.faults import _false_trips

    both = (trip(1), trip(2, node="synthesize", task="creative", cause="subject"))
    outcome = Outcome((Strike(OFF_TOPIC, "synthesize", 0),), both, False, False, False, False)

    assert [(one["node"], one["cause"]) for one in _false_trips({0.2: [[outcome]]})] == [("plan", "serves")]


def test_two_tables_are_identical(index: EmbeddedIndex, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same figures."""
    monkeypatch.setattr("experiments.tables.faults.rows_of", _rows)
    setup = Setup(Settings(), runs=2, drawn=Drawn(seed=5, draws=50))
    again = FaultsTable("entity", "dev", index, setup, (0.5, 1.0)).table()

    assert again.model_dump(exclude={"about"}) == table.model_dump(exclude={"about"})


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_command(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One object on stdout, and the files of the table, by the options that were given."""
    monkeypatch.setattr("experiments.tables.faults.rows_of", _rows)
    options = ("--set", "entity", "--split", "train", "--rate", "0.2", "--runs", 1)
    done = run("experiment", "faults", *options, "--json", "--no-track", "--out", tmp_path / "out")
    printed = json.loads(done.out)

    assert done.code == 0
    assert (printed["name"], printed["about"]["split"], printed["about"]["runs"]) == ("faults", "train", 1)
    assert [line["name"] for line in printed["blocks"][0]["lines"]] == ["20%"]
    assert {path.suffix for path in (tmp_path / "out").iterdir()} >= {".json", ".md"}


def test_a_rate_that_is_no_share(run: Run) -> None:
    """Two is refused."""
    assert run("experiment", "faults", "--rate", "2").code != 0


# -- calibration ---------------------------------------------------------------------------------------------------------


def test_points(index: EmbeddedIndex) -> None:
    """The own score of each output, as it comes from the producer, and whether it was right: of readings by the label."""
    wrong = row("hello by adele", qid="entity-005", entities=[named("hello", "track", "nobody--nothing")])
    found = points((*_rows(), wrong), index, Settings(), without, _quiet)

    assert found.keys() == {"understand:code", "plan:code", "reflect:code", "synthesize:code"}
    assert [right for _, right in found["understand:code"]] == [True, False, True, False, False]
    assert all(0 < score <= 1 for score, _ in found["understand:code"])


def test_curves_need_enough() -> None:
    """A maker with a handful of outputs gets none, nor one whose scores are all alike, nor code beside a model."""
    many = [(0.9, True), (0.2, False), (0.6, True)] * 10
    found = {"understand:code": many, "understand:x": many[:14], "plan:x": many, "plan:code": [(1.0, True)] * 30}

    assert curves(found).keys() == {"understand:code", "plan:x"}
    assert curves(found, models_only=True).keys() == {"plan:x"}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_calibrate(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is added to, never on the test split."""
    texts = ("post-punk", "hello by adele", "songs by metallica", "play qwertz zyx")
    many = [row(texts[number % 4], qid=f"entity-{number:03d}") for number in range(40)]
    monkeypatch.setattr("experiments.labelled_run.rows_of", lambda *_: tuple(many))
    keep = tmp_path / "curves.json"
    keep.write_text('{"curves": {"understand:openai/x": {"slope": 1.0, "offset": 0.0, "n": 50}}}')
    done = run("experiment", "calibrate", "--set", "entity", "--keep", keep)
    refused = run("experiment", "calibrate", "--split", "test", "--keep", keep)
    held = Calibration.model_validate_json(keep.read_bytes()).curves

    assert done.code == 0
    assert held.keys() == {"understand:openai/x", "understand:code"}
    assert held["understand:code"].n == 40
    assert refused.code != 0
    assert "--split dev" in refused.err
