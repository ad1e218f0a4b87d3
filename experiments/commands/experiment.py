"""`melo experiment`: the tables, each from one command."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Protocol

import orjson
import typer

from data.errors import InfrastructureError, InputError
from experiments.chosen import with_lm
from experiments.commands.bar import bar
from experiments.commands.places import open_index
from experiments.commands.progress import say
from experiments.figures import Drawn
from experiments.lm_cache import Patience
from experiments.plots import draw
from experiments.report import Table, text_lines, write_table
from experiments.runner import Progress
from experiments.tables.base import Setup
from optimizers.limits import Limits
from program.lm.backbones import NONE
from program.lm.environment import user_cache
from program.settings import Settings

RESULTS = Path("experiments/results")
_LM_RUNS = 3
app = typer.Typer(help="Make a table of results.", no_args_is_help=True, rich_markup_mode=None)

Lm = Annotated[str, typer.Option(help="none, embedded/NAME, or PROVIDER/MODEL")]
Runs = Annotated[
    int | None,
    typer.Option(help="replays of every request (default: 3 with an LM, 1 without); several: temperature 0.3", min=1, max=20),
]
Json = Annotated[bool, typer.Option("--json", help="print the table as one JSON object")]
SettingsFile = Annotated[Path | None, typer.Option(help="a settings file (TOML)")]
Out = Annotated[Path, typer.Option(help="folder for the table's files")]
Seed = Annotated[int, typer.Option(help="of the bootstrap", min=0)]
MaxCalls = Annotated[int | None, typer.Option(help="stop after so many LM calls", min=0)]
MaxSeconds = Annotated[float | None, typer.Option(help="stop after so many seconds", min=0)]
MaxUsd = Annotated[float | None, typer.Option(help="stop after so much money, where the backbone's price is known", min=0)]
Track = Annotated[bool, typer.Option("--track/--no-track", help="keep the table in MLflow")]
Fresh = Annotated[bool, typer.Option("--fresh", help="ask again what was answered before; nothing is taken from a cache")]


def setup_of(
    lm: str, runs: int | None, settings: Path | Settings | None, seed: int, fresh: bool, limits: Limits, progress: Progress,
    *, patience: Patience | None = None,
) -> Setup:  # fmt: skip
    """The setup that the options ask for.

    Args:
        lm: empty: as the settings have it. settings: a file, or the settings themselves.

    Raises:
        SettingsError: the settings file cannot be used.
    """
    chosen = Settings.load(settings) if isinstance(settings, Path) else settings or Settings()
    chosen = with_lm(chosen, lm) if lm else chosen
    folder = user_cache() / "experiments"
    return Setup(
        chosen, runs=runs or _usual_runs(chosen.lm.label), drawn=Drawn(seed), limits=limits, journal=folder, fresh=fresh,
        remembered=None if fresh else folder / "lm_answers.sqlite", progress=progress, command=command_line(),
        patience=patience,
    )  # fmt: skip


def _usual_runs(lm: str) -> int:
    """Source: Melo 3.1, three runs of an LM; without one every run is the same."""
    return 1 if lm == NONE else _LM_RUNS


def command_line() -> str:
    """The command as it was typed."""
    return shlex.join(["melo", *sys.argv[1:]])


def show(table: Table, out: Path, *, json: bool, track: bool, plot: bytes | None = None) -> None:
    """Write the table's files, keep it in MLflow and print it. A store that fails takes no table with it.

    Args:
        plot: instead of the table's usual one.
    """
    files = write_table(out, table, plot or draw(table))
    for path in files:
        say(f"wrote {path}")
    if track:
        from experiments import tracked

        try:
            say(f"kept in MLflow: {tracked.track(table, files)}")
        except InfrastructureError as error:
            say(f"melo: {error.one_line()}; this table is not kept in MLflow")
    if json:
        typer.echo(orjson.dumps(table.model_dump(mode="json")).decode())
        return
    for line in text_lines(table):
        typer.echo(line)


@app.command("field", epilog="Example:  melo experiment field --rows tests/field --json")
def field(
    rows: Annotated[Path, typer.Option(help="folder of the field rows")] = Path("tests/field"),
    kind: Annotated[list[str] | None, typer.Option(help="only rows of this kind; may be given several times")] = None,
    lm: Lm = "none",
    runs: Runs = None,
    json: Json = False,
    settings: SettingsFile = None,
    out: Out = RESULTS,
    seed: Seed = 0,
    max_calls: MaxCalls = None,
    max_seconds: MaxSeconds = None,
    max_usd: MaxUsd = None,
    fresh: Fresh = False,
    track: Track = True,
) -> None:
    """Requests that real assistants got wrong, under each defence: rows right, and what each layer adds."""
    from experiments.tables.field import FieldTable

    with bar("field") as progress:
        setup = setup_of(lm, runs, settings, seed, fresh, Limits(max_calls, max_seconds, max_usd), progress)
        table = FieldTable(rows, setup, kinds=kind or ()).table()
    show(table, out, json=json, track=track)


SetName = Annotated[str, typer.Option("--set", help="entity, longtail, regular or all")]
SplitName = Annotated[str, typer.Option("--split", help="train, dev or test; test is for the last look")]
Catalog = Annotated[Path | None, typer.Option(help="an index folder; the labels are of the demo catalog, the default")]


class LabelledTable(Protocol):
    """A table over one labelled set and split."""

    def table(self) -> Table:
        """Ask and reckon."""


def _labelled(command: str, path: str, words: str, example: str) -> None:
    """Add the command of a table that asks a labelled set; `path` is `module:class`, imported when the command runs."""
    module, _, class_name = path.partition(":")

    def run(
        name: SetName = "entity" if command == "grounding" else "all",
        split: SplitName = "dev",
        lm: Lm = "none",
        runs: Runs = None,
        json: Json = False,
        catalog: Catalog = None,
        settings: SettingsFile = None,
        out: Out = RESULTS,
        seed: Seed = 0,
        max_calls: MaxCalls = None,
        max_seconds: MaxSeconds = None,
        max_usd: MaxUsd = None,
        fresh: Fresh = False,
        track: Track = True,
    ) -> None:
        limits = Limits(max_calls, max_seconds, max_usd)
        with closing(open_index(catalog)) as index, bar(command) as progress:
            setup = setup_of(lm, runs, settings, seed, fresh, limits, progress)
            made: LabelledTable = getattr(import_module(module), class_name)(name, split, index, setup)
            table = made.table()
        show(table, out, json=json, track=track)

    app.command(command, help=words, epilog=f"Example:  melo experiment {command} {example}")(run)


_labelled(
    "grounding", "experiments.tables.grounding:GroundingTable",
    "Table 2: names misidentified under four configurations, and what each layer of defence avoids.",
    "--split dev --lm embedded/smollm2-135m --runs 3",
)  # fmt: skip
_labelled(
    "retry", "experiments.tables.retry:RetryTable",
    "Tables 3 and 4: sessions in which a retry was triggered, and every request with retry and without.",
    "--set all --split dev --json",
)  # fmt: skip
_labelled(
    "latency", "experiments.tables.latency:LatencyTable",
    "Table 5: the time of each node, sessions with and without retry apart. Measure with nothing else running.",
    "--lm embedded/smollm2-135m --fresh",
)  # fmt: skip
_labelled(
    "baselines", "experiments.tables.baselines:BaselinesTable",
    "Melo beside a ReAct loop, a single-step router, a one-call monolith and a list of popular tracks.",
    "--set all --lm embedded/smollm2-135m",
)  # fmt: skip

_labelled(
    "stages", "experiments.tables.stages:StagesTable",
    "The two stages of PLAN: one call, against a loop of at most three steps that may look first. The model is always asked; the"
    " same command goes on where it stopped.",
    "--set all --split dev --lm embedded/smollm2-135m --runs 3",
)  # fmt: skip

_labelled(
    "split", "experiments.tables.split:SplitTable",
    "One fused call that picks, decides and words, against the split: invented ids, unsupported claims, precision and recall of"
    " the selector, time and tokens. --split every takes all three: with --set all 702 requests, so --runs 3 are 2,106 replays of"
    " each system. The model is always asked; the same command goes on where it stopped.",
    "--set all --split every --lm embedded/smollm2-135m --runs 3",
)  # fmt: skip


@app.command("retrievers", epilog="Example:  melo experiment retrievers --catalog my_index --set longtail --split train")
def retrievers(
    catalog: Annotated[Path, typer.Option(help="an index folder with Semantic IDs, of the set's own catalog")],
    name: Annotated[str, typer.Option("--set", help="entity, longtail, regular, all or cpcd")] = "longtail",
    split: SplitName = "dev",
    data: Annotated[Path | None, typer.Option(help="the folder of CPCD")] = None,
    json: Json = False,
    settings: SettingsFile = None,
    out: Out = RESULTS,
    seed: Seed = 0,
    track: Track = True,
) -> None:
    """Recall by meaning beside recall by Semantic IDs: what each finds for a request's words, and how long it takes."""
    from experiments.external import cpcd
    from experiments.labelled_run import rows_of
    from experiments.tables.retrievers import RetrieversTable, labelled, liked

    if name == "cpcd" and data is None:
        raise InputError("cpcd is read from your copy of it", hint="say where: --data DIR")
    with closing(open_index(catalog)) as index, bar("retrievers") as progress:
        setup = setup_of("none", None, settings, seed, True, Limits(), progress)
        asked = liked(cpcd.dialogues(data, split)) if data and name == "cpcd" else labelled(rows_of(name, split), index)
        table = RetrieversTable(name, split, asked, index, setup).table()
    show(table, out, json=json, track=track)


