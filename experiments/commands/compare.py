"""`melo compare`: backbones beside each other on one set."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import orjson
import typer

from data.errors import InputError, LMUnavailableError
from experiments.commands.bar import bar
from experiments.commands.experiment import (
    RESULTS,
    Catalog,
    Fresh,
    Json,
    MaxCalls,
    MaxSeconds,
    MaxUsd,
    Out,
    Seed,
    SettingsFile,
    Track,
    setup_of,
    show,
)
from experiments.commands.progress import say
from optimizers.limits import Limits

EXAMPLE = "Example:  melo compare --lm none --lm embedded/smollm2-135m --lm understand=openai/gpt-5-mini,synthesize=none"


def compare(
    lm: Annotated[
        list[str], typer.Option(help="none, embedded/NAME, PROVIDER/MODEL, or a mix NODE=NAME,NODE=NAME; give several")
    ],
    name: Annotated[str, typer.Option("--set", help="entity, longtail, regular or all")] = "all",
    split: Annotated[str, typer.Option("--split", help="train, dev or test; test is for the last look")] = "dev",
    runs: Annotated[int, typer.Option(help="replays of every request; several are asked at temperature 0.3", min=1, max=20)] = 1,
    concurrency: Annotated[
        list[str] | None, typer.Option(help="requests at the same time: N, or NAME=N for one backbone (embedded ones take 1)")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="only the first requests", min=1)] = None,
    json: Json = False,
    catalog: Catalog = None,
    settings: SettingsFile = None,
    out: Out = RESULTS,
    keep: Annotated[Path | None, typer.Option(help="also write the scores by which --lm auto chooses (dev split only)")] = None,
    seed: Seed = 0,
    max_calls: MaxCalls = None,
    max_seconds: MaxSeconds = None,
    max_usd: MaxUsd = None,
    fresh: Fresh = False,
    track: Track = True,
) -> None:
    """Ask the same requests of several backbones; write Markdown, HTML, JSON and a plot of quality against latency and cost.

    A backbone that cannot be asked is a row that says so. One that fails in mid-run keeps the answers that it gave, and the
    command ends with exit code 1; the same command goes on where it stopped. Limits hold for each backbone.
    """
    from experiments.backbones.plot import scatter
    from experiments.backbones.table import BackbonesTable, contestant
    from experiments.commands.places import open_index
    from experiments.lm_cache import Patience
    from experiments.report_html import html
    from experiments.tuning.settings_file import write_text
    from program.settings import Settings

    if keep is not None and (split != "dev" or limit is not None):
        raise InputError("--lm auto chooses by the whole dev split", hint="leave --keep, or --split and --limit, out")
    base = Settings.load(settings) if settings else Settings()
    contestants = [contestant(one, base) for one in lm]
    names = [one.name for one in contestants]
    if len(set(names)) < len(names):
        raise InputError("a backbone is named twice")
    with closing(open_index(catalog)) as index, bar("compare") as progress:
        setup = setup_of("", runs, base, seed, fresh, Limits(max_calls, max_seconds, max_usd), progress, patience=Patience())
        made = BackbonesTable(name, split, index, setup, contestants, limit=limit, workers=_workers(concurrency or [], names))
        table = made.table()
    plot = scatter(made.points(), table.title)
    page = out / f"{table.stem}.html"
    write_text(page, html(table, plot))
    say(f"wrote {page}")
    show(table, out, json=json, track=track, plot=plot)
    if keep is not None:
        rows = [row.model_dump(mode="json") for row in made.dev_scores()]
        write_text(keep, orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode() + "\n")
        say(f"wrote {keep}")
    if broken := made.broken():
        raise LMUnavailableError("; ".join(broken), hint="what was answered is kept; the same command goes on")


def _workers(texts: list[str], names: list[str]) -> dict[str, int]:
    """Requests at the same time by backbone."""
    found: dict[str, int] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if not number.isdigit() or not 1 <= int(number) <= 64 or (name and name not in names):
            raise InputError(f"cannot read --concurrency {text}", hint="N, or NAME=N with one of the names given")
        found |= {name: int(number)} if name else {each: int(number) for each in names if each not in found}
    return found
