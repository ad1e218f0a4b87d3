"""Which parts there are, and running them one after the other; a finished one is not run again."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from data.errors import MeloError
from experiments.bench.job import Job, Measured, NotMeasurableError
from experiments.bench.machine import code, load, machine, versions
from experiments.bench.results import Result, ResultFiles
from experiments.bench.shelf import Shelf
from experiments.bench.targets import Catalog
from experiments.commands.progress import say


@dataclass(frozen=True, slots=True)
class Size:
    """How much one part measures; see `Job`."""

    n: int
    warmup: int = 0
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the benchmark. usual, quick: sizes, on the catalog of that name where one is given."""

    about: str
    catalogs: tuple[Catalog, ...]
    usual: Size
    quick: Size
    on_synth: Size | None = None


_BOTH: tuple[Catalog, ...] = ("demo", "synth")
PARTS = {
    "build": Part("index build: stages, peak memory", _BOTH, Size(3), Size(1), on_synth=Size(1)),
    "startup": Part("process start to a ready program, index open", _BOTH, Size(5, 1), Size(3, 1)),
    "lookup": Part("L1 over requests of twelve words", _BOTH, Size(1_000, 50), Size(300, 30)),
    "shortcut": Part("head requests from end to end", _BOTH, Size(400, 40), Size(100, 20)),
    "execute": Part("EXECUTE alone", _BOTH, Size(400, 40), Size(100, 20)),
    "relax": Part("relaxations of thin results, counted", _BOTH, Size(200, 20), Size(50, 10)),
    "none": Part("requests that need a model, answered without", ("demo",), Size(22, 2, repeats=10), Size(22, 2, repeats=2)),
    "store": Part("a million artifacts kept and queried", ("demo",), Size(1_000_000, repeats=2_000), Size(20_000, repeats=100)),
    "lm": Part("the same requests with SmolLM2", ("demo",), Size(22, 2, repeats=3), Size(8, 2)),
}
SEED = 0


@dataclass(frozen=True)
class Options:
    """What was asked for. only: names of `PARTS`, all when empty; command: as typed."""

    only: tuple[str, ...]
    quick: bool
    again: bool
    command: str


@dataclass(frozen=True)
class Runner:
    """Runs parts. measure: how one job is measured; tests give their own."""

    options: Options
    shelf: Shelf
    files: ResultFiles
    measure: Callable[[Job], Measured]

    def run(self) -> list[Result]:
        """Every part asked for, in the order of `PARTS`; one that fails does not stop the others."""
        names = [name for name in PARTS if not self.options.only or name in self.options.only]
        return [self._one(name, catalog) for name in names for catalog in PARTS[name].catalogs]

    def _one(self, name: str, catalog: Catalog) -> Result:
        what = f"{name}-{self.shelf.label(catalog)}{'-quick' if self.options.quick else ''}"
        try:
            return self._kept_or_measured(what, name, catalog)
        except NotMeasurableError as error:
            say(f"{what}: skipped: {error.one_line()}")
            return Result(what, name, catalog, "skipped", error.one_line())
        except MeloError as error:
            say(f"{what}: failed: {error.one_line()}")
            return Result(what, name, catalog, "failed", error.one_line())

    def _kept_or_measured(self, what: str, name: str, catalog: Catalog) -> Result:
        size = self._size(name, catalog)
        key = {
            **asdict(size), "seed": SEED, "catalog": self.shelf.content(catalog), "shelf": self.shelf.token(),
            "machine": machine(),
            "code": code("data", "signatures", "program", "experiments.bench"),
        }  # fmt: skip
        kept = None if self.options.again else self.files.kept(what, key)
        if kept is not None:
            say(f"{what}: kept from {kept[0]} (the same code, catalog and machine; --again measures it anew)")
            return Result(what, name, catalog, "kept", kept[0], kept[1])
        say(f"{what}: {PARTS[name].about}")
        job = self._job(name, catalog, size)
        before = load()
        result = Result(what, name, catalog, "measured", measured=self.measure(job))
        if name == "build":
            self.shelf.keep(catalog)
        self.files.write(result, self._about(key, job, before))
        return result

    def _size(self, name: str, catalog: Catalog) -> Size:
        part = PARTS[name]
        if self.options.quick:
            return part.quick
        return part.on_synth if catalog == "synth" and part.on_synth else part.usual

    def _job(self, name: str, catalog: Catalog, size: Size) -> Job:
        """The job, with the catalog and, for all but the build itself, its index made ready."""
        source = self.shelf.source(catalog)
        index: Path = self.shelf.index(catalog) if name == "build" else self.shelf.built(catalog)
        return Job(name, catalog, str(source), str(index), size.n, size.warmup, size.repeats, SEED)

    def _about(self, key: dict[str, Any], job: Job, before: list[float]) -> dict[str, Any]:
        return {
            "part": job.part, "on": self.shelf.label(job.catalog), "command": self.options.command,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "machine": {**machine(), "load_before": before, "load_after": load()},
            "versions": versions(), "key": key,
        }  # fmt: skip