@app.command("optimizers", epilog="Example:  melo experiment optimizers --lm embedded/smollm2-135m --tune-calls 300 --split dev")
def optimizers(
    name: SetName = "all",
    split: SplitName = "test",
    lm: Lm = "embedded/smollm2-135m",
    recipe: Annotated[list[str] | None, typer.Option(help="only this recipe; may be given several times")] = None,
    seeds: Annotated[int, typer.Option(help="runs of every recipe", min=1, max=10)] = 3,
    nodes: Annotated[str, typer.Option(help="which nodes are tuned, with commas")] = "understand,plan,reflect,synthesize",
    tune_calls: Annotated[int, typer.Option(help="LM calls of one recipe with one seed", min=1)] = 500,
    tune_seconds: Annotated[float | None, typer.Option(help="seconds of one recipe with one seed", min=1)] = None,
    teacher: Annotated[str, typer.Option(help="a backbone that answers for demos (default: --lm)")] = "",
    reflection_lm: Annotated[str, typer.Option(help="a backbone that writes instructions (default: --lm)")] = "",
    json: Json = False,
    catalog: Catalog = None,
    settings: SettingsFile = None,
    out: Out = RESULTS,
    seed: Seed = 0,
    max_calls: MaxCalls = None,
    max_seconds: MaxSeconds = None,
    max_usd: MaxUsd = None,
    fresh: Fresh = False,
    track: Track = True,
) -> None:
    """Every recipe tuned at the same budget with several seeds, asked from end to end. The limits are of the asking."""
    from experiments.tables.optimizers import OptimizersTable, Tuning
    from optimizers.recipes import RECIPES, recipe_of

    chosen = tuple(recipe_of(one).name for one in recipe) if recipe else tuple(RECIPES)
    tuning = Tuning(
        Limits(calls=tune_calls, seconds=tune_seconds), chosen, seeds,
        tuple(one.strip() for one in nodes.split(",")), teacher, reflection_lm,
    )  # fmt: skip
    with closing(open_index(catalog)) as index, bar("optimizers") as progress:
        setup = setup_of(lm, 1, settings, seed, fresh, Limits(max_calls, max_seconds, max_usd), progress)
        table = OptimizersTable(name, split, index, setup, tuning).table()
    show(table, out, json=json, track=track)


