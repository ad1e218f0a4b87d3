"""`python -m experiments.bench`: the command line of the benchmark. Results go to stdout and files, progress to stderr."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from data.errors import InputError, MeloError
from experiments.bench.measure import measured
from experiments.bench.results import ResultFiles
from experiments.bench.runner import PARTS, Options, Runner
from experiments.bench.shelf import Shelf
from experiments.bench.table import lines
from experiments.commands.progress import say
from program.lm.environment import private_defaults, user_cache

QUICK_TRACKS, USUAL_TRACKS = 50_000, 1_000_000
EXAMPLE = (
    "Examples:  python -m experiments.bench --quick   python -m experiments.bench --only lookup --only execute --tracks 200000"
)
_RESULTS = Path("experiments/results")


def bench(
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help=f"one of {', '.join(PARTS)}; may be repeated")] = None,
    tracks: Annotated[int | None, typer.Option(help="size of the synthetic catalog (default 1,000,000)", min=100)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="few runs, 50,000 synthetic tracks")] = False,
    out: Annotated[Path, typer.Option(help="folder of the result files")] = _RESULTS,
    keep: Annotated[Path | None, typer.Option(help="folder of the catalogs and indexes (default: user's cache)")] = None,
    again: Annotated[bool, typer.Option("--again", help="measure what is finished, too")] = False,
) -> None:
    """Measure start-up, index build, lookup, search and answers, and compare them with the targets."""
    if unknown := set(only or ()) - PARTS.keys():
        raise InputError(f"no part is called {', '.join(sorted(unknown))}", hint=f"known: {', '.join(PARTS)}")
    size = tracks or (QUICK_TRACKS if quick else USUAL_TRACKS)
    command = shlex.join(["python", "-m", "experiments.bench", *sys.argv[1:]])
    runner = Runner(
        Options(tuple(only or ()), quick, again, command),
        Shelf(keep or user_cache() / "bench", size),
        ResultFiles(out),
        measured,
    )
    try:
        results = runner.run()
    except KeyboardInterrupt:  # typer would end without a word
        say("bench: stopped; finished parts are kept")
        raise typer.Exit(130) from None
    for line in lines(results):
        typer.echo(line)
    say(f"results: {out}/bench-*.json")
    if any(result.state == "failed" for result in results):
        raise typer.Exit(1)


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.command(epilog=EXAMPLE)(bench)


def main() -> None:
    """Run it; an error becomes one line and an exit code."""
    private_defaults()
    try:
        app(prog_name="python -m experiments.bench")
    except MeloError as error:
        say(f"bench: {error.one_line()}")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
