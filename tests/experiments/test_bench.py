"""The benchmark: how runs become figures, what is drawn, what is kept, and that each part measures what targets name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from data.errors import InfrastructureError
from experiments.bench import __main__ as command_line
from experiments.bench.child import answer_of, spawn
from experiments.bench.figures import Figure, figure
from experiments.bench.job import Job, Measured, NotMeasurableError
from experiments.bench.measure import MODULES
from experiments.bench.memory import MemoryWatch
from experiments.bench.parts import answers, build, execute, lookup, relax, shortcut, startup, store
from experiments.bench.requests import Request, distinct, head_requests, lookup_requests, narrow_requests, search_requests
from experiments.bench.results import Result, ResultFiles
from experiments.bench.runner import PARTS, Options, Runner
from experiments.bench.shelf import Shelf
from experiments.bench.table import lines
from experiments.bench.targets import TARGETS, Catalog, verdicts
from experiments.bench.words import NEED_AN_LM
from program.index.engine import EmbeddedIndex
from program.tools.registry import TOOLS, WITHOUT_MODELS
from tests.tiny import TinyEmbedder, open_tiny


@pytest.fixture(scope="module")
def tiny(tiny_catalog: Path) -> Iterator[EmbeddedIndex]:
    index = open_tiny(tiny_catalog)
    yield index
    index.close()


def measured(tracks: int = 100, p50: float = 1.0) -> Measured:
    return Measured((Figure("look_up", "ms", 3, 0.5, p50, p50, p50, 0.0),), {"hash": "h", "tracks": tracks}, "s")


def test_figures() -> None:
    """The 99th of a hundred runs is the 99th percentile; of three it is the slowest; of none it is an error."""
    many, few = figure("x", "ms", [float(value) for value in range(100, 0, -1)]), figure("x", "s", [3.0, 1.0, 2.0])

    assert (many.n, many.minimum, many.p50, many.p99, many.maximum) == (100, 1, 50.5, 99, 100)
    assert (few.minimum, few.p50, few.p99) == (1, 2, 3)
    with pytest.raises(ValueError, match="nothing was measured"):
        figure("x", "ms", [])


@pytest.mark.parametrize(("tracks", "p50", "expected"), [(999_999, 2.0, "met"), (50_000, 2.1, "NOT MET*")])
def test_verdicts(tracks: int, p50: float, expected: str) -> None:
    """A target is met up to its limit, and marked where the catalog is not of its size."""
    found = verdicts(measured(tracks, p50).figures[0], "synth", tracks)

    assert found[0].text() == f"P50 ≤ 2 ms: {expected}"


@pytest.mark.parametrize("draw", [lookup_requests, head_requests, narrow_requests, search_requests])
def test_requests_follow_the_seed(tiny: EmbeddedIndex, draw: Any) -> None:
    """One seed, 0 too, draws the same distinct requests every time; another draws others."""
    first = draw(tiny, 40, 0)

    assert len({request.text for request in first}) == 40
    assert first == draw(tiny, 40, 0) != draw(tiny, 40, 1)


def test_what_requests_are_made_of(tiny: EmbeddedIndex) -> None:
    """L1 gets twelve words of every kind; names are the catalog's own; drawing ends when nothing new comes."""
    twelve = lookup_requests(tiny, 60, 0)
    named = [request.text for request in head_requests(tiny, 40, 0) if request.kind == "track by artist"]

    assert {len(request.text.split()) for request in twelve} == {12}
    assert {request.kind for request in twelve} == {"names", "facets", "mixed", "typos", "talk"}
    titles = {tiny.track(row).track.title for row in range(tiny.info.tracks)}
    assert {text.removeprefix("play ").rpartition(" by ")[0] for text in named} <= titles
    assert len(distinct(lambda number: Request("any", str(number % 3)), 10)) == 3


def job_on(folder: Path, part: str, n: int = 6) -> Job:
    return Job(part, "demo", source="unused", index=str(folder), n=n, warmup=2, repeats=1)


@pytest.mark.parametrize(("module", "name"), [(lookup, "look_up"), (shortcut, "shortcut answer"), (execute, "EXECUTE")])
def test_parts_over_requests(tiny_catalog: Path, module: Any, name: str) -> None:
    """Every request is measured, over all and by kind, and none fails; EXECUTE plans every tool that code may choose."""
    found: Measured = module.measure(job_on(tiny_catalog, "any", 30))

    assert (found.figures[0].name, found.figures[0].n) == (name, 30)
    assert sum(item.n for item in found.figures[1:]) == 30
    assert "failed" not in found.detail.get("outcomes", {})
    assert set(found.detail.get("tool_calls", TOOLS)) >= WITHOUT_MODELS - {"similar_artists"}


def test_relaxations_of_thin_results(tiny_catalog: Path) -> None:
    """Only requests that match too few are measured, and changes are found for them."""
    found = relax.measure(job_on(tiny_catalog, "relax", 10))

    assert (found.figures[0].name, found.figures[0].n) == ("relaxations", 10)
    assert found.detail["offered_mean"] > 1