@app.command("faults", epilog="Example:  melo experiment faults --set all --split dev --rate 0.05 --rate 0.2 --rate 0.5")
def faults(
    name: SetName = "all",
    split: SplitName = "dev",
    lm: Lm = "none",
    rate: Annotated[
        list[float] | None, typer.Option(help="share of requests with a fault, 0..1; may be given several times", min=0, max=1)
    ] = None,
    runs: Annotated[int, typer.Option(help="drawings of the faults", min=1, max=20)] = 3,
    json: Json = False,
    catalog: Catalog = None,
    settings: SettingsFile = None,
    out: Out = RESULTS,
    seed: Seed = 0,
    fresh: Fresh = False,
    track: Track = True,
) -> None:
    """Faults put into what the nodes make: what the breaker stops, what it stops wrongly, what reaches the answer."""
    from experiments.tables.faults import RATES, FaultsTable

    with closing(open_index(catalog)) as index, bar("faults") as progress:
        setup = setup_of(lm, runs, settings, seed, fresh, Limits(), progress)
        table = FaultsTable(name, split, index, setup, tuple(rate or RATES)).table()
    show(table, out, json=json, track=track)


CURVES = Path("program/trust/breaker/calibration.json")


@app.command("calibrate", epilog="Example:  melo experiment calibrate --lm none --lm embedded/smollm2-135m")
def calibrate(
    lm: Annotated[list[str] | None, typer.Option(help="a backbone whose own scores are calibrated; several")] = None,
    name: SetName = "all",
    split: Annotated[str, typer.Option("--split", help="train or dev")] = "dev",
    keep: Annotated[Path, typer.Option(help="the file of curves that is added to")] = CURVES,
    catalog: Catalog = None,
    settings: SettingsFile = None,
    fresh: Fresh = False,
) -> None:
    """Fit what a producer's own score is worth: the breaker's curves, by node and maker, from labelled requests."""
    from experiments.faults.calibrating import curves, points
    from experiments.labelled_run import rows_of
    from experiments.lm_cache import Tally
    from experiments.replays import replayed
    from program.trust.breaker.calibration import Calibration

    if split == "test":
        raise InputError("curves are not fitted on test", hint="--split dev")
    held = Calibration.model_validate(orjson.loads(keep.read_bytes())).curves if keep.is_file() else {}
    with closing(open_index(catalog)) as index, bar("calibrate") as progress:
        for one in lm or ["none"]:
            setup = setup_of(one, 1, settings, 0, fresh, Limits(), progress)
            with setup.store() as store:
                resolver = replayed(0, 0.0, store, Tally())
                found = points(rows_of(name, split), index, setup.settings, resolver, partial(progress, one))
            held |= curves(found, models_only=one != NONE)
    for maker, curve in held.items():
        shown = ", ".join(f"{score:.1f} -> {curve.at(score):.2f}" for score in (0.2, 0.5, 0.8, 0.95))
        typer.echo(f"{maker}: {shown} (n = {curve.n})")
    keep.write_bytes(orjson.dumps({"curves": {n: c.model_dump() for n, c in held.items()}}, option=orjson.OPT_INDENT_2) + b"\n")
    say(f"wrote {keep}")