def test_answers_without_a_model(tiny_catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a model, nodes have times and no tokens are spent; where the brain is missing, its part says so."""
    found = answers.measure(job_on(tiny_catalog, "none", 3))
    monkeypatch.setenv("MELO_HOME", str(tmp_path))

    assert {"answer without a model", "node understand", "node execute"} <= {item.name for item in found.figures}
    assert (found.detail["nodes"], len(found.detail["requests"])) == ({}, 3)
    with pytest.raises(NotMeasurableError, match="smollm2-135m is not installed"):
        answers.measure(job_on(tiny_catalog, "lm"))


def test_store_part(tiny_catalog: Path) -> None:
    """Blocks of writing and every kind of query, in one month and in twelve; a run with fewer has names of its own."""
    found = store.measure(replace(job_on(tiny_catalog, "store", 2_000), repeats=5))
    names = {item.name: item.n for item in found.figures}

    assert len(found.figures) == 2 * 5
    assert names["store forward, twelve months, 2,000 artifacts"] == 5
    assert not {target.figure for target in TARGETS} & names.keys()
    assert all(found.detail[f"months_{months}"]["writes_per_s"] > 0 for months in (1, 12))


def test_startup_part(tiny_catalog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The warm-up process is not counted, and the index opens before the program is ready."""
    monkeypatch.setattr(startup, "spawn", answer_of)
    found = startup.measure(replace(job_on(tiny_catalog, "startup", 2), warmup=1))
    p50 = {item.name: item.p50 for item in found.figures}

    assert {item.n for item in found.figures} == {2}
    assert 0 < p50["index open"] < p50["start to ready"]


def test_build_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build reports its stages, which add up to the whole, and its memory."""
    monkeypatch.setattr(build, "spawn", answer_of)
    monkeypatch.setattr(build, "packaged_embedder", TinyEmbedder)
    shelf = Shelf(tmp_path, 120)
    found = build.measure(Job("build", "synth", str(shelf.source("synth")), str(shelf.index("synth")), n=1))
    by_name = {item.name: item for item in found.figures}
    of_stages = sum(item.p50 for name, item in by_name.items() if name.startswith("stage "))

    assert found.catalog["tracks"] == 120
    assert of_stages == pytest.approx(by_name["index build"].p50, rel=0.1, abs=0.05)
    assert 0.01 < by_name["index build peak memory"].p50 < 50


def test_memory_of_processes_beside() -> None:
    """What a process of the watched one holds counts."""
    with MemoryWatch() as memory:
        before = memory.peak_bytes()
        subprocess.run([sys.executable, "-c", "import time; a = bytearray(300_000_000); time.sleep(1.5)"], check=True)

    assert memory.peak_bytes() - before > 150_000_000


def test_every_target_is_of_a_figure_that_a_part_measures() -> None:
    """A target whose figure no part names would never be checked; the model's part counts at least twenty requests."""
    sources = "".join(Path(str(sys.modules[module].__file__)).read_text() for module in sorted(set(MODULES.values())))
    size = PARTS["lm"].usual

    assert all(f'"{target.figure}"' in sources for target in TARGETS)
    assert MODULES.keys() == PARTS.keys()
    assert 20 <= size.n <= len(set(NEED_AN_LM)) - size.warmup


def test_stage_clock() -> None:
    """Work done is charged to its stage, and so is what follows the last report."""
    now = iter([0.0, 1.0, 3.0, 6.0, 10.0, 15.0])
    clock = build.StageClock(lambda: next(now))
    for stage, done in (("reading", 100), ("reading", 200), ("indexing", 50), ("names", 0)):
        clock(stage, done)

    assert clock.finish() == {"reading": 3.0, "indexing": 7.0, "names": 5.0}


def run(error: str) -> dict[str, Any]:
    raise NotMeasurableError(error, hint="add it") if error == "no demo" else InfrastructureError(error)


def test_processes_that_measure_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reason to skip and a fault travel as one line each; a process that dies is a fault with its exit code."""
    monkeypatch.setitem(sys.modules, "bench_subject", sys.modules[__name__])

    assert answer_of("bench_subject", {"error": "no demo"}) == {"skipped": "no demo (add it)"}
    assert answer_of("bench_subject", {"error": "disk full"}) == {"failed": "disk full"}
    with pytest.raises(InfrastructureError, match="exit code 1 and no answer"):
        spawn("no.such.module", {})


class FakeShelf(Shelf):
    def source(self, catalog: Catalog) -> Path:
        return self.folder / catalog

    def content(self, catalog: Catalog) -> str:
        changed = self.folder / "changed"
        return f"{catalog} {self.tracks} {changed.read_text() if changed.is_file() else ''}"

    def built(self, catalog: Catalog) -> Path:
        return self.index(catalog)


@dataclass
class FakeMeasure:
    raises: dict[str, Exception] = field(default_factory=dict)
    jobs: list[Job] = field(default_factory=list)

    def __call__(self, job: Job) -> Measured:
        self.jobs.append(job)
        if job.part in self.raises:
            raise self.raises[job.part]
        return measured()


def runner_in(folder: Path, measure: FakeMeasure, *only: str, quick: bool = False, again: bool = False) -> Runner:
    options = Options(only, quick, again, "python -m experiments.bench")
    return Runner(options, FakeShelf(folder, 100), ResultFiles(folder / "out"), measure)


def test_a_finished_part_is_kept(tmp_path: Path) -> None:
    """What is finished is shown and not measured again, unless asked for; a quick run has files of its own."""
    measure = FakeMeasure()
    first, second = (runner_in(tmp_path, measure, "lm").run()[0] for _ in range(2))
    again, quick = runner_in(tmp_path, measure, "lm", again=True), runner_in(tmp_path, measure, "lm", quick=True)
    states = [first.state, second.state, again.run()[0].state, quick.run()[0].state]

    assert states == ["measured", "kept", "measured", "measured"]
    assert second.measured == first.measured
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["bench-lm-demo-quick.json", "bench-lm-demo.json"]


@pytest.mark.parametrize("file", ["changed", "shelf-id", "out/bench-lm-demo.json"])
def test_a_result_of_something_else_is_measured_again(tmp_path: Path, file: str) -> None:
    """A result of another catalog, from another machine's shelf, or in a damaged file does not stand in."""
    runner_in(tmp_path, FakeMeasure(), "lm").run()
    (tmp_path / file).write_text('{"key": 3')

    assert runner_in(tmp_path, FakeMeasure(), "lm").run()[0].state == "measured"
    assert runner_in(tmp_path, FakeMeasure(), "lm").run()[0].state == "kept"


def test_one_bad_part_does_not_stop_the_others(tmp_path: Path) -> None:
    """A skipped and a failed part say why, leave no file, and the rest is measured."""
    faults = {"lookup": InfrastructureError("disk full"), "lm": NotMeasurableError("no brain", hint="get one")}
    results = runner_in(tmp_path, FakeMeasure(dict(faults)), "lm", "lookup", "none").run()
    states = [(result.what, result.state, result.reason) for result in results]

    assert ("lookup-synth-100", "failed", "disk full") in states
    assert ("lm-demo", "skipped", "no brain (get one)") in states
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["bench-none-demo.json"]


def test_what_a_result_file_carries(tmp_path: Path) -> None:
    """Figures with their targets, and everything that they depend on; nothing names the machine."""
    runner_in(tmp_path, FakeMeasure(), "lookup").run()
    data = orjson.loads((tmp_path / "out" / "bench-lookup-demo.json").read_bytes())

    assert [target["met"] for target in data["targets"]["look_up"]] == [True, True]
    assert {"cores", "cpu", "load_before", "load_after"} <= data["machine"].keys()
    assert {"date", "command", "settings", "catalog", "versions", "figures", "key"} <= data.keys()


def test_the_table() -> None:
    """A line a figure with its targets, why a part is missing, and how many targets are met."""
    results = [
        Result("lookup-synth-100", "lookup", "synth", "measured", measured=measured(100, 3.0)),
        Result("lm-demo", "lm", "demo", "skipped", "no brain (get one)"),
    ]
    text = "\n".join(lines(results))

    assert "P50 ≤ 2 ms: NOT MET*; P99 ≤ 10 ms: met*" in text
    assert "skipped: no brain (get one)" in text
    assert "1 of 2 targets met" in text


def test_the_synthetic_catalog_is_written_once(tmp_path: Path) -> None:
    """It is used again while its recipe is the same, and written anew when it is not."""
    shelf = Shelf(tmp_path, 100)
    path = shelf.source("synth")
    path.write_text("mine")

    assert shelf.source("synth").read_text() == "mine"
    (tmp_path / "synth-100.jsonl.stamp").write_text("an older recipe")
    assert shelf.source("synth").read_text().startswith('{"kind":"artist"')


def test_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name is one line on stderr and exit code 2; the help shows how it is called."""
    codes = []
    for arguments in (["--only", "nonsense"], ["--help"]):
        monkeypatch.setattr(sys, "argv", ["bench", *arguments])
        with pytest.raises(SystemExit) as caught:
            command_line.main()
        codes.append(caught.value.code)
    shown = capsys.readouterr()

    assert codes == [2, 0]
    assert shown.err.startswith("bench: no part is called nonsense (known: build, startup,")
    assert all(word in shown.out for word in ("--only", "--tracks", "--quick", "--out", "--keep", "--again", "Examples:"))


@pytest.mark.slow
def test_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One part of a small synthetic catalog: written, indexed, measured in processes of their own, printed."""
    arguments = ["--quick", "--only", "lookup", "--tracks", "300", "--out", str(tmp_path / "out"), "--keep", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["bench", *arguments])

    with pytest.raises(SystemExit) as caught:
        command_line.main()
    assert caught.value.code == 0
    assert "look_up" in capsys.readouterr().out
    assert (tmp_path / "out" / "bench-lookup-synth-300-quick.json").is_file()
